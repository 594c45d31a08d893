package session

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/record"
)

func TestProgress(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1)
	check := func(want Progress) {
		t.Helper()
		state := s.State()
		// Each measurement takes 1 s + 3 s, and 2.5 s of overhead.
		want.Rounds, want.Left = 2, time.Duration(want.Total-want.Done)*6500*time.Millisecond
		if got := ProgressOf(s.Plan, &state); got != want {
			t.Errorf("progress %+v, want %+v", got, want)
		}
	}
	check(Progress{Round: 1, Total: 16}) // 2 rounds x 2 runs x 2 variants x 2 scenarios
	measure(t, s, order[0], nil)
	measure(t, s, order[1], func(m *record.Measurement) { m.State, m.Reason = record.Invalid, "3 errors" })
	begin(t, s, order[2])
	check(Progress{Round: 1, Total: 16, Done: 2, Invalid: 1, Doing: "round 1, run 1, el8, static-small"})
	s, _ = recovered(t, s, bootA) // the cut half takes its partner with it
	check(Progress{Round: 1, Total: 16, Done: 1, Invalid: 1})
	s, _ = recovered(t, s, bootB)
	check(Progress{Total: 16})
	if err := s.StartRound(1, order[:3], ""); err != nil { // five cannot be measured here, nor in round 2
		t.Fatal(err)
	}
	check(Progress{Round: 1, Total: 6})

	text := Progress{Round: 2, Rounds: 3, Done: 41, Total: 240, Invalid: 1, Doing: "round 2, run 1, el8, proxy", Left: 83*time.Minute + 200*time.Millisecond}.String()
	if want := "round 2 of 3, 41 of 240 measurements, 1 invalid, now round 2, run 1, el8, proxy, about 1h23m0s left"; text != want {
		t.Errorf("told %q, want %q", text, want)
	}
}

// Of two that take turns each has half of the window, and both are under way together.
func TestProgressOfTurns(t *testing.T) {
	s := started(t, "id")
	s.Plan.Interleave = record.InterleaveSliced
	for _, variant := range []string{"rc1-11", "el8"} {
		k := orderOf(s.Plan, 1)[0]
		k.Variant = variant
		begin(t, s, k)
	}
	state := s.State()
	p := ProgressOf(s.Plan, &state)
	// 16 measurements of 1 s + 3 s / 2, and 0.5 s beside them: 3 s each.
	if p.Left != 16*3*time.Second || !strings.HasPrefix(p.Doing, "round 1, run 1, ") || !strings.Contains(p.Doing, ", static-small in turns with ") {
		t.Errorf("%+v", p)
	}
}

// ownerOf is what a process would say of itself.
func ownerOf(t *testing.T, pid int) *Owner {
	t.Helper()
	o := self(t)
	stat, err := procfs.NewFS("/proc").Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	o.PID, o.Start = pid, stat.Start
	return &o
}

// Only the very process is signalled.
func TestStopOwner(t *testing.T) {
	cmd, _ := startRole(t, "idle")
	owner := ownerOf(t, cmd.Process.Pid)
	for name, change := range map[string]func(*Owner){
		"another start": func(o *Owner) { o.Start -= 10 * time.Millisecond },
		"another boot":  func(o *Owner) { o.BootID = "0" },
	} {
		other := *owner
		change(&other)
		if err := StopOwner("/proc", &other); !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v, want it ended", name, err)
		}
	}
	elsewhere := *owner
	elsewhere.PIDNamespace = "pid:[1]"
	if err := StopOwner("/proc", &elsewhere); err == nil || !strings.Contains(err.Error(), "cannot be told") {
		t.Errorf("another namespace: %v", err)
	}
	if live := owner.Liveness("/proc"); live != Running {
		t.Fatalf("it is %v after others were to be stopped", live)
	}
	if err := StopOwner("/proc", owner); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("it ended by %v, want SIGTERM", err)
	}
	if err := StopOwner("/proc", owner); !errors.Is(err, ErrEnded) {
		t.Errorf("stopped again: %v", err)
	}
	if live := owner.Liveness("/proc"); live != Ended {
		t.Errorf("it is %v", live)
	}
}

// A process that ended and was not reaped has ended.
func TestZombieHasEnded(t *testing.T) {
	cmd, _ := startRole(t, "idle")
	owner := ownerOf(t, cmd.Process.Pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); owner.Liveness("/proc") != Ended; {
		if time.Now().After(deadline) {
			t.Fatalf("it is %v", owner.Liveness("/proc"))
		}
	}
}
