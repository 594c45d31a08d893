package integration

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for another process.
const patience = 10 * time.Second

// nginx is a running server with one worker and a log of its own.
type nginx struct {
	url    string // without a trailing slash
	dir    string // its prefix
	master *exec.Cmd
	ended  chan error // what Wait returned
	quit   bool
}

// The files it serves, by path.
const (
	smallPath, smallBytes = "/static-small", 1 << 10
	largePath, largeBytes = "/static-1m", 1 << 20
	slowPath              = "/slow" // static-1m in some seconds
	heldPath              = "/held" // static-small, one a second
)

// startNginx starts the distribution's nginx as the current user, with the
// configuration in bench/configs/nginx and its files below a temporary prefix.
func startNginx(t *testing.T) *nginx {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: starts nginx")
	}
	program := findProgram(t, "nginx", "apt-get install nginx-light")
	for range 3 { // a free port may be taken before nginx has it
		n, err := tryNginx(t, program)
		if err == nil {
			return n
		}
		if !errors.Is(err, errPortTaken) {
			t.Fatal(err)
		}
	}
	t.Fatal(errPortTaken)
	return nil
}

// findProgram skips the test when a program is not installed. Those of the
// system's administrator are not in everybody's PATH.
func findProgram(t *testing.T, name, install string) string {
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

var errPortTaken = errors.New("nginx: port taken")

func tryNginx(t *testing.T, program string) (*nginx, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().(*net.TCPAddr)
	listener.Close()
	n := &nginx{url: "http://" + address.String(), dir: t.TempDir(), ended: make(chan error, 1)}
	if err := n.writeFiles(address.Port); err != nil {
		return nil, err
	}
	globals := "daemon off;"
	if os.Geteuid() == 0 {
		globals += " user root;" // or its worker could not read below t.TempDir
	}
	n.master = exec.Command(program, "-p", n.dir, "-e", "error.log", "-c", "nginx.conf", "-g", globals)
	if err := n.master.Start(); err != nil {
		return nil, err
	}
	go func() { n.ended <- n.master.Wait() }()
	t.Cleanup(n.stop)
	return n, n.waitReady(address.String())
}

func (n *nginx) writeFiles(port int) error {
	template, err := os.ReadFile("../configs/nginx/nginx.conf")
	if err != nil {
		return err
	}
	www := filepath.Join(n.dir, "www")
	return errors.Join(
		os.WriteFile(filepath.Join(n.dir, "nginx.conf"), bytes.ReplaceAll(template, []byte("PORT"), []byte(strconv.Itoa(port))), 0o644),
		os.Mkdir(www, 0o755),
		os.WriteFile(filepath.Join(www, smallPath), bytes.Repeat([]byte("0123456789abcde\n"), smallBytes/16), 0o644),
		os.WriteFile(filepath.Join(www, largePath), bytes.Repeat([]byte("0123456789abcde\n"), largeBytes/16), 0o644),
	)
}

// waitReady connects until nginx accepts. Without a request nothing is logged.
func (n *nginx) waitReady(address string) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-n.ended:
			n.quit = true
			log, _ := os.ReadFile(filepath.Join(n.dir, "error.log"))
			if bytes.Contains(log, []byte("Address already in use")) {
				return errPortTaken
			}
			return fmt.Errorf("nginx: %w\n%s", err, log)
		default:
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("nginx does not listen within %v", patience)
}

// stop ends nginx when a test has not.
func (n *nginx) stop() {
	if !n.quit {
		n.quit = true
		_ = n.master.Process.Signal(syscall.SIGTERM) // ends its worker too
		<-n.ended
	}
}

// logLine is what nginx says of one request: log_format outcome.
type logLine struct {
	status       int
	bodyBytes    int64
	ofConnection int // which request of its connection, from 1
	path         string
}

type accessLog []logLine

// finish lets nginx end what it has begun, and returns its log, whole.
func (n *nginx) finish(t *testing.T) accessLog {
	t.Helper()
	n.quit = true
	if err := n.master.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-n.ended:
		if err != nil {
			t.Fatalf("nginx: %v", err)
		}
	case <-time.After(patience):
		_ = n.master.Process.Signal(syscall.SIGTERM)
		t.Fatalf("nginx does not quit within %v: %v", patience, <-n.ended)
	}
	return n.log(t)
}

// log reads the log as far as it is written.
func (n *nginx) log(t *testing.T) (log accessLog) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, "access.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var l logLine
		if _, err := fmt.Sscanf(line, "%d %d %d %s\n", &l.status, &l.bodyBytes, &l.ofConnection, &l.path); err != nil {
			t.Fatalf("access log, line %d, %q: %v", len(log)+1, line, err)
		}
		log = append(log, l)
	}
	return log
}

// count returns how many lines have a property.
func (l accessLog) count(has func(logLine) bool) (n uint64) {
	for _, line := range l {
		if has(line) {
			n++
		}
	}
	return n
}

func (l accessLog) withStatus(status int) uint64 {
	return l.count(func(line logLine) bool { return line.status == status })
}

func (l accessLog) bodyBytes() (n uint64) {
	for _, line := range l {
		n += uint64(line.bodyBytes)
	}
	return n
}
