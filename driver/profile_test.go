package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
)

// profiled reads what a pass of ab has left.
func (l *lab) profiled(t *testing.T, pass string) *record.Profile {
	t.Helper()
	f, err := os.Open(filepath.Join(l.sessionDir(), pass, record.ProfileFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := record.ReadProfile(f, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Profiles are taken when the rounds are over and the session says so, each with a start of
// its own, of all variants of a row before the next, and leave no trace in the rounds.
func TestProfile(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(ab, "provides: [http]}\nscenarios", "provides: []}\nscenarios", 1)})
	l.fake.onProfile = func(_ context.Context, variant, scenario string) (record.ProfileRow, []measure.File, error) {
		if state := l.state(t); !state.Done {
			t.Errorf("%s, %s is profiled before the session is done", variant, scenario)
		}
		return record.ProfileRow{Samples: 3, Groups: []record.ProfileGroup{{Name: "copy", Samples: 3}}}, []measure.File{{Name: measure.FoldedFile, Data: []byte("sh;memcpy 3\n")}}, nil
	}
	o := l.order("ab")
	o.Profile = "always"
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.Index(l.fake.log, "perf")
	want := []string{"perf", "start base", "profile base small", "stop base", "start base", "profile base large", "stop base"}
	if diff := cmp.Diff(want, l.fake.log[max(0, i):]); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	p := l.profiled(t, "profile-1")
	if len(p.Rows) != 4 || p.Session != l.state(t).Session || p.When != "always" || p.Rows[0].Samples != 3 || p.Rows[1].NA != "it provides no http" || len(p.Groups) == 0 {
		t.Errorf("%+v", p)
	}
	if got := outcome.Sessions[0]; filepath.Base(got.ProfileDir) != "profile-1" || !strings.Contains(got.ProfileText, "profile of small") {
		t.Errorf("outcome %+v", got)
	}
	for _, name := range []string{"profile.txt", "base/small/stacks.folded"} {
		if _, err := os.Stat(filepath.Join(l.sessionDir(), "profile-1", name)); err != nil {
			t.Error(err)
		}
	}
	if r := l.round(t, 1); !r.Finished || len(r.Measurements) != 8 {
		t.Errorf("round %+v", r)
	}
}

// On fail only rows that fail are profiled; where none does, nothing is started and that is
// said. What an order says wins over the suite.
func TestProfileOnFail(t *testing.T) {
	tests := []struct {
		name, suite, order string
		failed             []Row
		want               []string // profiled
		none               string   // why not
	}{
		{"of the suite", "profile: on-fail\n", "", []Row{{Scenario: "large"}}, []string{"profile base large", "profile new large"}, ""},
		{"none fails", "profile: on-fail\n", "", nil, nil, "no row fails"},
		{"of the order", "", "on-fail", []Row{{Scenario: "small"}}, []string{"profile base small", "profile new small"}, ""},
		{"the order wins", "profile: always\n", "never", []Row{{Scenario: "small"}}, nil, ""},
		{"nobody asks", "", "", []Row{{Scenario: "small"}}, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"ab": ab + test.suite})
			l.failed = func(files Files) ([]Row, error) {
				if len(files.Rounds) != 1 {
					t.Errorf("judged by %q", files.Rounds)
				}
				return test.failed, nil
			}
			o := l.order("ab")
			o.Profile = test.order
			outcome, err := l.run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(slices.Clone(l.fake.log), func(step string) bool { return !strings.HasPrefix(step, "profile ") })
			if !slices.Equal(got, test.want) || outcome.Sessions[0].NoProfile != test.none {
				t.Errorf("profiled %q, want %q; none since %q", got, test.want, outcome.Sessions[0].NoProfile)
			}
			_, err = os.Stat(filepath.Join(l.sessionDir(), "profile-1"))
			if (err == nil) != (len(test.want) > 0) {
				t.Errorf("directory of the pass: %v", err)
			}
		})
	}
}

