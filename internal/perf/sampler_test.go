package perf

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/profile"
)

// A thread that spins is what is seen while sampling is enabled, by its name.
func TestSampler(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	s, err := FindSampler(t.Context(), allowed.String(), 997)
	var reason *Unavailable
	if errors.As(err, &reason) {
		t.Skip(reason)
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "perf.data")
	r, err := s.Record(t.Context(), allowed.String(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Enable(t.Context()); err != nil {
		t.Fatal(err)
	}
	spun := spinFor(300 * time.Millisecond)
	if err := r.Disable(t.Context()); err != nil {
		t.Fatal(err)
	}
	own, spins := 0, 0
	event, _, err := r.End(t.Context(), func(sample profile.Sample) {
		if sample.PID != os.Getpid() {
			return
		}
		own++
		if leaf := sample.Stack[0]; !leaf.Kernel { // the clock is in the vDSO
			spins++ // go test leaves its binary no names
		}
	})
	// Others may have had the CPUs; a tenth of 300 samples is there on any host.
	if err != nil || event == "" || own < 30 || spins < own/2 {
		t.Errorf("%d of our samples, %d of them in the loop (%d turns), event %q: %v", own, spins, spun, event, err)
	}
}

// spinFor keeps a CPU busy.
func spinFor(d time.Duration) (turns int) {
	for end := time.Now().Add(d); time.Now().Before(end); turns++ {
	}
	return turns
}

// Where there is no perf, or one that refuses, the reason says so on one line.
func TestFindSampler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var reason *Unavailable
	if _, err := FindSampler(t.Context(), "0", 997); !errors.As(err, &reason) || !strings.Contains(reason.Reason, "no perf") {
		t.Errorf("none: %v", err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf 'Error:\\nAccess to performance monitoring and observability operations is limited.\\n' >&2\nexit 255\n"
	if err := os.WriteFile(dir+"/perf", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	want := "perf cannot sample CPUs: Access to performance monitoring and observability operations is limited."
	if _, err := FindSampler(t.Context(), "0", 997); !errors.As(err, &reason) || reason.Reason != want {
		t.Errorf("refused: %v, want %s", err, want)
	}
	// Without callers where the kernel gives none.
	script = "#!/bin/sh\ncase \"$*\" in *-g*) exit 1;; esac\n"
	if err := os.WriteFile(dir+"/perf", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if s, err := FindSampler(t.Context(), "0", 997); err != nil || s.Stacks {
		t.Errorf("%+v, %v, want one without stacks", s, err)
	}
}
