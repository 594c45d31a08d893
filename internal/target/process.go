package target

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Process is an embedded server, or what keeps to its ways ([Command]), running
// as a process of its own.
type Process struct {
	Name string // what messages call it
	URL  string // without a trailing slash

	cmd   *exec.Cmd
	stdin io.Closer
}

const (
	readyMax = 5 * time.Second // from start to the listening line
	stopMax  = 2 * time.Second // from the end of stdin to the end of the process
)

// Start runs `exe args...`, which must end up in [Run] with its standard
// streams, pinned to cpus from its first instruction, and waits until it
// listens. What it logs goes to log. It ends when Stop is called or this
// process dies.
func Start(ctx context.Context, exe string, args []string, cpus cpuset.Set, log io.Writer) (*Process, error) {
	return startCommand(ctx, Command{Name: "the embedded target", Exe: exe, Args: args, CPUs: cpus}, log)
}

func startCommand(ctx context.Context, command Command, log io.Writer) (*Process, error) {
	cmd := exec.Command(command.Exe, command.Args...)
	cmd.Stderr = log
	// A group of its own: an interrupt typed at the terminal is for the load
	// generator, which still needs its server while it drains.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Name, err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Name, errors.Join(err, stdin.Close()))
	}
	if err := startPinned(cmd, command.CPUs); err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Name, err)
	}
	p := &Process{Name: command.Name, cmd: cmd, stdin: stdin}
	if p.URL, err = awaitListening(ctx, stdout); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", command.Name, err), p.Stop())
	}
	return p, nil
}

// startPinned starts the process from a thread that has the wanted affinity,
// because a process inherits that of the thread which forks it. Setting it
// afterwards would let the server choose its number of threads by all CPUs. The
// goroutine never unlocks the thread, which therefore ends with it.
func startPinned(cmd *exec.Cmd, cpus cpuset.Set) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		if err := cpuset.SetThread(cpus); err != nil {
			started <- err
			return
		}
		started <- cmd.Start()
	}()
	return <-started
}

// awaitListening reads the line that the server writes when it is ready.
func awaitListening(ctx context.Context, stdout io.Reader) (url string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readyMax)
	defer cancel()
	type answer struct {
		line string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(stdout).ReadString('\n')
		answered <- answer{line, err}
	}()
	select {
	case a := <-answered:
		url, ok := strings.CutPrefix(strings.TrimSpace(a.line), "listening ")
		if !ok {
			return "", fmt.Errorf("it said %q instead of where it listens", a.line)
		}
		return url, nil
	case <-ctx.Done():
		return "", fmt.Errorf("it does not listen: %w", context.Cause(ctx))
	}
}

// Stop ends the server and waits for it; one that does not end is killed.
func (p *Process) Stop() error {
	p.stdin.Close() // its end is the signal; a pipe broken already is one too
	kill := time.AfterFunc(stopMax, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("stop %s: %w", p.Name, err)
	}
	return nil
}

// PID is the server's process number.
func (p *Process) PID() int { return p.cmd.Process.Pid }
