package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
)

// One start of a variant serves a run of all scenarios, and the second run begins with
// the other variant. What comes out is what readers of records want.
func TestOrderOfSteps(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	outcome, err := l.run(t.Context(), l.order("ab"))
	if err != nil {
		t.Fatal(err)
	}
	// Run k of round i begins with variant (k + i) mod 2: run 1 with the first.
	want := []string{
		"start base", "measure base small", "measure base large", "stop base",
		"start new", "measure new small", "measure new large", "stop new",
		"start new", "measure new small", "measure new large", "stop new",
		"start base", "measure base small", "measure base large", "stop base",
	}
	if diff := cmp.Diff(want, l.fake.log); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	s := outcome.Sessions[0]
	if s.Valid != 8 || s.Stopped != "" || outcome.Invalid() || len(s.Files.Rounds) != 1 || s.OwnCPUFracMax != 0.005 {
		t.Errorf("outcome %+v", s)
	}
	if diff := cmp.Diff([]string{"base: 8 samples, 8 ok (exe)", "new: 8 samples, 8 ok (exe)"}, s.Identity); diff != "" {
		t.Errorf("identity %s", diff)
	}
	// 1.5 s each, and half of what a start, a stop and the records take, a millisecond a step.
	if took := s.OverheadMax; took < 1500*time.Millisecond || took > 1600*time.Millisecond {
		t.Errorf("overhead %v", took)
	}
	r := l.round(t, 1)
	if !r.Finished || len(r.Measurements) != 8 || len(r.Identity.Counts) != 2 || r.Identity.Counts[0].Samples != 8 {
		t.Errorf("round %+v, %+v", r, r.Identity)
	}
	if d, ok := r.Identity.Between("base", "new"); !ok || len(d.Items) != 1 || d.Items[0].What != "argv" {
		t.Errorf("differs %+v", d)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil || on.Plan.Preset != "smoke" || len(on.Journal.Of(record.SessionDone)) != 1 || on.Plan.Variants[0].Binary == nil {
		t.Errorf("session %+v, %v", on, err)
	}
	last := l.told[len(l.told)-1]
	if last.Progress.Done != 8 || last.Progress.Total != 8 || len(last.Ratios) != 1 || last.Ratios[0].RPS != 1 {
		t.Errorf("told %+v", last)
	}
}

// With restart: measurement each has a fresh server.
func TestRestartEachMeasurement(t *testing.T) {
	text := strings.Replace(ab, "preset: smoke", "preset: smoke, runs: 1, interleave: scenario", 1)
	l := newLab(t, map[string]string{"ab": text})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start base", "measure base small", "stop base", "start new", "measure new small", "stop new",
		"start base", "measure base large", "stop base", "start new", "measure new large", "stop new",
	}
	if diff := cmp.Diff(want, l.fake.log); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
}

