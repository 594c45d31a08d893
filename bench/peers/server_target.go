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
func (target) recipes() []recipe { return nil }
func (t target) version() string { return "target of " + t.path }

// start reads the address from the first line of the target's output, and ends
// it by closing its standard input.
func (t target) start(ctx context.Context, at site) (*instance, error) {
	cmd := exec.CommandContext(ctx, t.path, targetArgs(at)...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := startPinned(cmd, at.cpu); err != nil {
		return nil, err
	}
	in := &instance{cmd: cmd, site: at, end: stdin.Close}
	// Ending it ends the read too.
	deadline := time.AfterFunc(readyTimeout, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	deadline.Stop()
	if err == nil {
		in.baseURL, err = parseListening(line, at.scheme())
	}
	if err != nil {
		in.stop()
		return nil, fmt.Errorf("read the target's address: %w", err)
	}
	return in, nil
}

// targetArgs: with a certificate it speaks TLS, and h2 to whoever offers it.
func targetArgs(at site) []string {
	args := []string{"target"}
	if at.secure() {
		args = append(args, "--cert", at.certificate(), "--key", at.key())
	}
	if at.over == quicUDP {
		args = append(args, "--http3")
	}
	return args
}

// parseListening reads "listening http://127.0.0.1:PORT", or https.
func parseListening(line, scheme string) (baseURL string, err error) {
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if !found || !strings.HasPrefix(url, scheme) {
		return "", fmt.Errorf("%q is not \"listening %sADDRESS\"", line, scheme)
	}
	return url, nil
}
