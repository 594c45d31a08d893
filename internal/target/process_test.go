package target

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// becomeServers makes this test binary a server when it is started by the test.
// With the race detector in it, it would also sleep a second at its end.
func becomeServers(t *testing.T) {
	t.Helper()
	t.Setenv(serveEnv, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
}

// startSelf starts this test binary as a server on one CPU.
func startSelf(t *testing.T) (*Process, cpuset.Set) {
	t.Helper()
	becomeServers(t)
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	one, err := cpuset.Of(allowed.CPUs()[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(context.Background(), os.Args[0], nil, one, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return p, one
}

func TestProcessIsPinnedAndServes(t *testing.T) {
	p, one := startSelf(t)
	response, err := http.Get(p.URL + "/ok")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("status %d", response.StatusCode)
	}
	if got, err := procfs.NewFS("/proc").Allowed(p.PID()); err != nil || got != one {
		t.Errorf("runs on CPUs %s, %v, want %s", got, err, one)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("after Stop: %v, want no such process", err)
	}
}

func TestProcessThatSaysSomethingElse(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(context.Background(), "/bin/sh", []string{"-c", "echo hello; exit 3"}, allowed, os.Stderr)
	if err == nil || !strings.Contains(err.Error(), `"hello\n"`) {
		t.Errorf("got %v", err)
	}
	_, err = Start(context.Background(), "/no/such/program", nil, allowed, os.Stderr)
	if err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
}

func TestProcessNotWaitedForAfterCancel(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// cat ends with its stdin, as a server does, and never says that it listens.
	if _, err := Start(ctx, "/bin/cat", nil, allowed, os.Stderr); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
