package driver

import (
	"fmt"
	"slices"

	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// looks tells whether rounds may be added to those of a suite's plan. Parity decides
// every row after them.
func (o Order) looks(s *suite.Suite) bool { return o.UntilDecided && s.Gate.Policy != suite.Parity }

// mostRounds is how many rounds a session of a suite may have.
func (o Order) mostRounds(s *suite.Suite) int {
	if o.looks(s) {
		return s.Plan.MaxRounds
	}
	return s.Plan.Rounds
}

// look lets the rounds before one be judged, where the order wants rounds until all is
// decided, and takes what is decided out of the plan, in the journal. over: no row needs
// this round. Nothing is judged before the rounds of the plan are done, nor in the
// middle of a round.
//
// Killed between the look and its event, a resumed session looks again, at the same
// rounds.
func (s *sitting) look(next int) (over bool, err error) {
	state, done := s.session.State(), next-1
	if !s.order.looks(s.suite) || s.around.Look == nil || state.Rounds[next].Begun || done < s.suite.Plan.Rounds {
		return false, nil
	}
	looked, err := s.around.Look(s.files())
	if err != nil {
		return false, fmt.Errorf("look at the %d rounds that are done: %w", done, err)
	}
	decided, err := s.leaving(looked.Decided)
	if err != nil {
		return false, err
	}
	if err := s.session.Decide(done, decided); err != nil {
		return false, err
	}
	for _, v := range decided {
		if _, before := state.Decided[v.Row]; !before {
			s.observer().say(fmt.Sprintf("decided after round %d: %s: %s", done, v.Row, v.Text))
		}
	}
	s.first = looked.First
	state = s.session.State()
	return state.AllDecided(s.session.Plan), nil
}

// leaving are the rows that leave the plan: those that are decided and no controls,
// which show in every round whether the host is what it was.
func (s *sitting) leaving(decided []Verdict) (rows []session.Verdict, err error) {
	for _, v := range decided {
		sc, known := s.session.Plan.Scenario(v.Row.Mode, v.Row.Scenario)
		if !known {
			return nil, fmt.Errorf("%s is decided, and no row of the plan", session.Row(v.Row))
		}
		if !sc.Control {
			rows = append(rows, session.Verdict{Row: session.Row(v.Row), Text: v.Text})
		}
	}
	return rows, nil
}

// rows are those of a round in the order of measuring: what should come first, then the
// others, without those that were decided before.
func (s *sitting) rows(round int) []order.Scenario {
	var state session.State
	if s.session != nil { // nil: it is only foreseen
		state = s.session.State()
	}
	all := order.Shuffled(s.suite.Plan, order.Rows(s.suite.Variants, s.suite.Scenarios), round)
	rows := slices.DeleteFunc(all, func(row order.Scenario) bool {
		return state.Left(session.Row{Mode: row.Mode, Scenario: row.Name}, round)
	})
	last := func(row order.Scenario) int {
		if slices.Contains(s.first, Row{row.Mode, row.Name}) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rows, func(a, b order.Scenario) int { return last(a) - last(b) })
	return rows
}

// decidedText says after which round a session is over that needs no more; "": it had
// all its rounds.
func (s *sitting) decidedText() string {
	state := s.session.State()
	if done := state.LastDone(); done < s.session.Plan.Rounds {
		return fmt.Sprintf("after round %d of %d", done, s.session.Plan.Rounds)
	}
	return ""
}
