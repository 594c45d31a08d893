package gate

import (
	"slices"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// rounds are those of a session with these numbers, a round an hour.
func (l lab) rounds(session string, numbers ...int) (all []*record.Round) {
	for _, n := range numbers {
		all = append(all, l.round(session, n, night.Add(time.Duration(n)*time.Hour)))
	}
	return all
}

// journal adds events to that of a session.
func journal(s *record.Session, kind record.EventKind, text string, rounds ...int) {
	if len(rounds) == 0 {
		rounds = []int{0}
	}
	for _, n := range rounds {
		s.Journal.Events = append(s.Journal.Events, record.Event{Kind: kind, Session: s.Plan.Session, Round: n, Text: text})
	}
}

// A hole between rounds is broken evidence. Rounds that were measured and are not given,
// and rounds that were to be measured and were not, leave an estimate: who may choose
// rounds, or when to stop, can choose the verdict.
func TestMissingRounds(t *testing.T) {
	l := lab{5, nil}
	tests := []struct {
		name     string
		change   func(e *Evidence, s *record.Session)
		rule     Rule
		invalid  string // reason; "": it is judged
		estimate string // "": a verdict of record
	}{
		{"all of the plan", func(*Evidence, *record.Session) {}, DefaultRule(Parity), "", ""},
		{"more than the plan", func(e *Evidence, _ *record.Session) { e.Rounds = l.rounds("s1", 1, 2, 3, 4) }, DefaultRule(Parity), "", ""},
		{"a hole", func(e *Evidence, s *record.Session) { e.Rounds, s.Plan.Rounds = l.rounds("s1", 1, 3, 4), 4 }, DefaultRule(Parity),
			"session s1 has round 1 and round 3, but not round 2 between them", ""},
		{"a wide hole, though the journal has it", func(e *Evidence, s *record.Session) {
			e.Rounds, s.Plan.Rounds = l.rounds("s1", 6, 1, 2), 6
			journal(s, record.RoundDone, "", 1, 2, 3, 4, 5, 6)
		}, DefaultRule(Parity), "session s1 has round 2 and round 6, but not rounds 3 to 5 between them", ""},
		{"a hole where a round is not finished", func(e *Evidence, _ *record.Session) { e.Rounds[1].Finished = false }, DefaultRule(Fixed),
			"session s1 has round 1 and round 3, but not round 2 between them", ""},
		{"a hole in rounds of which no session is known", func(e *Evidence, _ *record.Session) { e.Sessions, e.Rounds = nil, l.rounds("s1", 1, 3, 4) }, DefaultRule(Fixed),
			"session s1 has round 1 and round 3, but not round 2 between them", ""},
		{"the first ones are not given", func(e *Evidence, _ *record.Session) { e.Rounds = l.rounds("s1", 3, 4, 5) }, DefaultRule(Parity),
			"", "session s1 begins with round 3 here: rounds 1 to 2 are not among these"},
		{"the first one is not given", func(e *Evidence, _ *record.Session) { e.Rounds = l.rounds("s1", 2, 3, 4) }, DefaultRule(Parity),
			"", "session s1 begins with round 2 here: round 1 is not among these"},
		{"a later one is done", func(_ *Evidence, s *record.Session) { journal(s, record.RoundDone, "", 1, 2, 3, 4) }, DefaultRule(Parity),
			"", "round 4 of session s1 is done and is not among these"},
		{"fewer than the plan", func(_ *Evidence, s *record.Session) { s.Plan.Rounds = 5 }, DefaultRule(Parity), "", "session s1 has 3 of the 5 rounds of its plan"},
		{"stopped by a person", func(_ *Evidence, s *record.Session) {
			s.Plan.Rounds = 5
			journal(s, record.SessionStopped, "interrupt")
		}, DefaultRule(Fixed), "", "session s1 has 3 of the 5 rounds of its plan"},
		{"done since all was decided", func(_ *Evidence, s *record.Session) {
			s.Plan.Rounds = 5
			journal(s, record.SessionDone, "decided after round 3 of 5")
		}, DefaultRule(Parity), "", ""},
		{"stopped where each look has its share of alpha", func(_ *Evidence, s *record.Session) { s.Plan.Rounds = 5 },
			Rule{Policy: NonInferior, MarginFrac: 0.01, MaxRounds: 5}, "", ""},
		{"a second session adds rounds, and was not stopped", func(e *Evidence, s *record.Session) {
			other := l.session("s2")
			other.Plan.Rounds, other.Plan.Hash = 2, s.Plan.Hash
			e.Sessions, e.Rounds = append(e.Sessions, other), append(e.Rounds, l.rounds("s2", 1, 2)...)
		}, DefaultRule(Parity), "", ""},
		{"a second session adds one of its two rounds", func(e *Evidence, s *record.Session) {
			other := l.session("s2")
			other.Plan.Rounds, other.Plan.Hash = 2, s.Plan.Hash
			e.Sessions, e.Rounds = append(e.Sessions, other), append(e.Rounds, l.rounds("s2", 1)...)
		}, DefaultRule(Parity), "", "session s2 has 1 of the 2 rounds of its plan"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := l.evidence()
			test.change(&e, e.Sessions[0])
			rules := parityRules()
			rules.Rule = test.rule
			table, rows := judge(t, e, rules)
			if test.invalid != "" {
				if table.Verdict() != Invalid || rows["php"].Why[0] != test.invalid {
					t.Errorf("%s: %q, want %q", table.Verdict(), rows["php"].Why, test.invalid)
				}
				return
			}
			want := Pass
			if test.estimate != "" {
				want = Inconclusive
			}
			if table.Estimate != test.estimate || table.Verdict() != want {
				t.Errorf("%s, estimate %q, want %q", table.Verdict(), table.Estimate, test.estimate)
			}
		})
	}
}

// A repeat that was stopped before its last round resolves nothing.
func TestMissingRoundsOfARepeat(t *testing.T) {
	e := lab{5, nil}.evidence()
	each(e, "b", "php", func(m *record.Measurement) { m.RPS = record.Of(970 * (1 + 0.1*float64(m.Run-3))) })
	addRepeat(&e, lab{5, nil}, "again", "s1", "php", night.AddDate(0, 0, 1))
	rules := parityRules()
	rules.Rule = DefaultRule(Fixed)
	e.Sessions[1].Plan.Rounds = 2
	if _, rows := judge(t, e, rules); rows["php"].Verdict != Borderline || rows["php"].Repeats[0].Short != "at least 0.98, an estimate: session again has 1 of the 2 rounds of its plan" {
		t.Errorf("%s, repeat %q", rows["php"].Verdict, rows["php"].Repeats[0].Short)
	}
	e.Sessions[1].Plan.Rounds = 1
	if _, rows := judge(t, e, rules); rows["php"].Verdict != Pass {
		t.Errorf("a whole repeat leaves %s", rows["php"].Verdict)
	}
	// One with a hole is left out, and the table stays what it is.
	e.Sessions[1].Plan.Rounds = 3
	for _, r := range (lab{5, nil}).rounds("again", 3) {
		drop(r, func(m record.Measurement) bool { return m.Scenario != "php" })
		e.Rounds = append(e.Rounds, r)
	}
	table, rows := judge(t, e, rules)
	if want := "session again has round 1 and round 3, but not round 2 between them, and was left out"; rows["php"].Verdict != Borderline || !slices.Contains(table.Notes, want) {
		t.Errorf("%s, notes %q, want %q", rows["php"].Verdict, table.Notes, want)
	}
}
