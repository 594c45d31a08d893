package integration

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/bench/integration/servers"
)

// patience bounds every wait for another process.
const patience = 10 * time.Second

// nginx is a running server with one worker and a log of its own.
type nginx struct {
	url     string // without a trailing slash
	dir     string // its prefix
	process *servers.Process
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
	program := servers.FindProgram(t, "nginx", "apt-get install nginx-light")
	for range 3 { // a free port may be taken before nginx has it
		n, err := tryNginx(t, program)
		if err == nil {
			t.Cleanup(n.process.Stop)
			return n
		}
		if !errors.Is(err, servers.ErrPortTaken) {
			t.Fatal(err)
		}
	}
	t.Fatal(servers.ErrPortTaken)
	return nil
}

func tryNginx(t *testing.T, program string) (n *nginx, err error) {
	free, err := servers.FreePorts(1)
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(free[0])
	n = &nginx{url: "http://127.0.0.1:" + port, dir: t.TempDir()}
	if err := n.writeFiles(port); err != nil {
		return nil, err
	}
	globals := "daemon off;"
	if os.Geteuid() == 0 {
		globals += " user root;" // or its worker could not read below t.TempDir
	}
	command := exec.Command(program, "-p", n.dir, "-e", "error.log", "-c", "nginx.conf", "-g", globals)
	n.process, err = servers.StartProcess(command, n.dir, free...)
	return n, err
}

func (n *nginx) writeFiles(port string) error {
	template, err := os.ReadFile("../configs/nginx/nginx.conf")
	if err != nil {
		return err
	}
	www := filepath.Join(n.dir, "www")
	return errors.Join(
		os.WriteFile(filepath.Join(n.dir, "nginx.conf"), bytes.ReplaceAll(template, []byte("PORT"), []byte(port)), 0o644),
		os.Mkdir(www, 0o755),
		os.WriteFile(filepath.Join(www, smallPath), bytes.Repeat([]byte("0123456789abcde\n"), smallBytes/16), 0o644),
		os.WriteFile(filepath.Join(www, largePath), bytes.Repeat([]byte("0123456789abcde\n"), largeBytes/16), 0o644),
	)
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
	if err := n.process.Finish(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
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
