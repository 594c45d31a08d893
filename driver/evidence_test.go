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

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
)

// spoil makes the first so many measurements of the new variant's small scenario bad.
func spoil(times int, how func(*record.Measurement)) func(context.Context, string, string, int, *record.Measurement) error {
	return func(_ context.Context, variant, scenario string, nth int, m *record.Measurement) error {
		if variant == "new" && scenario == "small" && nth <= times {
			how(m)
		}
		return nil
	}
}

// Evidence has a pair measured again, both halves of it, at most twice; a number never.
func TestRedo(t *testing.T) {
	interfered := func(m *record.Measurement) { m.Interfered = true }
	invalid := func(m *record.Measurement) { m.State, m.Reason, m.Errors = record.Invalid, "3 errors", 3 }
	saturated := func(m *record.Measurement) {
		m.State, m.Reason, m.Flags = record.Invalid, "the generator was the limit", []string{"generator-saturated"}
	}
	slow := func(m *record.Measurement) { m.RPS = record.Of(1) }
	for _, tt := range []struct {
		name     string
		spoil    int
		how      func(*record.Measurement)
		attempts int // of the pair
		valid    int // of 4 measurements of one run
		invalid  int
	}{
		{"interfered once", 1, interfered, 2, 4, 0},
		{"interfered for ever", 9, interfered, 3, 4, 0},
		{"invalid twice", 2, invalid, 3, 4, 0},
		{"invalid for ever", 9, invalid, 3, 3, 1},
		{"generator saturated", 9, saturated, 1, 3, 1},
		{"generator saturated beside others", 1, func(m *record.Measurement) { saturated(m); interfered(m) }, 2, 4, 0},
		{"slow", 9, slow, 1, 4, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"ab": strings.Replace(ab, "preset: smoke", "preset: smoke, runs: 1", 1)})
			l.fake.onMeasure = spoil(tt.spoil, tt.how)
			outcome, err := l.run(t.Context(), l.order("ab"))
			if err != nil {
				t.Fatal(err)
			}
			s := outcome.Sessions[0]
			if s.Valid != tt.valid || s.Invalid != tt.invalid || outcome.Invalid() != (tt.invalid > 0) {
				t.Errorf("%d valid, %d invalid, want %d and %d", s.Valid, s.Invalid, tt.valid, tt.invalid)
			}
			for _, m := range l.round(t, 1).Measurements {
				want := 1
				if m.Scenario == "small" {
					want = tt.attempts
				}
				if m.Attempt != want {
					t.Errorf("%s of %s: attempt %d, want %d", m.Scenario, m.Variant, m.Attempt, want)
				}
			}
		})
	}
}

// A server that ended by itself after its last measurement takes it along.
func TestEndedByItself(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(ab, "preset: smoke", "preset: smoke, runs: 1", 1)})
	l.fake.onStop = func(variant string) (string, error) {
		if variant == "new" {
			return "the server had ended: signal: killed", nil
		}
		return "", nil
	}
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	for _, m := range l.round(t, 1).Measurements {
		bad := m.Variant == "new" && m.Scenario == "large"
		if bad != (m.State == record.Invalid) || bad && (m.Reason != "the server had ended: signal: killed" || m.Attempt != 3) {
			t.Errorf("%s of %s: %v, %s, attempt %d", m.Scenario, m.Variant, m.State, m.Reason, m.Attempt)
		}
	}
}

// After an invalid measurement the rest of a turn has a fresh server, and what cannot
// be measured at all is invalid with the reason.
func TestErrorOfMeasuring(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(ab, "preset: smoke", "preset: smoke, runs: 1", 1)})
	l.fake.onMeasure = func(_ context.Context, variant, scenario string, nth int, m *record.Measurement) error {
		if variant == "base" && scenario == "small" && nth == 1 {
			return errors.New("start the generator:\nno more processes")
		}
		return nil
	}
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start base", "measure base small", "stop base", "start base", "measure base large", "stop base",
		"start new", "measure new small", "measure new large", "stop new",
		"start base", "measure base small", "stop base", "start new", "measure new small", "stop new",
	}
	if diff := cmp.Diff(want, l.fake.log); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	if told := l.told[0]; told.Valid || told.Reason != "start the generator: no more processes" {
		t.Errorf("told %+v", told)
	}
}

