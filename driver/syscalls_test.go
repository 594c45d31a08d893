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
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
)

// counted reads what a pass of ab has left.
func (l *lab) counted(t *testing.T, pass string) *record.Syscalls {
	t.Helper()
	f, err := os.Open(filepath.Join(l.sessionDir(), pass, record.SyscallsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := record.ReadSyscalls(f, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// System calls are counted when the rounds are over and the session says so, each with a
// start of its own, and leave no trace in the rounds.
func TestSyscalls(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(ab, "provides: [http]}\nscenarios", "provides: []}\nscenarios", 1)})
	l.fake.onCount = func(_ context.Context, variant, scenario string) (record.SyscallRow, []measure.File, error) {
		if state := l.state(t); !state.Done {
			t.Errorf("%s, %s is counted before the session is done", variant, scenario)
		}
		return record.SyscallRow{Calls: 6, PerRequest: record.Of(2)}, []measure.File{{Name: "perf-stat.csv", Data: []byte("x\n")}}, nil
	}
	o := l.order("ab")
	o.Syscalls = true
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.Index(l.fake.log, "perf")
	want := []string{"perf", "start base", "count base small", "stop base", "start base", "count base large", "stop base", "perf is released"}
	if diff := cmp.Diff(want, l.fake.log[max(0, i):]); diff != "" {
		t.Errorf("steps, want -, got +:\n%s", diff)
	}
	s := l.counted(t, "syscalls-1")
	if len(s.Rows) != 4 || s.Session != l.state(t).Session || s.Rows[0].PerRequest != record.Of(2) || s.Rows[1].NA != "it provides no http" {
		t.Errorf("%+v", s)
	}
	if got := outcome.Sessions[0]; got.Syscalls == nil || filepath.Base(got.SyscallsDir) != "syscalls-1" {
		t.Errorf("outcome %+v", got)
	}
	if _, err := os.Stat(filepath.Join(l.sessionDir(), "syscalls-1", "base", "small", "perf-stat.csv")); err != nil {
		t.Error(err)
	}
	if r := l.round(t, 1); !r.Finished || len(r.Measurements) != 8 {
		t.Errorf("round %+v", r)
	}
}

// A session that is finished has its calls counted later, as often as one likes, each time
// into a directory of its own; without being asked to it has nothing to resume.
func TestSyscallsLater(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.resume(t.Context(), Order{}); !errors.Is(err, ErrFinished) {
		t.Errorf("resumed: %v", err)
	}
	l.fake.log = nil
	for _, pass := range []string{"syscalls-1", "syscalls-2"} {
		outcome, err := l.resume(t.Context(), Order{Syscalls: true})
		if err != nil || outcome.Sessions[0].Valid != 8 {
			t.Fatalf("%+v, %v", outcome, err)
		}
		if s := l.counted(t, pass); len(s.Rows) != 4 {
			t.Errorf("%s: %+v", pass, s)
		}
	}
	if slices.ContainsFunc(l.fake.log, func(step string) bool { return strings.HasPrefix(step, "measure") }) {
		t.Errorf("it was measured again: %q", l.fake.log)
	}
}

// One that is cut leaves a session that is done, and no table; the next begins anew.
func TestSyscallsCut(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	o := l.order("ab")
	o.Syscalls = true
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	l.fake.onCount = func(_ context.Context, variant, _ string) (record.SyscallRow, []measure.File, error) {
		if variant == "new" {
			cancel(why)
		}
		return record.SyscallRow{PerRequest: record.Of(2)}, nil, nil
	}
	outcome, err := l.run(ctx, o)
	if !errors.Is(err, why) || outcome.Sessions[0].Syscalls != nil || outcome.Sessions[0].Stopped != "" {
		t.Errorf("%+v, %v", outcome, err)
	}
	if l.fake.running != "" || !l.state(t).Done {
		t.Errorf("%q runs, session %+v", l.fake.running, l.state(t))
	}
	if _, err := os.Stat(filepath.Join(l.sessionDir(), "syscalls-1", record.SyscallsFile)); !os.IsNotExist(err) {
		t.Errorf("it has a table: %v", err)
	}
	l.fake.onCount = nil
	if _, err := l.resume(t.Context(), Order{Syscalls: true}); err != nil {
		t.Fatal(err)
	}
	l.counted(t, "syscalls-2")
}

// A session that is resumed remembers that calls are to be counted; one that stops at its
// time does not count them.
func TestSyscallsOfAResumedSession(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	o := l.order("ab")
	o.Syscalls = true
	ctx, cancel := context.WithCancelCause(t.Context())
	l.fake.onMeasure = func(_ context.Context, variant, _ string, nth int, _ *record.Measurement) error {
		if variant == "new" && nth == 1 {
			cancel(errors.New("interrupted"))
		}
		return nil
	}
	if outcome, err := l.run(ctx, o); err == nil || outcome.Sessions[0].Syscalls != nil {
		t.Errorf("%+v, %v", outcome, err)
	}
	if _, err := l.resume(t.Context(), Order{}); err != nil {
		t.Fatal(err)
	}
	l.counted(t, "syscalls-1")
}

// What cannot be counted, or not now, is told, and nothing fails.
func TestSyscallsUnavailable(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	l.rig.perf = func(context.Context) (perf.Program, func() error, error) {
		return perf.Program{}, nil, &perf.Unavailable{Reason: "this host has no perf"}
	}
	o := l.order("ab")
	o.Syscalls = true
	outcome, err := l.run(t.Context(), o)
	if err != nil || outcome.Sessions[0].Syscalls.NA != "this host has no perf" {
		t.Errorf("%+v, %v", outcome, err)
	}
	if s := l.counted(t, "syscalls-1"); s.NA == "" || len(s.Rows) > 0 {
		t.Errorf("%+v", s)
	}
	utc, _ := l.rig.now()
	outcome, err = l.resume(t.Context(), Order{Syscalls: true, Until: utc.Add(1)})
	if err != nil || outcome.Sessions[0].Syscalls != nil || !strings.Contains(l.said[len(l.said)-1], "no time is left to count") {
		t.Errorf("%+v, %v, said %q", outcome, err, l.said)
	}
}

// A variant that does not start is n/a, and the others are counted.
func TestSyscallsNotStarted(t *testing.T) {
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
	if _, err := l.resume(t.Context(), Order{Syscalls: true}); err != nil {
		t.Fatal(err)
	}
	for _, row := range l.counted(t, "syscalls-1").Rows {
		if wrong := row.Variant == "new"; (row.NA != "") != wrong || wrong && !strings.Contains(row.NA, "it has ended") {
			t.Errorf("%+v", row)
		}
	}
}

// Where it cannot be counted by name it is in one number, at last, and the row says why. What
// cannot be counted so either keeps the first reason.
func TestSyscallsInOneNumber(t *testing.T) {
	for _, worse := range []bool{false, true} {
		l := newLab(t, map[string]string{"ab": ab})
		l.fake.onCount = func(context.Context, string, string) (record.SyscallRow, []measure.File, error) {
			switch byName := l.fake.counted[len(l.fake.counted)-1] == perf.ByName; {
			case byName:
				return record.SyscallRow{NA: "perf was late"}, nil, nil
			case worse:
				return record.SyscallRow{NA: "perf may not"}, nil, nil
			}
			return record.SyscallRow{Calls: 6, PerRequest: record.Of(2)}, nil, nil
		}
		o := l.order("ab")
		o.Syscalls, o.Only = true, []string{"small"}
		if _, err := l.run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if want := []perf.Events{perf.ByName, perf.ByName, perf.InAll}; !slices.Equal(l.fake.counted[:3], want) || len(l.fake.counted) != 6 { // of each variant
			t.Errorf("counted %q, want %q twice", l.fake.counted, want)
		}
		for _, row := range l.counted(t, "syscalls-1").Rows {
			if worse && row.NA != "perf was late" || !worse && (row.Note != "counted in one number: perf was late" || row.PerRequest != record.Of(2)) {
				t.Errorf("%+v", row)
			}
		}
	}
}

// What a kill leaves of a pass is no result, whatever its number.
func TestPassNumbers(t *testing.T) {
	layout := session.Layout{Results: t.TempDir(), Table: "t"}
	if err := os.Mkdir(layout.SessionDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"syscalls-1", "syscalls-2"} {
		p, err := layout.BeginPass("syscalls")
		if err != nil || filepath.Base(p.Dir) != want {
			t.Errorf("%v, %v, want %s", p, err, want)
		}
		if err := p.Write("v", "multi", "s", "f", []byte("x")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(p.Dir, "v", "multi+s", "f")); err != nil {
			t.Error(err)
		}
	}
}
