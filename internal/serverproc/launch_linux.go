package serverproc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/cpuset"
)

// launched is a process that was started from a thread which lives as long as it.
type launched struct {
	pid   int
	hold  chan struct{} // closing it ends the thread, and with it the process
	stdin *os.File      // the end that we keep; nil: /dev/null
}

// release lets go of the process; what is left of it is killed by the kernel.
func (l launched) release() {
	close(l.hold)
	if l.stdin != nil {
		_ = l.stdin.Close() // nothing was written to it
	}
}

// launch starts the server of an order.
func launch(o order) (launched, error) {
	l := launched{hold: make(chan struct{})}
	theirs, err := l.openStdin(o.StdinOpen)
	if err != nil {
		return launched{}, err
	}
	defer theirs.Close() // it has its own
	if err := limitFiles(o.NofileMax); err != nil {
		return launched{}, err
	}
	attr := &os.ProcAttr{
		Dir: string(o.Dir),
		Env: toStrings(o.Env),
		Files: []*os.File{
			theirs,
			os.NewFile(stdoutDescriptor, "stdout"),
			os.NewFile(stderrDescriptor, "stderr"),
		},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: credentialOf(o.Become)},
	}
	process, err := l.startPinned(o, attr)
	if err != nil {
		return launched{}, err
	}
	l.pid = process.Pid
	return l, process.Release() // it is reaped as a child, not through this
}

func (l *launched) openStdin(open bool) (theirs *os.File, err error) {
	if !open {
		return os.Open(os.DevNull)
	}
	theirs, l.stdin, err = os.Pipe()
	return theirs, err
}

// limitFiles sets the limit of this process, which the server inherits. Go gives
// children the soft limit that it found at its own start, but not once it was set.
func limitFiles(nofileMax uint64) error {
	if nofileMax == 0 {
		return nil
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("nofile: %w", err)
	}
	err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: nofileMax, Max: max(limit.Max, nofileMax)})
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("nofile: only root may raise the hard limit to %d", nofileMax)
	}
	if err != nil {
		return fmt.Errorf("nofile: limit open files to %d: %w", nofileMax, err)
	}
	return nil
}

// startPinned starts the process from a thread that has the wanted affinity, because
// a process inherits that of the thread which forks it; set afterwards, the server
// would have chosen its number of threads by all CPUs. The thread stays until release:
// the parent-death signal is sent at the end of the thread that forked, not of the
// process.
func (l *launched) startPinned(o order, attr *os.ProcAttr) (*os.Process, error) {
	cpus, err := cpuset.Parse(o.CPUs)
	if err != nil && o.CPUs != "" {
		return nil, err
	}
	type outcome struct {
		process *os.Process
		err     error
	}
	started := make(chan outcome)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if cpus.Count() > 0 {
			if err := cpuset.SetThread(cpus); err != nil {
				started <- outcome{nil, err}
				return
			}
		}
		process, err := os.StartProcess(string(o.Path), toStrings(o.Argv), attr)
		started <- outcome{process, err}
		if err == nil {
			<-l.hold
		}
	}()
	result := <-started
	return result.process, result.err
}
