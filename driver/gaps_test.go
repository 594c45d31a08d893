package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// needy is ab with a scenario that needs a program which most hosts have not.
var needy = strings.Replace(ab, "{name: large, url: /large,", "{name: large, url: /large, programs: [seldom-there],", 1)

// withProgram puts a program of that name in the search path, and returns how to remove it.
func withProgram(t *testing.T, name string) (remove func()) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// What is installed while a session is stopped does not give it more rows: the runs that
// are there have none of them.
func TestGapsOfResumed(t *testing.T) {
	l := interrupted(t, needy)
	withProgram(t, "seldom-there")
	outcome, err := l.resume(t.Context(), Order{})
	// 2 runs of 2 variants of small; large as often.
	if err != nil || outcome.Sessions[0].Valid != 4 || outcome.Sessions[0].NotRun != 4 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	for _, m := range l.round(t, 1).Measurements {
		if m.Scenario == "large" && (m.State != record.NotRun || m.Reason != "this host has no seldom-there") {
			t.Errorf("%s: %s %q", m.Variant, m.State, m.Reason)
		}
	}
}

// What is removed meanwhile makes it refuse, with what is lacking.
func TestGoneSince(t *testing.T) {
	remove := withProgram(t, "seldom-there")
	l := interrupted(t, needy)
	remove()
	_, err := l.resume(t.Context(), Order{})
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "base: by now this host has no seldom-there") {
		t.Errorf("%v", err)
	}
}

// Sessions of earlier versions have no such file, and what is lacking now.
func TestGapsOfOldSession(t *testing.T) {
	l := interrupted(t, needy)
	if err := os.Remove(filepath.Join(l.sessionDir(), gapsFile)); err != nil {
		t.Fatal(err)
	}
	if outcome, err := l.resume(t.Context(), Order{}); err != nil || outcome.Sessions[0].NotRun != 4 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// A server that comes or goes meanwhile makes it another plan, and is told by its name.
func TestServerComesOrGoes(t *testing.T) {
	text := strings.Replace(ab, "command: [sh, new]", "command: [seldom-there]", 1)
	begun := func(t *testing.T) *lab {
		t.Helper()
		l := newLab(t, map[string]string{"ab": text})
		ctx, cancel := context.WithCancelCause(t.Context())
		l.fake.onMeasure = cancelAt(cancel, "base", "large")
		if _, err := l.run(ctx, l.order("ab")); err == nil {
			t.Fatal("it was not interrupted")
		}
		l.fake.onMeasure = nil
		return l
	}
	t.Run("comes", func(t *testing.T) {
		l := begun(t)
		withProgram(t, "seldom-there")
		if _, err := l.resume(t.Context(), Order{}); err == nil || !strings.HasSuffix(err.Error(), "seldom-there, was not there when the session began") {
			t.Errorf("%v", err)
		}
	})
	t.Run("goes", func(t *testing.T) {
		remove := withProgram(t, "seldom-there")
		l := begun(t)
		remove()
		if _, err := l.resume(t.Context(), Order{}); err == nil || !strings.HasSuffix(err.Error(), "seldom-there, is not there any more") {
			t.Errorf("%v", err)
		}
	})
}
