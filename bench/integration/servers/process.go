package servers

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for a server.
const patience = 15 * time.Second

// ErrPortTaken says that a server could not have its port: somebody was faster.
var ErrPortTaken = errors.New("port taken")

// FreePorts returns ports of 127.0.0.1 that nobody listens on. Another process
// may still take one before it is used.
func FreePorts(n int) (free []int, err error) {
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // all stay taken until the last is found, so they differ
		free = append(free, listener.Addr().(*net.TCPAddr).Port)
	}
	return free, nil
}

// FindProgram skips the test when a program is not installed, with the line that
// installs it. Those of the system's administrator are not in everybody's PATH.
func FindProgram(t testing.TB, name, install string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	path := "/usr/sbin/" + name
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed: %s", name, install)
	}
	return path
}

// Process is a server in the foreground. It is waited for exactly once.
type Process struct {
	cmd   *exec.Cmd
	dir   string
	ended chan struct{} // closed when err is set
	err   error         // what Wait returned
}

// accessLog is the log of a server, in its folder.
const accessLog = "access.log"

// StartProcess starts a server whose folder is dir, and waits until it accepts
// on all ports. Without a request nothing is logged. What it writes to standard
// output is added to access.log in that folder, standard error to stderr.log; it
// may write an error.log of its own.
func StartProcess(cmd *exec.Cmd, dir string, ports ...int) (*Process, error) {
	p := &Process{cmd: cmd, dir: dir, ended: make(chan struct{})}
	stdout, err := openLog(dir, accessLog)
	if err != nil {
		return nil, err
	}
	defer stdout.Close() // the child has its own
	stderr, err := openLog(dir, "stderr.log")
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.wait()
	if err := p.waitReady(ports); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func openLog(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}

// wait reaps the server.
func (p *Process) wait() {
	p.err = p.cmd.Wait()
	close(p.ended)
}

// waitReady connects until the server accepts.
func (p *Process) waitReady(ports []int) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case <-p.ended:
			log := p.errors()
			if bytes.Contains(log, []byte("ddress already in use")) {
				return ErrPortTaken
			}
			return fmt.Errorf("%s has ended: %v\n%s", p.cmd, p.err, log)
		default:
		}
		if allAccept(ports) {
			return nil
		}
	}
	return fmt.Errorf("%s does not listen within %v\n%s", p.cmd, patience, p.errors())
}

func allAccept(ports []int) bool {
	for _, port := range ports {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false
		}
		conn.Close()
	}
	return true
}

// errors is what the server has complained of.
func (p *Process) errors() []byte {
	var all []byte
	for _, name := range []string{"stderr.log", "error.log"} {
		text, _ := os.ReadFile(filepath.Join(p.dir, name)) // not every server has both
		all = append(all, text...)
	}
	return all
}

// Finish ends the server with a signal that lets it finish what it has begun.
func (p *Process) Finish(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.cmd, err, p.errors())
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.Stop()
		return fmt.Errorf("%s does not end within %v of signal %v\n%s", p.cmd, patience, signal, p.errors())
	}
	if p.err != nil {
		return fmt.Errorf("%s: %w\n%s", p.cmd, p.err, p.errors())
	}
	return nil
}

// Stop ends the server with its children at once, when nobody has yet.
func (p *Process) Stop() {
	select {
	case <-p.ended:
		return
	default:
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // reaches their children through them
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}
