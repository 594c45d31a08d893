package serverproc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/cpuset"
)

// What the spec says is true of the process.
func TestStartedAsSpecified(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	one, err := cpuset.Of(allowed.CPUs()[0])
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	spec := testSpec(t, roleServe, port.Addr.String())
	spec.Dir, spec.CPUs, spec.Ports = t.TempDir(), one, []Port{port}
	t.Setenv("SCALBENCH_TEST_SECRET", "not for servers")
	s := start(t, spec)
	await(t, s, port)

	seen, err := NewObserver(procDir).Observe(subjectOf(t, s, port))
	if err != nil {
		t.Fatal(err)
	}
	expect, err := Expect{
		Exe: self(t), UID: UIDRule{UIDExactly, os.Geteuid()}, Argv: spec.Command, Processes: 1, CPUs: one, Ports: []Port{port},
	}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if wrong := Check(expect, seen); len(wrong) > 0 {
		t.Errorf("violations %v", wrong)
	}
	for _, f := range Findings(expect, seen) {
		if f.NA != "" {
			t.Errorf("%s is n/a: %s", f.Trait, f.NA)
		}
	}
	if got := seen.Server.Env; !got.Known() || !slices.Equal(got.Value, spec.Env) {
		t.Errorf("environment %v\nwant %q", got, spec.Env)
	}
	if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.PID())); err != nil || dir != spec.Dir {
		t.Errorf("working directory %q, %v, want %q", dir, err, spec.Dir)
	}
	if group, err := unix.Getpgid(s.PID()); err != nil || group != s.PID() {
		t.Errorf("process group %d, %v, want its own, %d", group, err, s.PID())
	}
	// Of the descriptors of the supervisor it has the three that are its own, and what
	// the runtime and the listener need.
	for _, fd := range []string{"0", "1", "2"} {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", s.PID(), fd))
		want := map[string]string{"0": os.DevNull, "1": spec.Stdout, "2": spec.Stderr}[fd]
		if err != nil || link != want {
			t.Errorf("descriptor %s is %q, %v, want %q", fd, link, err, want)
		}
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if link, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", s.PID(), e.Name())); strings.HasPrefix(link, "pipe:") {
			t.Errorf("descriptor %s is %s: it would keep the supervisor waiting", e.Name(), link)
		}
	}

	stopped, err := s.Stop(t.Context(), patience)
	if err != nil || stopped.Before || len(stopped.Killed) > 0 || stopped.Exit != (Exit{Signal: syscall.SIGTERM}) {
		t.Errorf("stopped %+v, %v, want the end by SIGTERM alone", stopped, err)
	}
	if again, err := s.Stop(t.Context(), 0); err != nil || again.Exit != stopped.Exit {
		t.Errorf("stopped again: %+v, %v", again, err)
	}
	if err := syscall.Kill(s.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("after Stop: %v, want no such process", err)
	}
	if _, err := s.Tree(); err == nil {
		t.Error("there is a tree after Stop")
	}
}

// A server begins with the soft limit that it is given, and may raise it up to the hard one,
// as programs in Go do by themselves.
func TestLimitOfFiles(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	hard := strconv.FormatUint(limit.Max, 10)
	if limit.Max == unix.RLIM_INFINITY {
		hard = "unlimited"
	}
	spec := testSpec(t)
	spec.Command, spec.NofileMax = []string{"sh", "-c", "ulimit -Sn; ulimit -Hn; exec sleep 60"}, 300
	start(t, spec)
	eventually(t, "it says its limits", func() bool {
		said, err := os.ReadFile(spec.Stdout)
		return err == nil && string(said) == "300\n"+hard+"\n"
	})
}

