package driver

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
)

// turnsSuite is ab whose variants take turns.
var turnsSuite = strings.Replace(ab, "preset: smoke", "preset: smoke, interleave: sliced", 1) + "gate: {policy: noninferior}\n"

// Both variants are up for all scenarios of a run, which are measured one after the other.
// The coin of the seed has base first in run 1 or in run 2: here in run 1.
func TestTurns(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(turnsSuite, "sliced", "sliced, order: rotate", 1)})
	outcome, err := l.run(t.Context(), l.order("ab"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start base", "start new", "measure base small", "measure new small", "measure base large", "measure new large", "stop new", "stop base",
		"start new", "start base", "measure base small", "measure new small", "measure base large", "measure new large", "stop base", "stop new",
	}
	if diff := cmp.Diff(want, l.fake.log); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	if s := outcome.Sessions[0]; s.Valid != 8 || outcome.Invalid() {
		t.Errorf("outcome %+v", s)
	}
	r := l.round(t, 1)
	if d, ok := r.Identity.Between("base", "new"); !r.Finished || !ok || len(d.Items) != 1 || d.Items[0].What != "argv" {
		t.Errorf("round %+v, differs %+v", r, d)
	}
	ids := map[string]int{}
	for _, m := range r.Measurements {
		ids[m.Pair]++
		if ratio := m.RPSRatio; ratio.Known() != (m.Variant == "new") {
			t.Errorf("%s has ratio %v", m.Variant, ratio)
		}
	}
	if len(ids) != 4 || ids[""] != 0 {
		t.Errorf("pairs %v, want two of each run", ids)
	}
	// 0.99 is what the slices say; the rates are equal.
	if last := l.told[len(l.told)-1]; len(last.Ratios) != 1 || last.Ratios[0].RPS != 0.99 || last.Ratios[0].SE != 0.001 || last.Progress.Done != 8 {
		t.Errorf("told %+v", last)
	}
	if plan := r.Measurements[0]; plan.Slot == 0 {
		t.Errorf("no slot: %+v", plan)
	}
}

// With restart: measurement each pair has fresh servers.
func TestTurnsRestart(t *testing.T) {
	text := strings.Replace(turnsSuite, "sliced", "sliced, runs: 1, order: rotate, restart: measurement", 1)
	l := newLab(t, map[string]string{"ab": text})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start base", "start new", "measure base small", "measure new small", "stop new", "stop base",
		"start base", "start new", "measure base large", "measure new large", "stop new", "stop base",
	}
	if diff := cmp.Diff(want, l.fake.log); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
}

// What is wrong with one half is wrong with both, names who it was, and both are measured
// again: a server that has ended by itself, and one that does not start any more.
func TestTurnsFault(t *testing.T) {
	for name, break1 := range map[string]func(f *fake){
		"ended": func(f *fake) {
			f.onStop = func(variant string) (string, error) {
				if variant == "new" && f.starts["new"] == 2 {
					return "the server has ended by itself", nil
				}
				return "", nil
			}
		},
		"not started": func(f *fake) {
			f.onStart = func(variant string, nth int) error {
				if variant == "new" && nth == 2 {
					return errors.New("the server has ended by itself")
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"ab": turnsSuite})
			break1(l.fake)
			outcome, err := l.run(t.Context(), l.order("ab"))
			if err != nil || outcome.Sessions[0].Valid != 8 {
				t.Fatalf("%+v, %v", outcome, err)
			}
			var invalid []string
			for _, m := range l.told {
				if !m.Valid {
					invalid = append(invalid, m.Variant)
					if !strings.HasPrefix(m.Reason, "new") && m.Variant == "base" || !strings.Contains(m.Reason, "the server has ended by itself") {
						t.Errorf("%s is invalid for %q", m.Variant, m.Reason)
					}
				}
			}
			if len(invalid)%2 != 0 || len(invalid) == 0 {
				t.Errorf("invalid: %v, want halves of pairs", invalid)
			}
		})
	}
}

// A variant that never runs is a mistake that no repetition cures, and the other is stopped.
func TestTurnsNeverStarts(t *testing.T) {
	l := newLab(t, map[string]string{"ab": turnsSuite})
	l.fake.onStart = func(variant string, _ int) error {
		if variant == "new" {
			return errors.New("no such file")
		}
		return nil
	}
	_, err := l.run(t.Context(), l.order("ab"))
	if err == nil || !strings.Contains(err.Error(), "new, small: no such file") {
		t.Errorf("%v", err)
	}
	if n := len(l.fake.log); n == 0 || strings.Count(strings.Join(l.fake.log, "\n"), "start base") != strings.Count(strings.Join(l.fake.log, "\n"), "stop base") {
		t.Errorf("steps %q", l.fake.log)
	}
}

// A sitting that is interrupted in the middle of a pair commits neither half, and what goes
// on measures both.
func TestTurnsInterrupted(t *testing.T) {
	l := newLab(t, map[string]string{"ab": turnsSuite})
	ctx, cancel := context.WithCancelCause(t.Context())
	l.fake.onMeasure = cancelAt(cancel, "new", "large")
	if _, err := l.run(ctx, l.order("ab")); err == nil {
		t.Fatal("it was not interrupted")
	}
	if told := len(l.told); told != 2 {
		t.Errorf("%d were told, want the two of small", told)
	}
	l.fake.onMeasure = nil
	outcome, err := l.resume(t.Context(), Order{})
	if err != nil || outcome.Sessions[0].Valid != 8 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	for _, m := range l.round(t, 1).Measurements {
		if m.State != record.Valid || m.Pair == "" {
			t.Errorf("%+v", m)
		}
	}
}

// Turns take two servers of the suite, and no burden beside one of them.
func TestTurnsRefused(t *testing.T) {
	l := newLab(t, map[string]string{"ab": turnsSuite})
	attached, twin := l.order("ab"), l.order("ab")
	attached.Attach = "http://127.0.0.1:1"
	twin.Twin = &Twin{}
	for want, o := range map[string]Order{"one is attached to": attached, "has no calibration": twin} {
		if _, err := l.run(t.Context(), o); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A pair takes 2 x 50 ms of warm-up, a window of 100 ms and twice 0.5 s beside it: 1.2 s; of 2
// runs of 2 scenarios there are 4.
func TestTurnsForeseen(t *testing.T) {
	l := newLab(t, map[string]string{"ab": turnsSuite})
	previews, err := Foresee(l.order("ab"), l.surroundings())
	if err != nil {
		t.Fatal(err)
	}
	p := previews[0]
	if !p.Turns || len(p.Keys) != 8 || !strings.HasSuffix(p.Keys[1], "small") || p.Takes != 4800*time.Millisecond {
		t.Errorf("%+v", p)
	}
}
