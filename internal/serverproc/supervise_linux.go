package serverproc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/procfs"
)

// Supervise is what a supervisor does: the hidden command of [Spec.Supervisor] calls
// it with its standard input and output, and ends when it returns. It takes over the
// process: all its children and its signals.
func Supervise(in io.Reader, out io.Writer) error {
	s := supervisor{out: out, fs: procfs.NewFS(procDir)}
	s.catchSignals()
	lines := bufio.NewReader(in)
	o, err := readOrder(lines)
	if err != nil {
		return err // the driver is gone already
	}
	closeOnExec()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return s.tell(report{Failed: fmt.Sprintf("adopt what it leaves: %v", err)})
	}
	l, err := launch(o)
	if err != nil {
		return errors.Join(s.tell(report{Failed: err.Error()}), s.tell(report{Empty: &empty{}}))
	}
	defer l.release()
	s.pid, s.running = l.pid, true
	if err := s.tell(report{Started: l.pid}); err != nil {
		return errors.Join(err, s.killAll())
	}
	return s.loop(s.readInstructions(lines))
}

// closeOnExec keeps every descriptor but the standard ones from the server: the log files,
// which it gets as standard output and error, and whatever this process has inherited
// from a terminal or a build system, which would be another for each of them.
func closeOnExec() {
	const all = 1<<32 - 1
	if unix.CloseRange(stdoutDescriptor, all, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	unix.CloseOnExec(stdoutDescriptor) // a kernel before 5.11
	unix.CloseOnExec(stderrDescriptor)
}

// supervisor is owned by the goroutine of Supervise, which alone signals and reaps:
// as long as a child is not reaped its number is nobody else's.
type supervisor struct {
	out     io.Writer
	fs      procfs.FS
	pid     int  // the server's, and its group's
	running bool // it has not been reaped
	isEmpty bool // and it was told

	children chan os.Signal // one of them has ended
	ending   chan os.Signal // somebody wants us to end
}

// catchSignals asks for all signals that this process must live through. Ignoring
// them was rejected: the server would inherit that.
func (s *supervisor) catchSignals() {
	s.children, s.ending = make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(s.children, unix.SIGCHLD)
	signal.Notify(s.ending, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	// Go ends a process that writes to a broken standard output, unless somebody
	// listens for the signal: the driver may be gone while something is to be killed.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
}

// readInstructions hands on what the driver says; the channel is closed at the end of
// the input, which is the driver's end or its wish to end all.
func (s *supervisor) readInstructions(lines *bufio.Reader) <-chan instruction {
	instructions := make(chan instruction)
	from := json.NewDecoder(lines)
	go func() {
		defer close(instructions)
		for {
			var i instruction
			if from.Decode(&i) != nil {
				return
			}
			instructions <- i
		}
	}()
	return instructions
}

// loop lives until the driver wants no more.
func (s *supervisor) loop(instructions <-chan instruction) error {
	for {
		select {
		case <-s.children:
			if s.reap() {
				s.tellEmpty(empty{})
			}
		case i, open := <-instructions:
			if !open {
				return s.killAll()
			}
			if s.running {
				_ = unix.Kill(s.pid, i.Signal) // ESRCH alone: a zombie
			}
		case <-s.ending:
			return s.killAll()
		}
	}
}

// reap waits for every child that has ended, and reports whether none is left.
func (s *supervisor) reap() (none bool) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD
			return true
		case pid == 0:
			return false
		case pid == s.pid:
			s.running = false
			_ = s.tell(report{Exit: exitOf(status)})
		}
	}
}

func exitOf(status unix.WaitStatus) *Exit {
	if status.Signaled() {
		return &Exit{Signal: status.Signal()}
	}
	return &Exit{Code: status.ExitStatus()}
}

const (
	killMax   = 5 * time.Second       // until a process is left that cannot be killed
	killEvery = 20 * time.Millisecond // look again for children that came meanwhile
)

// killAll ends whatever is left of the tree. A process that is killed leaves its
// children to us, who are then killed in the next turn, until there is none: a tree
// cannot hide from its subreaper. No process is signalled that is not our own child,
// or in the group of one.
func (s *supervisor) killAll() error {
	what := empty{}
	if !s.reap() {
		what.Killed = s.namesBelow()
	}
	if s.running {
		_ = unix.Kill(-s.pid, unix.SIGKILL) // all of them at once, before they start others
	}
	deadline := time.Now().Add(killMax)
	for !s.reap() {
		left, err := s.fs.Children(os.Getpid())
		if err != nil || time.Now().After(deadline) {
			what.Left = len(left)
			return errors.Join(err, s.tellEmpty(what), fmt.Errorf("%d processes could not be killed", what.Left))
		}
		for _, pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL) // EPERM: a set-user-ID program; then the deadline ends it
		}
		select {
		case <-s.children:
		case <-time.After(killEvery):
		}
	}
	return s.tellEmpty(what)
}

// namesBelow lists the tree as it is, for the report.
func (s *supervisor) namesBelow() (list []Killed) {
	tree, err := s.fs.Tree(os.Getpid())
	if err != nil {
		return nil
	}
	for _, pid := range tree[1:] {
		if name, err := s.fs.Name(pid); err == nil {
			list = append(list, Killed{pid, name})
		}
	}
	return list
}

// tellEmpty says it once.
func (s *supervisor) tellEmpty(what empty) error {
	if s.isEmpty {
		return nil
	}
	s.isEmpty = true
	return s.tell(report{Empty: &what})
}

// tell fails when the driver is gone.
func (s *supervisor) tell(r report) error { return writeLine(s.out, r) }
