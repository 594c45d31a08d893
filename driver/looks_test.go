package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// looks is a suite whose rows go on until they are decided: kept is a control.
const looks = `
suite: ab
host: lab
plan: {rounds: 3, max_rounds: 5, runs: 5, warmup: 0s, measure: 100ms}
variants:
  - {name: base, command: [sh, base], ports: {http: 0}}
  - {name: new, command: [sh, new], ports: {http: 0}}
scenarios:
  - {name: small, url: /small}
  - {name: large, url: /large}
  - {name: kept, url: /kept, control: true}
compare: [{base: base, new: new}]
gate: {policy: noninferior, margin: 1%}
`

// judged is what the gate says of a session in this lab.
func (l *lab) judged(t *testing.T) gate.Table {
	t.Helper()
	fsys := os.DirFS(l.results)
	s, err := record.ReadSession(fsys, "lab-ab.session")
	if err != nil {
		t.Fatal(err)
	}
	rule, err := gate.RuleOf(s.Plan.Gate)
	if err != nil {
		t.Fatal(err)
	}
	e := gate.Evidence{Sessions: []*record.Session{s}}
	for n := 1; n <= len(s.Journal.Of(record.RoundDone)); n++ {
		e.Rounds = append(e.Rounds, l.round(t, n))
	}
	table, err := gate.Judge(e, gate.Rules{Rule: rule, Compare: gate.ComparisonsOf(s.Plan)})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// lookGate makes the gate look after each round.
func (l *lab) lookGate(t *testing.T) {
	l.look = func(Files) (looked Looked, err error) {
		table := l.judged(t)
		for _, row := range table.Look() {
			switch at := (Row{row.Mode, row.Scenario}); {
			case row.Decided:
				looked.Decided = append(looked.Decided, Verdict{at, row.Text})
			case row.First:
				looked.First = append(looked.First, at)
			}
		}
		return looked, nil
	}
}

// ratios gives the runs of new a ratio to those of base, by the scenario and the number
// of the run in the session, from 1. Of others it is 1.
func (l *lab) ratios(of map[string]func(nth int) float64) {
	l.fake.onMeasure = func(_ context.Context, variant, scenario string, nth int, m *record.Measurement) error {
		if f := of[scenario]; f != nil && variant == "new" {
			m.RPS = record.Of(3000 * f(nth))
		}
		return nil
	}
}

// swinging lies 3 % to both sides of the margin and is never decided.
func swinging(nth int) float64 { return 0.99 + 0.03*float64(nth%2*2-1) }

// rowsIn are the scenarios that a round has, in the order of its first run of base.
func rowsIn(r *record.Round) (names []string) {
	rows := slices.Clone(r.Measurements)
	slices.SortFunc(rows, func(a, b record.Measurement) int { return a.Slot - b.Slot })
	for _, m := range rows {
		if !slices.Contains(names, m.Scenario) {
			names = append(names, m.Scenario)
		}
	}
	return names
}

// Rows leave one by one, controls stay, and the gate judges what there is.
func TestRowsLeaveOneByOne(t *testing.T) {
	l := newLab(t, map[string]string{"ab": looks})
	l.lookGate(t)
	l.ratios(map[string]func(int) float64{"large": swinging})
	o := l.order("ab")
	o.UntilDecided = true
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// 3 rounds of 5 runs of 2 variants of 3 rows, and 2 rounds of 2 rows.
	if s := outcome.Sessions[0]; s.Valid != 3*30+2*20 || s.Decided != "" || s.Stopped != "" {
		t.Errorf("%+v", s)
	}
	for n, want := range []string{"small large kept", "small large kept", "small large kept", "large kept", "large kept"} {
		if got := strings.Join(rowsIn(l.round(t, n+1)), " "); got != want {
			t.Errorf("round %d has %s, want %s", n+1, got, want)
		}
	}
	if !slices.Contains(l.said, "decided after round 3: small: new/base PASS") {
		t.Errorf("said %q", l.said)
	}
	for i, want := range []struct {
		verdict gate.Verdict
		rounds  int
	}{{gate.Pass, 3}, {gate.Inconclusive, 5}, {gate.Pass, 5}} {
		if r := l.judged(t).Rows[i]; r.Verdict != want.verdict || len(r.Numbers.Rounds) != want.rounds {
			t.Errorf("%s: %s by %d rounds, want %s by %d: %q", r.Scenario, r.Verdict, len(r.Numbers.Rounds), want.verdict, want.rounds, r.Why)
		}
	}
	state := l.state(t)
	last := l.told[len(l.told)-1].Progress
	if !state.Done || last.Done != 130 || last.Total != 130 || last.Left != 0 {
		t.Errorf("progress %+v, done %v", last, state.Done)
	}
}

// A session whose rows are all decided is finished: nobody can resume it, and its plan
// may be measured again under another name.
func TestAllDecided(t *testing.T) {
	l := newLab(t, map[string]string{"ab": looks})
	l.lookGate(t)
	o := l.order("ab")
	o.UntilDecided = true
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if s := outcome.Sessions[0]; len(s.Files.Rounds) != 3 || s.Decided != "after round 3 of 5" || s.Stopped != "" {
		t.Errorf("%+v", s)
	}
	if sessions, notes := Unfinished(l.results); len(sessions) != 0 || len(notes) != 0 {
		t.Errorf("unfinished: %+v %q", sessions, notes)
	}
	status, err := StatusOf(l.sessionDir())
	if err != nil || !status.Done || status.Progress != "round 3 of 5, 90 of 90 measurements, 2 of 3 rows decided, about 0s left" {
		t.Errorf("%+v, %v", status, err)
	}
	if _, err := l.resume(t.Context(), Order{}); !errors.Is(err, ErrFinished) {
		t.Errorf("resumed: %v", err)
	}
	if _, err := l.run(t.Context(), o); !errors.Is(err, ErrTaken) || errors.Is(err, ErrBusy) {
		t.Errorf("the same plan: %v", err)
	}
	o.Name = "again"
	if outcome, err := l.run(t.Context(), o); err != nil || outcome.Sessions[0].Decided == "" {
		t.Errorf("under another name: %+v, %v", outcome, err)
	}
}

// Whenever it is stopped, a session that goes on has the same rows in the same rounds:
// what is in the journal is not looked at again, and what was not yet is.
func TestLooksAreResumed(t *testing.T) {
	for _, stop := range []string{"at the look", "after the look", "in the round"} {
		l := newLab(t, map[string]string{"ab": looks})
		l.ratios(map[string]func(int) float64{"large": swinging})
		l.lookGate(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		whole, plain := l.look, l.fake.onMeasure
		switch stop {
		case "at the look":
			l.look = func(Files) (Looked, error) { return Looked{}, errors.New("no gate") }
		case "after the look":
			l.look = func(f Files) (Looked, error) {
				defer cancel(errors.New("interrupt"))
				return whole(f)
			}
		case "in the round":
			l.fake.onMeasure = func(ctx context.Context, variant, scenario string, nth int, m *record.Measurement) error {
				if nth == 17 && variant == "new" && scenario == "large" { // run 2 of round 4
					cancel(errors.New("interrupt"))
					return ctx.Err()
				}
				return plain(ctx, variant, scenario, nth, m)
			}
		}
		o := l.order("ab")
		o.UntilDecided = true
		if outcome, err := l.run(ctx, o); err == nil || outcome.Sessions[0].Stopped == "" {
			t.Fatalf("%s: %+v, %v", stop, outcome, err)
		}
		l.look, l.fake.onMeasure = whole, plain
		outcome, err := l.resume(t.Context(), Order{})
		if err != nil || outcome.Sessions[0].Valid != 130 {
			t.Errorf("%s: %+v, %v", stop, outcome, err)
		}
		for n, want := range []string{"small large kept", "small large kept", "small large kept", "large kept", "large kept"} {
			if got := strings.Join(rowsIn(l.round(t, n+1)), " "); got != want {
				t.Errorf("%s: round %d has %s, want %s", stop, n+1, got, want)
			}
		}
	}
}

// What fails but for the number of rows is measured first in the next round.
func TestDoubtfulFailGoesFirst(t *testing.T) {
	l := newLab(t, map[string]string{"ab": looks})
	l.lookGate(t)
	// Rounds lie 0.008, 0.010 and 0.0121 below the margin: 0.01003 with a standard
	// deviation of 0.00205, t = 8.47 with two degrees of freedom, of which 0.0068 are as
	// low or lower. The first look of rounds 3 to 5 has 0.0114, so that large fails; of
	// three rows the least p would have to be a third of that.
	large := func(nth int) float64 {
		distance := 0.010
		if round := (nth - 1) / 5; round < 3 {
			distance = -[]float64{0.008, 0.010, 0.0121}[round]
		}
		return 0.99 * math.Exp(distance)
	}
	l.ratios(map[string]func(int) float64{"small": swinging, "large": large})
	o := l.order("ab")
	o.UntilDecided = true
	if _, err := l.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rowsIn(l.round(t, 3)), rowsIn(l.round(t, 4))); got != "[small large kept] [large small kept]" {
		t.Errorf("rounds 3 and 4: %s", got)
	}
}

// The policy parity decides every row after the rounds of the plan: there are no looks.
func TestNoLooksOfParity(t *testing.T) {
	text := strings.Replace(looks, "gate: {policy: noninferior, margin: 1%}", "", 1)
	l := newLab(t, map[string]string{"ab": text})
	l.look = func(Files) (Looked, error) { return Looked{}, errors.New("looked") }
	o := l.order("ab")
	o.UntilDecided = true
	outcome, err := l.run(t.Context(), o)
	if err != nil || len(outcome.Sessions[0].Files.Rounds) != 3 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// Under fixed the added rounds are a repeat of what was BORDERLINE: all of them, and
// one look.
func TestBorderlineIsRepeated(t *testing.T) {
	text := strings.NewReplacer("rounds: 3, max_rounds: 5", "rounds: 1, max_rounds: 3", "gate: {policy: noninferior, margin: 1%}", "gate: {policy: fixed}").Replace(looks)
	l := newLab(t, map[string]string{"ab": text})
	l.lookGate(t)
	l.ratios(map[string]func(int) float64{"large": func(nth int) float64 {
		if nth <= 5 {
			return 0.97 + 0.03*float64(nth-3) // 0.97 with a CV of 5 %
		}
		return 0.985
	}})
	o := l.order("ab")
	o.UntilDecided = true
	if _, err := l.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rowsIn(l.round(t, 1)), rowsIn(l.round(t, 2)), rowsIn(l.round(t, 3))); got != "[small large kept] [large kept] [large kept]" {
		t.Errorf("rounds: %s", got)
	}
	table := l.judged(t)
	if r := table.Rows[1]; r.First != gate.Borderline || r.Verdict != gate.Pass || len(r.Repeats) != 1 || table.Estimate != "" {
		t.Errorf("large: %s, then %s; %q", r.First, r.Verdict, r.Why)
	}
	if dir := filepath.Join(l.results, "lab-ab-4"); !noFile(func() error { _, err := os.Stat(dir); return err }()) {
		t.Errorf("there is a fourth round")
	}
}

// Nothing can be decided where nothing is compared.
func TestNothingToDecide(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(looks, "compare: [{base: base, new: new}]", "", 1)})
	o := l.order("ab")
	o.UntilDecided = true
	if _, err := l.run(t.Context(), o); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "compares nothing") {
		t.Errorf("%v", err)
	}
}
