package serverproc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/procfs"
)

// patience bounds every wait for another process.
const patience = 10 * time.Second

// Roles of this test binary, as its first argument.
const (
	roleSupervise = "role:supervise"
	roleServe     = "role:serve"  // ADDR: a web server
	roleExit      = "role:exit"   // CODE TEXT: says the text and ends
	roleStay      = "role:stay"   // says its PID and stays
	roleDeaf      = "role:deaf"   // the same, and does not end by SIGTERM
	roleStdin     = "role:stdin"  // ends with its standard input
	roleDaemon    = "role:daemon" // leaves a child in a session of its own and ends
	roleParent    = "role:parent" // has such a child and stays
	roleDriver    = "role:driver" // DIR: starts a parent as a server, and stays
	roleBurn      = "role:burn"   // uses 60 ms of CPU
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the processes that are started
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "role:") {
		if err := play(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leaktest.Main(m, "os/signal.loop", "os/signal.signal_recv"))
}

func play(role string, args []string) error {
	switch role {
	case roleSupervise:
		return Supervise(os.Stdin, os.Stdout)
	case roleServe:
		return serve(args[0])
	case roleExit:
		fmt.Fprintln(os.Stderr, args[1])
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case roleDeaf:
		signal.Ignore(syscall.SIGTERM)
		return stay()
	case roleStay:
		return stay()
	case roleStdin:
		fmt.Println("listening http://127.0.0.1:1")
		_, err := bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Println("end of stdin:", err)
	case roleDaemon:
		return leaveChild()
	case roleParent:
		return errors.Join(leaveChild(), stay())
	case roleDriver:
		return drive(args[0])
	case roleBurn:
		burn(60 * time.Millisecond)
	}
	return nil
}

func stay() error {
	fmt.Println("pid", os.Getpid())
	time.Sleep(time.Minute) // the test that started it ends it long before
	return nil
}

// leaveChild starts a process that does not end by SIGTERM, and that no group and no
// session ties to this one.
func leaveChild() error {
	cmd := exec.Command(os.Args[0], roleDeaf)
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

func drive(dir string) error {
	env, err := Environment{Set: []string{"GORACE=atexit_sleep_ms=0"}, Session: "driven"}.List()
	if err != nil {
		return err
	}
	s, err := Start(context.Background(), Spec{
		Name: "driven", Command: []string{os.Args[0], roleParent}, Env: env,
		Stdout: filepath.Join(dir, "driven.log"), Stderr: filepath.Join(dir, "driven.log"),
		Supervisor: []string{os.Args[0], roleSupervise},
	})
	if err != nil {
		return err
	}
	fmt.Println("supervisor", s.supervisor.Process.Pid)
	return stay()
}

// burn uses CPU time, not time: a machine that is shared may have little of it.
func burn(d time.Duration) {
	used := func() time.Duration {
		var ru syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
		return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	for from := used(); used()-from < d; {
	}
}

// serve answers "fine" on a port that it shares with whoever wants. /burn has a child
// use CPU time.
func serve(addr string) error {
	l, err := listenShared(addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "fine") })
	mux.HandleFunc("/missing", http.NotFound)
	mux.HandleFunc("/burn", func(w http.ResponseWriter, r *http.Request) {
		if err := exec.Command(os.Args[0], roleBurn).Run(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	return http.Serve(l, mux)
}

func listenShared(addr string) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		if controlErr := raw.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); controlErr != nil {
			return controlErr
		}
		return err
	}}
	return config.Listen(context.Background(), "tcp", addr)
}

// self is the path of this test binary.
func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// freePort is one of 127.0.0.1 that nobody listens at now.
func freePort(t *testing.T) Port {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return Port{procfs.TCP, netip.MustParseAddrPort(l.Addr().String())}
}

// testSpec starts this test binary in a role.
func testSpec(t *testing.T, command ...string) Spec {
	t.Helper()
	env, err := Environment{Host: os.Environ(), Set: []string{"GORACE=atexit_sleep_ms=0"}, Session: "test", Seed: 1}.List()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return Spec{
		Name: "tested", Command: append([]string{self(t)}, command...), Env: env,
		Stdout: filepath.Join(dir, "stdout.log"), Stderr: filepath.Join(dir, "stderr.log"),
		Supervisor: []string{self(t), roleSupervise},
	}
}

func start(t *testing.T, spec Spec) *Server {
	t.Helper()
	s, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop(context.Background(), 0) }) // a test that ends early
	return s
}

// serveAt starts the web server and waits until it is ready.
func serveAt(t *testing.T, port Port) *Server {
	t.Helper()
	spec := testSpec(t, roleServe, port.Addr.String())
	spec.Ports = []Port{port}
	s := start(t, spec)
	await(t, s, port)
	return s
}

func await(t *testing.T, s *Server, port Port) {
	t.Helper()
	if err := s.AwaitReady(t.Context(), Ready{URL: "http://" + port.Addr.String() + "/ok", Body: []byte("fine")}); err != nil {
		t.Fatal(err)
	}
}

func subjectOf(t *testing.T, s *Server, ports ...Port) Subject {
	t.Helper()
	subject, err := s.Subject(ports)
	if err != nil {
		t.Fatal(err)
	}
	return subject
}

// eventually polls until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// saidPIDs are the numbers of processes that have said "pid N" in a log.
func saidPIDs(t *testing.T, log string) (pids []int) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var pid int
		if n, _ := fmt.Sscanf(line, "pid %d\n", &pid); n == 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

func isGone(pid int) bool {
	stat, err := procfs.NewFS(procDir).Stat(pid)
	return errors.Is(err, procfs.ErrGone) || err == nil && isZombie(stat)
}
