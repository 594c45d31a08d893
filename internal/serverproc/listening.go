package serverproc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// AwaitListening waits for the line `listening URL`, the first on standard output,
// which the embedded target and helpers that keep to its ways write when they are
// ready, and returns the URL. It ends as [Server.AwaitReady] does; timeout 0 is 10 s.
func (s *Server) AwaitListening(ctx context.Context, timeout time.Duration) (url string, err error) {
	if timeout == 0 {
		timeout = readyMax
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = s.poll(within, func(context.Context) (err error) {
		url, err = listeningLine(s.spec.Stdout)
		return err
	})
	switch {
	case err == nil:
		return url, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("wait for server %q to listen: %w", s.spec.Name, context.Cause(ctx))
	}
	return "", s.withLogTail(fmt.Errorf("wait for server %q to listen: %w", s.spec.Name, err))
}

// listeningLine reads the first line of a log, which may not be whole yet.
func listeningLine(path string) (url string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	line, err := bufio.NewReader(io.LimitReader(file, tailBytes)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		return "", errors.New("it has not said where it listens")
	}
	if err != nil {
		return "", err
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if !ok {
		return "", fmt.Errorf("it said %q instead of where it listens, %w", line, errFinal)
	}
	return url, nil
}
