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

// recipes: the package would start nginx at once, on the CPUs of a measurement
// and on port 80.
func (nginx) recipes() []recipe { return nil }

func (nginx) version() string { return firstLine("nginx", "-v") }

func (nginx) start(ctx context.Context, at site) (*instance, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir := nginxDir(at)
	config, err := writeNginxFiles(at, port)
	if err != nil {
		return nil, fmt.Errorf("configure nginx: %w", err)
	}
	cmd := exec.CommandContext(ctx, "nginx", "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", config)
	cmd.Stderr = os.Stderr
	if err := startPinned(cmd, at.cpu); err != nil {
		return nil, err
	}
	// SIGTERM ends the master and its worker; killing the master alone would
	// leave the worker serving.
	end := func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Cancel = end
	return &instance{cmd: cmd, site: at, baseURL: at.url(port), end: end}, nil
}

// nginxDir is nginx's own part of the scratch directory.
func nginxDir(at site) string { return filepath.Join(at.scratchDir, "nginx") }

// nginxTLSOptions make a listener one for h2 and h1 over TLS. From 1.25.1 on
// http2 is a directive of its own, which older ones refuse; newer ones still
// take the option.
const nginxTLSOptions = "ssl http2"

// writeNginxFiles fills in the template and writes the files to serve.
func writeNginxFiles(at site, port int) (config string, err error) {
	text, err := os.ReadFile(filepath.Join(at.scratchDir, nginxConfig))
	if err != nil {
		return "", err
	}
	options := ""
	if at.secure() {
		options = nginxTLSOptions
	}
	dir := nginxDir(at)
	filled := strings.NewReplacer(
		"DIR", dir, "PORT", strconv.Itoa(port), "LISTEN_OPTIONS", options,
		"CERTIFICATE", at.certificate(), "PRIVATE_KEY", at.key(),
	).Replace(string(text))
	config = filepath.Join(dir, nginxConfig)
	return config, errors.Join(writeWWW(filepath.Join(dir, "www")), os.WriteFile(config, []byte(filled), 0o644))
}