func TestCannotBeStarted(t *testing.T) {
	limit := unix.Rlimit{}
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	existing := filepath.Join(t.TempDir(), "there.log")
	if err := os.WriteFile(existing, []byte("of yesterday"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*Spec)
		want   string
		asRoot bool // root can do it
	}{
		{"no program", func(s *Spec) { s.Command[0] = "/no/such/program" }, "/no/such/program", false},
		{"not in PATH", func(s *Spec) { s.Command[0] = "no-such-program" }, "no-such-program", false},
		{"no directory", func(s *Spec) { s.Dir = "/no/such/dir" }, "no such file or directory", false},
		{"log is there", func(s *Spec) { s.Stderr = existing }, "file exists", false},
		{"no user", func(s *Spec) { s.User = "nobody-called-that" }, "nobody-called-that", false},
		{"another user", func(s *Spec) { s.User = "4242" }, "only root can start a process as another user", true},
		{"too many files", func(s *Spec) { s.NofileMax = limit.Max + 1 }, "only root may raise the hard limit", true},
		{"no supervisor", func(s *Spec) { s.Supervisor = []string{"/no/such/supervisor"} }, "/no/such/supervisor", false},
		{"supervisor is another program", func(s *Spec) { s.Supervisor = []string{"/bin/sh", "-c", "echo nonsense; echo oops >&2; exit 3"} }, "oops", false},
		{"several", func(s *Spec) { s.Name, s.NofileMax, s.Env = "", 3, []string{"x"} }, "KEY=value", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.asRoot && os.Geteuid() == 0 {
				t.Skip("root is allowed what is refused here; TestAsOrdinaryUser asks for it")
			}
			spec := testSpec(t, roleStay)
			test.change(&spec)
			s, err := Start(t.Context(), spec)
			if err == nil {
				_, _ = s.Stop(t.Context(), 0)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if text, err := os.ReadFile(existing); err != nil || string(text) != "of yesterday" {
		t.Errorf("the log of yesterday is %q, %v", text, err)
	}
}

// A server that ends is not waited for, and says why.
func TestEndsBeforeReady(t *testing.T) {
	s := start(t, testSpec(t, roleExit, "3", "bind: Address already in use"))
	err := s.AwaitReady(t.Context(), Ready{URL: "http://127.0.0.1:1/", Timeout: time.Hour})
	for _, want := range []string{`server "tested"`, "it has ended (exit status 3)", "\n  bind: Address already in use"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	stopped, err := s.Stop(t.Context(), patience)
	if err != nil || !stopped.Before || stopped.Exit != (Exit{Code: 3}) {
		t.Errorf("stopped %+v, %v, want its end before", stopped, err)
	}
}

// Whoever answers, it is not the server that has ended.
func TestEndedWhileAnotherAnswers(t *testing.T) {
	port := freePort(t)
	serveAt(t, port)
	s := start(t, testSpec(t, roleExit, "1", "gone"))
	<-s.Exited()
	if err := s.AwaitReady(t.Context(), Ready{URL: "http://" + port.Addr.String()}); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("got %v", err)
	}
}

func TestIgnoresSIGTERM(t *testing.T) {
	spec := testSpec(t, roleDeaf)
	s := start(t, spec)
	eventually(t, "it says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	stopped, err := s.Stop(t.Context(), 30*time.Millisecond)
	if err != nil || stopped.Exit.Signal != syscall.SIGKILL || len(stopped.Killed) != 1 || stopped.Killed[0].PID != s.PID() {
		t.Errorf("stopped %+v, %v, want the server killed", stopped, err)
	}
}

// An end of the context is an end of the grace.
func TestStopWithoutPatience(t *testing.T) {
	spec := testSpec(t, roleDeaf)
	s := start(t, spec)
	eventually(t, "it says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if stopped, err := s.Stop(ctx, time.Hour); err != nil || stopped.Exit.Signal != syscall.SIGKILL {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
}

// A child in a session of its own, whose parent has ended, belongs to the tree.
func TestDaemonIsFoundAndEnded(t *testing.T) {
	spec := testSpec(t, roleDaemon)
	s := start(t, spec)
	<-s.Exited()
	eventually(t, "the child says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	child := saidPIDs(t, spec.Stdout)[0]
	if tree, err := s.Tree(); err != nil || !slices.Equal(tree, []int{child}) {
		t.Errorf("tree %d, %v, want %d", tree, err, child)
	}
	stopped, err := s.Stop(t.Context(), 0)
	if err != nil || len(stopped.Killed) != 1 || stopped.Killed[0].PID != child {
		t.Errorf("stopped %+v, %v, want %d killed", stopped, err, child)
	}
	if err := syscall.Kill(child, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("child after Stop: %v", err)
	}
}

// Nothing is left of a driver that was killed.
func TestDriverKilled(t *testing.T) {
	dir := t.TempDir()
	driver := exec.Command(self(t), roleDriver, dir)
	driver.Stderr = os.Stderr
	out, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	var supervisor int
	if _, err := fmt.Fscanf(bufio.NewReader(out), "supervisor %d\n", &supervisor); err != nil {
		t.Error(err)
	}
	log := filepath.Join(dir, "driven.log")
	eventually(t, "server and child say their pids", func() bool { return len(saidPIDs(t, log)) == 2 })
	pids := append(saidPIDs(t, log), supervisor)
	for _, pid := range pids {
		if isGone(pid) {
			t.Fatalf("process %d is gone before its driver", pid)
		}
	}
	if err := driver.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = driver.Wait() // killed
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return isGone(pid) })
	}
}

// A supervisor that was killed takes the server with it, and Stop says that more may be
// left.
func TestSupervisorKilled(t *testing.T) {
	spec := testSpec(t, roleDeaf)
	s := start(t, spec)
	eventually(t, "it says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	if err := s.supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is gone", func() bool { return isGone(s.PID()) })
	if _, err := s.Stop(t.Context(), patience); err == nil || !strings.Contains(err.Error(), "its supervisor has ended") {
		t.Errorf("got %v", err)
	}
}

// A supervisor that is asked to end by anybody ends its server first.
func TestSupervisorTerminated(t *testing.T) {
	spec := testSpec(t, roleDeaf)
	s := start(t, spec)
	eventually(t, "it says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	if err := s.supervisor.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.Exited()
	if stopped, err := s.Stop(t.Context(), 0); err != nil || !stopped.Before || stopped.Exit.Signal != syscall.SIGKILL {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
}

func TestStdinAndListening(t *testing.T) {
	spec := testSpec(t, roleStdin)
	s := start(t, spec)
	<-s.Exited() // /dev/null has ended at once
	if _, err := s.AwaitListening(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "it has ended (exit status 0)") {
		t.Errorf("got %v", err)
	}

	spec = testSpec(t, roleStdin)
	spec.StdinOpen = true
	s = start(t, spec)
	if url, err := s.AwaitListening(t.Context(), 0); err != nil || url != "http://127.0.0.1:1" {
		t.Errorf("listens at %q, %v", url, err)
	}
	if stopped, err := s.Stop(t.Context(), patience); err != nil || stopped.Before {
		t.Errorf("stopped %+v, %v, want that it lived until then", stopped, err)
	}

	s = start(t, testSpec(t, roleStay))
	if _, err := s.AwaitListening(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "instead of where it listens") {
		t.Errorf("another first line: %v", err)
	}
}
