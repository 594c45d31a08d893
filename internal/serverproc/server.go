package serverproc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// procDir is where the kernel tells about this host's processes.
const procDir = "/proc"

// startMax is how long a supervisor may take to start a server: to be executed
// itself, to fork and to execute.
const startMax = 10 * time.Second

// Server is a process tree that was started. Its methods may be called from several
// goroutines; Stop must be called once it is no longer needed, whatever happened to
// it meanwhile.
type Server struct {
	spec       Spec
	pid        int
	supervisor *exec.Cmd
	orders     io.WriteCloser // its standard input; the end of it ends everything
	complaints *bytes.Buffer  // its standard error; read after ended

	started chan report   // gets the first report
	exited  chan struct{} // closed when the server has ended; then exit is set
	exit    Exit
	emptied chan struct{} // closed when nothing of the tree is left, or ended is
	ended   chan struct{} // closed when the supervisor has ended; then the rest is set
	last    empty
	err     error // of the supervisor: it ended without saying that all is gone

	closing sync.Once
}

// Start starts a server, and returns when its program has been executed: it need not
// be ready. The log files are made (they must not exist yet) and belong to the
// server's user. A program that cannot be executed is an error that says why.
func Start(ctx context.Context, spec Spec) (*Server, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	o, err := newOrder(spec)
	if err != nil {
		return nil, fmt.Errorf("start server %q: %w", spec.Name, err)
	}
	logs, err := createLogs(spec, o.Become)
	if err != nil {
		return nil, fmt.Errorf("start server %q: %w", spec.Name, err)
	}
	s := newServer(spec)
	err = s.startSupervisor(logs, o)
	for _, file := range logs {
		err = errors.Join(err, file.Close()) // the supervisor has its own
	}
	if err == nil {
		err = s.awaitStarted(ctx)
	}
	if err != nil {
		s.abandon()
		return nil, fmt.Errorf("start server %q: %w", spec.Name, err)
	}
	return s, nil
}

func newServer(spec Spec) *Server {
	return &Server{
		spec: spec, complaints: new(bytes.Buffer),
		started: make(chan report, 1), exited: make(chan struct{}), emptied: make(chan struct{}), ended: make(chan struct{}),
	}
}

// createLogs makes the files for standard output and standard error, which may be one
// file. They are opened for appending, because a program that opens /dev/stderr
// again has a position of its own in it.
func createLogs(spec Spec, owner *identity) (logs []*os.File, err error) {
	defer func() {
		for _, file := range logs {
			if err != nil {
				_ = file.Close() // nothing was written to it
			}
		}
	}()
	for _, path := range slices.Compact([]string{spec.Stdout, spec.Stderr}) {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return logs, err
		}
		logs = append(logs, file)
		if owner != nil {
			if err := file.Chown(owner.UID, owner.GID); err != nil {
				return logs, err
			}
		}
	}
	return logs, nil
}

// startSupervisor starts it and hands the order over.
func (s *Server) startSupervisor(logs []*os.File, o order) error {
	cmd := exec.Command(s.spec.Supervisor[0], s.spec.Supervisor[1:]...)
	// A supervisor with a token would be an orphan like those it looks after.
	cmd.Env = append(withoutVariables(os.Environ(), SessionVariable, PadVariable), supervisorVariable+"=1")
	cmd.ExtraFiles = []*os.File{logs[0], logs[len(logs)-1]}
	cmd.Stderr = s.complaints
	// A group of its own: an interrupt typed at the terminal is for the driver, which
	// then stops its servers in the order it wants.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	orders, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	reports, err := cmd.StdoutPipe()
	if err != nil {
		return errors.Join(err, orders.Close())
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start its supervisor: %w", err)
	}
	s.supervisor, s.orders = cmd, orders
	go s.reportLoop(reports)
	_ = writeLine(orders, o) // a broken pipe is a supervisor that has ended; the loop says why
	return nil
}

// reportLoop notes what the supervisor says, until it has ended.
func (s *Server) reportLoop(reports io.Reader) {
	defer close(s.ended)
	from := json.NewDecoder(reports)
	var isEmpty, hasExited, known bool
	for {
		var r report
		if err := from.Decode(&r); err != nil {
			break // its end: it says nothing that cannot be read
		}
		switch {
		case r.Started > 0, r.Failed != "":
			s.started <- r
			known = true
		case r.Exit != nil && !hasExited:
			s.exit = *r.Exit
			hasExited = true
			close(s.exited)
		case r.Empty != nil && !isEmpty:
			s.last = *r.Empty
			isEmpty = true
			close(s.emptied)
		}
	}
	waitErr := s.supervisor.Wait()
	if !isEmpty {
		s.err = fmt.Errorf("its supervisor has ended, and may have left something running: %v: %s", waitErr, bytes.TrimSpace(s.complaints.Bytes()))
		close(s.emptied)
	}
	if !hasExited {
		close(s.exited)
	}
	if !known {
		s.started <- report{Failed: fmt.Sprintf("its supervisor %q has said nothing: %v: %s", s.spec.Supervisor, waitErr, bytes.TrimSpace(s.complaints.Bytes()))}
	}
}

// awaitStarted waits for the first report.
func (s *Server) awaitStarted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startMax)
	defer cancel()
	select {
	case r := <-s.started:
		if r.Failed != "" {
			return errors.New(r.Failed)
		}
		s.pid = r.Started
		return nil
	case <-ctx.Done():
		return fmt.Errorf("it was not executed: %w", context.Cause(ctx))
	}
}

// abandon ends a supervisor whose server never came to be.
func (s *Server) abandon() {
	if s.supervisor == nil {
		return
	}
	s.closeOrders()
	s.awaitEnd()
}

// PID is the server's process number.
func (s *Server) PID() int { return s.pid }

// Exited is closed when the server's process has ended, for whatever reason.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Exit is how the server's process has ended; the zero Exit while it has not, and when
// nobody can tell because its supervisor was killed.
func (s *Server) Exit() Exit {
	select {
	case <-s.exited:
		return s.exit
	default:
		return Exit{}
	}
}

// Tree returns the processes that came of the server, ascending, with the server itself
// before them as long as it lives. The error is procfs.ErrGone when all of it has ended
// and was waited for.
func (s *Server) Tree() ([]int, error) {
	supervisor := s.supervisor.Process.Pid
	tree, err := procfs.NewFS(procDir).Descendants([]int{supervisor})
	if err == nil && !slices.Contains(tree, supervisor) {
		err = procfs.ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("list processes of server %q: %w", s.spec.Name, err)
	}
	tree = slices.DeleteFunc(tree, func(pid int) bool { return pid == supervisor })
	if i := slices.Index(tree, s.pid); i > 0 { // PIDs start again at their end
		tree = slices.Insert(slices.Delete(tree, i, i+1), 0, s.pid)
	}
	return tree, nil
}
