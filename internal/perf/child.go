package perf

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// child is perf as a process that the kernel kills when this one ends, however that
// happens.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it was waited for
}

// pipesMax is how long a child's output is waited for when it has ended: what it has started
// may have it too.
const pipesMax = 2 * time.Second

func startChild(cmd *exec.Cmd) (*child, error) {
	// A group of its own: an interrupt that is typed at the terminal is for us alone.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = pipesMax
	c := &child{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error, 1)
	go c.processLoop(started)
	return c, <-started
}

// processLoop starts the child and waits for it in one thread: the death signal comes when
// that very thread ends (prctl(2), PR_SET_PDEATHSIG), so it must live as long.
func (c *child) processLoop(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(c.ended)
	err := c.cmd.Start()
	started <- err
	if err == nil {
		_ = c.cmd.Wait() // an interrupt ends it with a signal or without; its output tells
	}
}

func (c *child) signal(s os.Signal) error { return c.cmd.Process.Signal(s) }

// kill ends it with all of its group. It may have ended already.
func (c *child) kill() {
	select {
	case <-c.ended: // its number may be another's
	default:
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// await waits until it has ended, and tells whether it has.
func (c *child) await(most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-c.ended:
		return true
	case <-timer.C:
		return false
	}
}
