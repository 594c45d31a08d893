package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// nginx is the distribution's, with one worker and the configuration of
// nginx.conf.
type nginx struct{}

const nginxConfig = "nginx.conf"

func (nginx) name() string    { return "nginx" }
func (nginx) program() string { return "nginx" }
func (nginx) install() string { return "apt-get install nginx" }
func (nginx) version() string { return firstLine("nginx", "-v") }

func (nginx) start(ctx context.Context, scratchDir string, cpu int) (*instance, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(scratchDir, "nginx")
	config, err := writeNginxFiles(dir, filepath.Join(scratchDir, nginxConfig), port)
	if err != nil {
		return nil, fmt.Errorf("configure nginx: %w", err)
	}
	cmd := exec.CommandContext(ctx, "nginx", "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", config)
	cmd.Stderr = os.Stderr
	if err := startPinned(cmd, cpu); err != nil {
		return nil, err
	}
	// SIGTERM ends the master and its worker; killing the master alone would
	// leave the worker serving.
	end := func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Cancel = end
	return &instance{cmd: cmd, baseURL: localURL(port), end: end}, nil
}

// nginxLine is the text of the files that nginx serves, 16 bytes.
const nginxLine = "0123456789abcde\n"

// writeNginxFiles fills in the template and writes the files to serve. All may
// read them: the worker runs as another user when the master is root.
func writeNginxFiles(dir, template string, port int) (config string, err error) {
	text, err := os.ReadFile(template)
	if err != nil {
		return "", err
	}
	filled := strings.NewReplacer("DIR", dir, "PORT", strconv.Itoa(port)).Replace(string(text))
	config = filepath.Join(dir, nginxConfig)
	www := filepath.Join(dir, "www")
	return config, errors.Join(
		os.MkdirAll(www, 0o755),
		os.WriteFile(config, []byte(filled), 0o644),
		os.WriteFile(filepath.Join(www, "static-small"), []byte(strings.Repeat(nginxLine, 1<<10/len(nginxLine))), 0o644),
		os.WriteFile(filepath.Join(www, "static-1m"), []byte(strings.Repeat(nginxLine, 1<<20/len(nginxLine))), 0o644),
	)
}
