package driver

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/host"
)

// A signal stops the variant, the session says so, and resumed it comes to its end: the
// pair that was cut is measured again.
func TestInterruptedAndResumed(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	ctx, cancel := context.WithCancelCause(t.Context())
	l.fake.onMeasure = cancelAt(cancel, "new", "small")
	outcome, err := l.run(ctx, l.order("ab"))
	if err == nil || outcome.Sessions[0].Stopped != "interrupt" || l.fake.running != "" {
		t.Fatalf("%+v, %v, %q runs", outcome, err, l.fake.running)
	}
	if again, err := l.run(t.Context(), l.order("ab")); !errors.Is(err, ErrBusy) || len(again.Sessions) != 0 {
		t.Errorf("the same plan again: %+v, %v", again, err)
	}
	l.fake.log, l.fake.onMeasure = nil, nil
	outcome, err = l.resume(t.Context(), Order{})
	if err != nil || outcome.Sessions[0].Valid != 8 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	want := []string{"start base", "measure base small", "stop base", "start new", "measure new small", "measure new large", "stop new"}
	if diff := cmp.Diff(want, l.fake.log[:7]); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	if !slices.ContainsFunc(l.said, func(line string) bool {
		return line == "measuring again 2 of round 1, run 1, in the middle of which the session ended: the two halves of a pair lie in one window"
	}) {
		t.Errorf("said %q", l.said)
	}
	if _, err := l.resume(t.Context(), Order{}); !errors.Is(err, ErrFinished) {
		t.Errorf("resumed once more: %v", err)
	}
}

// A session that goes on much later measures both halves of each open pair again: one of
// them would be hours older than the other.
func TestResumedLater(t *testing.T) {
	l := interrupted(t, ab) // base has both scenarios, and small of new was cut
	l.at += 3600e9
	wantBothHalvesAgain(t, l)
}

// So does one that goes on at once, on a host that becomes quiet an hour later.
func TestResumedAndQuietLater(t *testing.T) {
	l := interrupted(t, strings.Replace(ab, "varies:", "quiet: {load1: 2, timeout: 2h}\nvaries:", 1))
	l.rig.waitQuiet = func(context.Context, host.Condition, func(string)) (host.Wait, error) {
		l.at += 3600e9
		return host.Wait{Quiet: true}, nil
	}
	wantBothHalvesAgain(t, l)
}

// wantBothHalvesAgain resumes an interrupted session of ab and wants nothing of its pairs
// from before.
func wantBothHalvesAgain(t *testing.T, l *lab) {
	t.Helper()
	l.fake.log = nil
	outcome, err := l.resume(t.Context(), Order{})
	if err != nil || outcome.Sessions[0].Valid != 8 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	want := []string{"start base", "measure base small", "measure base large", "stop base", "start new", "measure new small", "measure new large", "stop new"}
	if diff := cmp.Diff(want, l.fake.log[:8]); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	if !slices.ContainsFunc(l.said, func(line string) bool {
		return strings.HasPrefix(line, "measuring again 1 of round 1, run 1, which were measured too long before")
	}) {
		t.Errorf("said %q", l.said)
	}
	if id := l.round(t, 1).Session; l.fake.session != id {
		t.Errorf("session %s was measured as %s", id, l.fake.session)
	}
}

// interrupted is a lab with a session that was stopped.
func interrupted(t *testing.T, text string) *lab {
	t.Helper()
	l := newLab(t, map[string]string{"ab": text})
	ctx, cancel := context.WithCancelCause(t.Context())
	l.fake.onMeasure = cancelAt(cancel, "new", "small")
	if _, err := l.run(ctx, l.order("ab")); err == nil {
		t.Fatal("it was not interrupted")
	}
	l.fake.onMeasure = nil
	return l
}

// What has changed is not measured under the name of what it was.
func TestResumeRefuses(t *testing.T) {
	t.Run("suite", func(t *testing.T) {
		l := interrupted(t, ab)
		l.files["suites/ab.yaml"].Data = []byte(strings.Replace(ab, "/large", "/larger", 1))
		if _, err := l.resume(t.Context(), Order{}); err == nil || !strings.Contains(err.Error(), "ab.yaml has changed") {
			t.Errorf("%v", err)
		}
	})
	t.Run("host", func(t *testing.T) {
		l := interrupted(t, ab)
		l.rig.facts = func() host.Facts {
			return host.Facts{Name: "lab.example", Fixed: map[string]string{"cpu": "another"}}
		}
		_, err := l.resume(t.Context(), Order{})
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "cpu is another, and was made up when the session began") {
			t.Errorf("%v", err)
		}
	})
	t.Run("no session", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": ab})
		if _, err := l.resume(t.Context(), Order{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v", err)
		}
	})
}

// A round does not go on after a restart of the host: it is measured whole again.
func TestAnotherBoot(t *testing.T) {
	l := interrupted(t, ab)
	l.rig.boot.ID = "boot-2"
	outcome, err := l.resume(t.Context(), Order{})
	if err != nil || outcome.Sessions[0].Valid != 8 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	for _, m := range l.round(t, 1).Measurements {
		if m.Attempt != 1 {
			t.Errorf("%s of %s: attempt %d", m.Scenario, m.Variant, m.Attempt)
		}
	}
	if state := l.state(t); state.Rounds[1].Aborted != 1 {
		t.Errorf("round %+v", state.Rounds[1])
	}
}
