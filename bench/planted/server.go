package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// server is an embedded target of a try.
type server struct {
	url   string
	cmd   *exec.Cmd
	stdin io.Closer // its end is the server's
}

// startServer starts one on the first CPU that there is, and waits until it listens.
func startServer(scalbench string) (*server, error) {
	s := &server{cmd: exec.Command(scalbench, "target")}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := startPinned(s.cmd); err != nil {
		return nil, errors.Join(err, s.stdin.Close())
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if err != nil || !found {
		return nil, errors.Join(fmt.Errorf("scalbench target: %q instead of where it listens", line), err, s.stop())
	}
	s.url = url
	return s, nil
}

// stopMax is how long a server may take to end.
const stopMax = 5 * time.Second

func (s *server) stop() error {
	err := s.stdin.Close()
	kill := time.AfterFunc(stopMax, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	return errors.Join(err, s.cmd.Wait())
}

// startPinned starts a process on the first CPU that we may use, from its first
// instruction: it inherits the affinity of the thread that starts it.
func startPinned(cmd *exec.Cmd) error {
	before, err := cpuset.Allowed()
	if err != nil {
		return err
	}
	first, err := cpuset.Of(before.CPUs()[0])
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cpuset.SetThread(first); err != nil {
		return err
	}
	return errors.Join(cmd.Start(), cpuset.SetThread(before))
}