// A variant of which nothing was measured yet and that does not start is a mistake: the
// session stops. Later it is an accident.
func TestNotStarted(t *testing.T) {
	refused := &measure.InvalidError{Variant: "new", Reason: "it is not ready within 10s", Files: []measure.File{{Name: "server.log", Data: []byte("oops\n")}}}
	t.Run("first", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": ab})
		l.fake.onStart = func(variant string, _ int) error {
			if variant == "new" {
				return refused
			}
			return nil
		}
		outcome, err := l.run(t.Context(), l.order("ab"))
		if err == nil || !strings.Contains(err.Error(), "round 1, run 1, new, small: variant new: it is not ready within 10s") {
			t.Fatalf("%v", err)
		}
		if s := outcome.Sessions[0]; s.Stopped == "" || len(s.Files.Rounds) != 0 {
			t.Errorf("outcome %+v", s)
		}
	})
	t.Run("port taken", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": ab})
		l.fake.onStart = func(variant string, nth int) error {
			if variant == "new" && nth == 2 {
				return fmt.Errorf("%w: TCP 127.0.0.1:8080 by nginx[4121]", serverproc.ErrPortTaken)
			}
			return nil
		}
		outcome, err := l.run(t.Context(), l.order("ab"))
		if !errors.Is(err, serverproc.ErrPortTaken) || outcome.Sessions[0].Stopped == "" {
			t.Errorf("%+v, %v", outcome, err)
		}
	})
	t.Run("later", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": ab})
		l.fake.onStart = func(variant string, nth int) error {
			if variant == "new" && nth == 2 {
				return refused
			}
			return nil
		}
		outcome, err := l.run(t.Context(), l.order("ab"))
		if err != nil || outcome.Sessions[0].Valid != 8 {
			t.Fatalf("%+v, %v", outcome, err)
		}
		log := filepath.Join(l.results, "lab-ab-1/run-2/new/small~attempt-1/server.log")
		if text, err := os.ReadFile(log); err != nil || string(text) != "oops\n" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// What is not measured has its rows and its reasons.
func TestGaps(t *testing.T) {
	text := strings.Replace(ab, "{name: large, url: /large, needs: [http]}", "{name: h3, url: /large, needs: [h3]}\n"+
		"  - {name: php, url: /php, helpers: [{name: fpm, command: [scalbench-test-no-such-program]}]}", 1)
	l := newLab(t, map[string]string{"ab": text})
	outcome, err := l.run(t.Context(), l.order("ab"))
	if err != nil {
		t.Fatal(err)
	}
	// 2 runs of 2 variants
	if s := outcome.Sessions[0]; s.Valid != 4 || s.NotApplicable != 4 || s.NotRun != 4 || s.Invalid != 0 {
		t.Errorf("outcome %+v", s)
	}
	reasons := map[string]string{"h3": "it provides no h3", "php": "this host has no scalbench-test-no-such-program", "small": ""}
	for _, m := range l.round(t, 1).Measurements {
		if m.Reason != reasons[m.Scenario] {
			t.Errorf("%s: %q", m.Scenario, m.Reason)
		}
	}
	only := l.order("ab")
	only.Only, only.Name = []string{"php"}, "php"
	if _, err := l.run(t.Context(), only); err == nil || !strings.Contains(err.Error(), "nothing can be measured on this host: base: this host has no ") {
		t.Errorf("%v", err)
	}
}

// A host that never becomes quiet is refused for verdicts of record, and flagged else.
func TestNeverQuiet(t *testing.T) {
	noisy := func(_ context.Context, c host.Condition, say func(string)) (host.Wait, error) {
		say("waiting for a quiet host, 5s: load 7, want below 2")
		say("waiting for a quiet host, 10s: load 7, want below 2")
		return host.Wait{Waited: c.Timeout, Why: "load 7, want below 2"}, nil
	}
	t.Run("release", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": strings.Replace(ab, "smoke", "release", 1)})
		l.rig.waitQuiet = noisy
		_, err := l.run(t.Context(), l.order("ab"))
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "it did not become quiet within 1h0m0s: load 7") {
			t.Fatalf("%v", err)
		}
		on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
		if err != nil || len(on.Journal.Of(record.RoundWaiting)) != 1 || len(on.Journal.Of(record.SessionStopped)) != 1 || len(l.fake.log) != 0 {
			t.Errorf("%+v, %v, %q", on.Journal, err, l.fake.log)
		}
	})
	t.Run("quick", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": strings.Replace(ab, "smoke", "quick", 1)})
		l.rig.waitQuiet = noisy
		l.rig.examine = func(context.Context, host.Need) ([]host.Finding, error) {
			return []host.Finding{{Check: "governor", Level: host.Warn, Text: "not known", Flag: "unknown-frequency"}}, nil
		}
		if _, err := l.run(t.Context(), l.order("ab")); err != nil {
			t.Fatal(err)
		}
		for _, m := range l.round(t, 1).Measurements {
			if !slices.Equal(m.Flags, []string{"unknown-frequency", flagNoisy}) {
				t.Errorf("flags %q", m.Flags)
			}
		}
		if !slices.Contains(l.said, "warning: governor: not known") {
			t.Errorf("said %q", l.said)
		}
	})
	t.Run("smoke does not wait", func(t *testing.T) {
		l := newLab(t, map[string]string{"ab": ab})
		l.rig.examine = func(_ context.Context, need host.Need) ([]host.Finding, error) {
			if need.Watch != hastyWatch {
				t.Errorf("the host is watched for %v", need.Watch)
			}
			return nil, nil
		}
		l.rig.waitQuiet = func(context.Context, host.Condition, func(string)) (host.Wait, error) {
			return host.Wait{}, errors.New("waited")
		}
		if _, err := l.run(t.Context(), l.order("ab")); err != nil {
			t.Error(err)
		}
	})
}