// Two drivers at once: the second one is told who holds the host, and a copy of what is
// being measured does not even wait.
func TestBusy(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	var errs [2]error
	l.fake.onMeasure = func(_ context.Context, _, _ string, _ int, m *record.Measurement) error {
		if errs[0] != nil {
			return nil
		}
		second := newLab(t, map[string]string{"ab": ab})
		second.rig.place = l.rig.place
		for i, wait := range []bool{false, true} {
			o := second.order("ab")
			o.Wait = wait
			_, errs[i] = second.run(t.Context(), o)
		}
		return nil
	}
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d (tester)", os.Getpid())) || !strings.Contains(err.Error(), "now round 1, run 1, base, small") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// A lock file that is removed in the middle of a run: what is being measured then is
// invalid, and nothing else is measured.
func TestLockLost(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	l.fake.onMeasure = func(context.Context, string, string, int, *record.Measurement) error {
		return os.Remove(l.rig.place.Path)
	}
	outcome, err := l.run(t.Context(), l.order("ab"))
	if !errors.Is(err, ErrLockLost) {
		t.Fatalf("%v", err)
	}
	if want := []string{"start base", "measure base small", "stop base"}; !slices.Equal(l.fake.log, want) {
		t.Errorf("steps %q", l.fake.log)
	}
	if len(l.told) != 1 || l.told[0].Valid || !strings.HasPrefix(l.told[0].Reason, "lock lost: ") || outcome.Sessions[0].Stopped == "" {
		t.Errorf("told %+v, outcome %+v", l.told, outcome)
	}
}

// cancelAt cancels in the middle of a measurement.
func cancelAt(cancel context.CancelCauseFunc, variant, scenario string) func(context.Context, string, string, int, *record.Measurement) error {
	return func(ctx context.Context, v, sc string, _ int, _ *record.Measurement) error {
		if v == variant && sc == scenario {
			cancel(errors.New("interrupt"))
			return ctx.Err()
		}
		return nil
	}
}

// --until begins no run that would not be over, and leaves a session to resume.
func TestUntil(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	o := l.order("ab")
	// A run is 4 measurements of 50 ms + 100 ms + 2.5 s: 10.6 s. The first takes next to
	// nothing here; the second would be over after the time.
	o.Until = l.rig.wall().Add(11 * time.Second)
	l.fake.onMeasure = func(_ context.Context, variant, scenario string, _ int, _ *record.Measurement) error {
		l.at += 1e9
		return nil
	}
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s := outcome.Sessions[0]; !s.OutOfTime || !strings.HasPrefix(s.Stopped, "until 2026-11-30 21:00") || len(l.fake.log) != 8 {
		t.Errorf("%+v, %q", s, l.fake.log)
	}
	if outcome, err := l.resume(t.Context(), Order{}); err != nil || outcome.Sessions[0].Valid != 8 {
		t.Errorf("resumed: %+v, %v", outcome, err)
	}
}

// --start-at holds nobody's lock while it waits.
func TestStartAt(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	o := l.order("ab")
	o.StartAt = l.rig.wall().Add(time.Hour)
	l.rig.pause = func(_ context.Context, d time.Duration) error {
		if _, err := os.Stat(l.rig.place.Path); !errors.Is(err, os.ErrNotExist) || d < 59*time.Minute {
			t.Errorf("lock %v, waiting %v", err, d)
		}
		return context.Canceled
	}
	if _, err := l.run(t.Context(), o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// When one suite cannot be measured the next is; results that are there are refused.
func TestSeveralSuites(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab, "cd": strings.Replace(ab, "suite: ab", "suite: cd", 1)})
	if err := os.MkdirAll(filepath.Join(l.results, "lab-ab-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	outcome, err := l.run(t.Context(), l.order("ab", "cd"))
	if !errors.Is(err, ErrTaken) || len(outcome.Sessions) != 1 || outcome.Sessions[0].Suite != "cd" || outcome.Sessions[0].Valid != 8 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// A repeat measures some rows by the same plan, in a place of its own.
func TestRepeat(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	o, err := Repeat(filepath.Join(l.results, "lab-ab-1"), []string{"small"}, 3, Order{})
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := l.run(t.Context(), o)
	// 3 runs of 2 variants of 1 scenario
	if err != nil || outcome.Sessions[0].Valid != 6 || outcome.Sessions[0].Files.Session != filepath.Join(l.results, "lab-ab-repeat-1.session") {
		t.Fatalf("%+v, %v", outcome, err)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab-repeat-1.session")
	first, _, firstErr := session.Read(session.Layout{Results: l.results, Table: "lab-ab"})
	if err != nil || firstErr != nil || on.Plan.RepeatOf != first.Plan.Session {
		t.Errorf("%+v, %v, %v", on, err, firstErr)
	}
}

// What is a control in a repeat is told by its plan, and measured beside the others.
func TestRepeatWithControl(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	o, err := Repeat(l.sessionDir(), []string{"small"}, 1, Order{Controls: []string{"large"}})
	if err != nil {
		t.Fatal(err)
	}
	if outcome, err := l.run(t.Context(), o); err != nil || outcome.Sessions[0].Valid != 4 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab-repeat-1.session")
	if err != nil || len(on.Plan.Scenarios) != 2 || on.Plan.Scenarios[0].Control || !on.Plan.Scenarios[1].Control {
		t.Errorf("%+v, %v", on.Plan.Scenarios, err)
	}
	o.Controls = []string{"lage"}
	if _, err := l.run(t.Context(), o); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), `no scenario "lage"; did you mean "large"?`) {
		t.Errorf("%v", err)
	}
}

// Scenarios that are shuffled are so alike for all variants of a round.
func TestShuffle(t *testing.T) {
	text := strings.Replace(ab, "{preset: smoke}", "{preset: smoke, rounds: 6, runs: 1, shuffle: true, seed: 3}", 1)
	l := newLab(t, map[string]string{"ab": text})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil || !on.Plan.Shuffle {
		t.Errorf("%+v, %v", on, err)
	}
	first := map[string]int{}
	var of []string
	for _, step := range l.fake.log {
		if name, is := strings.CutPrefix(step, "measure "); is {
			_, scenario, _ := strings.Cut(name, " ")
			of = append(of, scenario)
		}
	}
	for n := 0; n+3 < len(of); n += 4 { // two variants of two scenarios
		if of[n] != of[n+2] || of[n+1] != of[n+3] || of[n] == of[n+1] {
			t.Errorf("round %d: %q", n/4+1, of[n:n+4])
		}
		first[of[n]]++
	}
	if len(of) != 24 || len(first) != 2 {
		t.Errorf("%d measurements, first %v", len(of), first)
	}
}

// A server that runs already is the only variant.
func TestAttach(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	o := l.order("ab")
	o.Attach = "http://127.0.0.1:8080"
	outcome, err := l.run(t.Context(), o)
	if err != nil || outcome.Sessions[0].Valid != 4 || l.fake.url != o.Attach || l.fake.log[0] != "start attached" {
		t.Errorf("%+v, %v, %q", outcome, err, l.fake.log)
	}
}

// What earlier sessions left running is told, and ended only when that is asked for.
func TestOrphans(t *testing.T) {
	for _, reap := range []bool{false, true} {
		l := newLab(t, map[string]string{"ab": ab})
		l.rig.orphans = func(string) ([]serverproc.Orphan, error) {
			return []serverproc.Orphan{{PID: 4121, Name: "nginx", Session: "earlier"}}, nil
		}
		ended := 0
		l.rig.reap = func(orphans []serverproc.Orphan) error {
			ended += len(orphans)
			return nil
		}
		o := l.order("ab")
		o.Reap = reap
		if _, err := l.run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		want, wantEnded := "nginx[4121] of session earlier is still running; --reap ends it", 0
		if reap {
			want, wantEnded = "nginx[4121] of session earlier was still running and is ended", 1
		}
		if ended != wantEnded || !slices.Contains(l.said, want) {
			t.Errorf("reap %v: ended %d, said %q", reap, ended, l.said)
		}
	}
}