// A session that is finished is profiled later, into a directory of its own each time, and
// has no other pass again; one whose suite wants profiles has nothing to resume by itself.
func TestProfileLater(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab + "profile: always\n"})
	o := l.order("ab")
	o.Syscalls = true
	if _, err := l.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, order := range []Order{{}, {Profile: "never"}} {
		if _, err := l.resume(t.Context(), order); !errors.Is(err, ErrFinished) {
			t.Errorf("resumed: %v", err)
		}
	}
	l.fake.log = nil
	if _, err := l.resume(t.Context(), Order{Profile: "always"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.resume(t.Context(), Order{Syscalls: true}); err != nil {
		t.Fatal(err)
	}
	l.profiled(t, "profile-2")
	l.counted(t, "syscalls-2")
	for _, name := range []string{"profile-3", "syscalls-3"} {
		if _, err := os.Stat(filepath.Join(l.sessionDir(), name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if slices.ContainsFunc(l.fake.log, func(step string) bool { return strings.HasPrefix(step, "measure") }) {
		t.Errorf("it was measured again: %q", l.fake.log)
	}
}

// A pass that is cut leaves a session that is done, and no table.
func TestProfileCut(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	o := l.order("ab")
	o.Profile = "always"
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	l.fake.onProfile = func(_ context.Context, variant, _ string) (record.ProfileRow, []measure.File, error) {
		if variant == "new" {
			cancel(why)
		}
		return record.ProfileRow{NA: "x"}, nil, nil
	}
	outcome, err := l.run(ctx, o)
	if !errors.Is(err, why) || outcome.Sessions[0].ProfileText != "" || outcome.Sessions[0].Stopped != "" {
		t.Errorf("%+v, %v", outcome, err)
	}
	if l.fake.running != "" || !l.state(t).Done {
		t.Errorf("%q runs, session %+v", l.fake.running, l.state(t))
	}
	if _, err := os.Stat(filepath.Join(l.sessionDir(), "profile-1", record.ProfileFile)); !os.IsNotExist(err) {
		t.Errorf("it has a table: %v", err)
	}
}

// What cannot be sampled, or not now, is told, and nothing fails.
func TestProfileUnavailable(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	l.rig.sampler = func(_ context.Context, cpus string, hz int) (perf.Sampler, error) {
		if cpus != "0" || hz != 997 {
			t.Errorf("CPUs %q, %d Hz", cpus, hz)
		}
		return perf.Sampler{}, &perf.Unavailable{Reason: "this host has no perf"}
	}
	o := l.order("ab")
	o.Profile = "always"
	outcome, err := l.run(t.Context(), o)
	if err != nil || !strings.Contains(outcome.Sessions[0].ProfileText, "no profile was taken: this host has no perf") {
		t.Errorf("%+v, %v", outcome, err)
	}
	if p := l.profiled(t, "profile-1"); p.NA == "" || len(p.Rows) > 0 {
		t.Errorf("%+v", p)
	}
	utc, _ := l.rig.now()
	outcome, err = l.resume(t.Context(), Order{Profile: "always", Until: utc.Add(1)})
	if err != nil || !strings.Contains(outcome.Sessions[0].NoProfile, "no time was left") {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// A variant that does not start is n/a, and the others are profiled; a wrong word is refused.
func TestProfileNotStarted(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	l.fake.onStart = func(variant string, _ int) error {
		if variant == "new" {
			return &measure.InvalidError{Variant: "new", Reason: "it has ended"}
		}
		return nil
	}
	if _, err := l.resume(t.Context(), Order{Profile: "always"}); err != nil {
		t.Fatal(err)
	}
	for _, row := range l.profiled(t, "profile-1").Rows {
		if wrong := row.Variant == "new"; (row.NA != "") != wrong || wrong && !strings.Contains(row.NA, "it has ended") {
			t.Errorf("%+v", row)
		}
	}
	if _, err := l.resume(t.Context(), Order{Profile: "sometimes"}); !errors.Is(err, ErrOrder) {
		t.Error(err)
	}
	if err := (Order{Suites: []string{"ab"}, Profile: "sometimes"}).Validate(); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "always, on-fail or never") {
		t.Error(err)
	}
}