// A server that cannot be stopped ends the session; what was measured of it is kept, and is
// invalid.
func TestNotStopped(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	l.fake.onStop = func(string) (string, error) { return "", errors.New("its port is taken by other[7]") }
	_, err := l.run(t.Context(), l.order("ab"))
	if err == nil || !strings.Contains(err.Error(), "stop variant base: its port is taken by other[7]") {
		t.Errorf("%v", err)
	}
	// The turn's first measurement was made before, its last one is the one in doubt.
	state := l.state(t)
	var got []string
	for _, k := range state.Keys(1) {
		if c := state.Cells[k]; c.Status != session.Planned {
			got = append(got, fmt.Sprintf("%s %v", k.Scenario, c.Status))
		}
	}
	if want := []string{"small " + fmt.Sprint(session.Valid), "large " + fmt.Sprint(session.Invalid)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A host that is not fit has no session.
func TestRefused(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab + "require: [governor=performance]\n"})
	l.rig.examine = func(_ context.Context, need host.Need) ([]host.Finding, error) {
		return []host.Finding{{Check: "require", Level: host.Refuse, Text: need.Require[0] + ": it is powersave"}}, nil
	}
	_, err := l.run(t.Context(), l.order("ab"))
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "require: governor=performance: it is powersave") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(l.results); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("results: %v", err)
	}
}

// An error that the logs of all variants tell of is told once, as shared; one of a single
// variant as its own.
func TestComplaints(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	l.fake.evidence = func(variant string) measure.Evidence {
		e := measure.Evidence{Complaints: []serverproc.Complaint{{Normal: "expired", Count: 2, First: serverproc.LogLine{Text: "12:00 certificate expired"}}}}
		if variant == "new" {
			e.Complaints = append(e.Complaints, serverproc.Complaint{Normal: "odd", Count: 1, First: serverproc.LogLine{Text: "12:00 odd"}})
		}
		return e
	}
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	// 8 measurements, 4 of them of the new variant.
	want := []string{
		"round 1: shared by all variants, logged 16 times: 12:00 certificate expired",
		"round 1: new alone logged 4 times: 12:00 odd",
	}
	want = append([]string{"the host's lock is " + l.rig.place.Path}, want...)
	if diff := cmp.Diff(want, l.said); diff != "" {
		t.Errorf("said, want -, got +:\n%s", diff)
	}
	// They are kept, for who was not there.
	kept := []record.LogError{
		{Normal: "expired", Text: "12:00 certificate expired", Count: 16, Variants: []string{"base", "new"}, Shared: true},
		{Normal: "odd", Text: "12:00 odd", Count: 4, Variants: []string{"new"}},
	}
	if diff := cmp.Diff(kept, l.round(t, 1).Identity.LogErrors); diff != "" {
		t.Errorf("kept, want -, got +:\n%s", diff)
	}
}

// Who disturbed a measurement stands in the journal as the reason.
func TestReasonOfRedo(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(ab, "preset: smoke", "preset: smoke, runs: 1", 1)})
	l.fake.onMeasure = spoil(1, func(m *record.Measurement) { m.Interfered = true })
	l.fake.evidence = func(string) measure.Evidence {
		return measure.Evidence{Interference: host.Verdict{Interfered: true, Reasons: []string{"dnf[4121] took 3 %"}}}
	}
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	if want := "measuring again round 1, run 1, new, small and base: interfered: dnf[4121] took 3 %"; !slices.Contains(l.said, want) {
		t.Errorf("said %q", l.said)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil {
		t.Fatal(err)
	}
	rejected := on.Journal.Of(record.Rejected)
	if len(rejected) != 2 || rejected[0].Text != "interfered: dnf[4121] took 3 %" {
		t.Errorf("%+v", rejected)
	}
}

// Evidence of another session, which somebody has moved here, is refused.
func TestEvidenceOfAnotherSession(t *testing.T) {
	s := &session.Session{Layout: session.Layout{Results: t.TempDir(), Table: "t"}, Plan: &record.Plan{Session: "s1"}}
	k := session.Key{Round: 1, Run: 1, Variant: "v", Scenario: "x"}
	if err := os.MkdirAll(s.MeasurementDir(k), 0o755); err != nil {
		t.Fatal(err)
	}
	for id, good := range map[string]bool{"s1": true, "": true, "s2": false} {
		if err := os.WriteFile(filepath.Join(s.MeasurementDir(k), measure.EvidenceFile), []byte(`{"session": "`+id+`"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readEvidence(s, k); (err == nil) != good {
			t.Errorf("session %q: %v", id, err)
		}
	}
}
