package session

import (
	"errors"
	"fmt"
	"maps"

	"github.com/scalws/scalbench/internal/record"
)

// Apply changes the state by one event. An event that cannot happen in this state is
// an error and changes nothing.
func (s *State) Apply(e record.Event) error {
	switch {
	case e.Kind == record.Note:
		return nil
	case s.Session == "" && e.Kind != record.SessionStarted:
		return fmt.Errorf("%s before the session was started", e.Kind)
	case s.Session != "" && e.Session != s.Session:
		return fmt.Errorf("%s of session %s in a journal of %s", e.Kind, e.Session, s.Session)
	case s.Done:
		return fmt.Errorf("%s after the session was done", e.Kind)
	}
	switch e.Kind {
	case record.SessionStarted, record.SessionResumed, record.SessionStopped, record.SessionDone:
		return s.applySession(e)
	case record.RoundWaiting, record.RoundStarted, record.RoundDone, record.RoundAborted:
		return s.applyRound(e)
	case record.RowDecided:
		return s.applyDecided(e)
	case record.Planned, record.Started, record.Measured, record.Accepted, record.Rejected:
		return s.applyMeasurement(e)
	}
	return fmt.Errorf("unknown event %q", e.Kind)
}

// applySession takes an event about the session. The text of a start and of a
// resumption is the boot.
func (s *State) applySession(e record.Event) error {
	switch e.Kind {
	case record.SessionStarted:
		if s.Session != "" {
			return errors.New("the session was started twice")
		}
		s.Session, s.Boot = e.Session, e.Text
	case record.SessionResumed:
		s.Boot, s.Stopped = e.Text, ""
		s.Resumed++
	case record.SessionStopped:
		s.Stopped = e.Text
	case record.SessionDone:
		for n, r := range s.Rounds {
			if r.Begun {
				return fmt.Errorf("the session was done in the middle of round %d", n)
			}
		}
		s.Done, s.DoneAs = true, e.Text
	}
	return nil
}

// applyRound takes an event about a round.
func (s *State) applyRound(e record.Event) error {
	r := s.Rounds[e.Round]
	switch {
	case r.Done:
		return fmt.Errorf("%s of round %d, which is done", e.Kind, e.Round)
	case e.Kind == record.RoundWaiting:
		return nil // also in its middle: a resumed one waits, too
	case e.Kind == record.RoundStarted && r.Begun:
		return fmt.Errorf("%s of round %d, which has begun", e.Kind, e.Round)
	case e.Kind != record.RoundStarted && !r.Begun:
		return fmt.Errorf("%s of round %d, which has not begun", e.Kind, e.Round)
	}
	switch e.Kind {
	case record.RoundStarted:
		r.Begun, r.Boot = true, s.Boot
	case record.RoundDone:
		for _, k := range s.Keys(e.Round) {
			if c := s.Cells[k]; !c.Status.Decided() {
				return fmt.Errorf("round %d was done, but %s is %s", e.Round, k, c.Status)
			}
		}
		r.Begun, r.Done = false, true
	case record.RoundAborted:
		maps.DeleteFunc(s.Cells, func(k Key, _ Cell) bool { return k.Round == e.Round })
		r = RoundState{Aborted: r.Aborted + 1}
	}
	if s.Rounds == nil {
		s.Rounds = map[int]RoundState{}
	}
	s.Rounds[e.Round] = r
	return nil
}

// applyDecided takes a row out of the rounds that come. It is judged when a round is
// done, before the next begins.
func (s *State) applyDecided(e record.Event) error {
	row := Row{e.Mode, e.Scenario}
	for n, r := range s.Rounds {
		if r.Begun || r.Done && n > e.Round {
			return fmt.Errorf("%s was decided after round %d, but round %d has begun", row, e.Round, n)
		}
	}
	if !s.Rounds[e.Round].Done {
		return fmt.Errorf("%s was decided after round %d, which is not done", row, e.Round)
	}
	if after, twice := s.Decided[row]; twice {
		return fmt.Errorf("%s was decided after round %d, and had been after round %d", row, e.Round, after)
	}
	if s.Decided == nil {
		s.Decided = map[Row]int{}
	}
	s.Decided[row] = e.Round
	return nil
}

// applyMeasurement takes an event about one measurement.
func (s *State) applyMeasurement(e record.Event) error {
	k := keyOf(e)
	if !s.Rounds[e.Round].Begun {
		return fmt.Errorf("%s of %s, whose round is not open", e.Kind, k)
	}
	if s.Left(k.Row(), e.Round) {
		return fmt.Errorf("%s of %s, which was decided after round %d", e.Kind, k, s.Decided[k.Row()])
	}
	c, known := s.Cells[k]
	after, ok := c.next(e, known)
	switch {
	case !ok && !known:
		return fmt.Errorf("%s, attempt %d of %s, of which nothing is known", e.Kind, e.Attempt, k)
	case !ok:
		return fmt.Errorf("%s, attempt %d of %s, which is %s, attempt %d", e.Kind, e.Attempt, k, c.Status, c.Attempt)
	}
	if s.Cells == nil {
		s.Cells = map[Key]Cell{}
	}
	s.Cells[k] = after
	return nil
}

// next is the cell after an event; false when the event cannot follow.
//
//	(unknown) --planned--> Planned
//	Planned, Invalid, Void --started--> Begun, the next attempt
//	Begun --measured--> Measured --valid--> Valid
//	                    Measured --invalid--> Invalid
//	Begun, Valid, Invalid --invalid--> Void
func (c Cell) next(e record.Event, known bool) (Cell, bool) {
	switch e.Kind {
	case record.Planned:
		return Cell{Slot: e.Slot}, !known && e.Attempt == 1
	case record.Started:
		free := known && (c.Status == Planned || c.Status == Invalid || c.Status == Void)
		return Cell{Status: Begun, Slot: c.Slot, Attempt: e.Attempt, Cut: c.Cut, BegunNS: e.MonoNS}, free && e.Attempt == c.Attempt+1
	}
	if e.Attempt != c.Attempt { // always so when it is unknown: no event has attempt 0
		return c, false
	}
	was := c.Status
	switch {
	case e.Kind == record.Measured:
		c.Status, c.MeasuredNS = Measured, e.MonoNS
		return c, was == Begun
	case e.Kind == record.Accepted:
		c.Status = Valid
		return c, was == Measured
	case was == Measured:
		c.Status, c.Reason = Invalid, e.Text
		return c, true
	case was == Begun:
		c.Cut++
	}
	c.Status, c.Reason = Void, e.Text
	return c, was == Begun || was == Valid || was == Invalid
}
