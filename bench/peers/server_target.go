package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// target is the server that scalbench brings along.
type target struct {
	path string
}

func (target) name() string      { return "target" }
func (t target) program() string { return t.path }
func (t target) install() string { return scalbench(t).install() }
func (t target) version() string { return "target of " + t.path }

// start reads the address from the first line of the target's output, and ends
// it by closing its standard input.
func (t target) start(ctx context.Context, _ string, cpu int) (*instance, error) {
	cmd := exec.CommandContext(ctx, t.path, "target")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := startPinned(cmd, cpu); err != nil {
		return nil, err
	}
	in := &instance{cmd: cmd, end: stdin.Close}
	// Ending it ends the read too.
	deadline := time.AfterFunc(readyTimeout, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	deadline.Stop()
	if err == nil {
		in.baseURL, err = parseListening(line)
	}
	if err != nil {
		in.stop()
		return nil, fmt.Errorf("read the target's address: %w", err)
	}
	return in, nil
}

// parseListening reads "listening http://127.0.0.1:PORT".
func parseListening(line string) (baseURL string, err error) {
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if !found || !strings.HasPrefix(url, "http://") {
		return "", fmt.Errorf("%q is not \"listening http://ADDRESS\"", line)
	}
	return url, nil
}
