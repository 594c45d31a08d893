package session

import (
	"fmt"
	"maps"
	"slices"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
)

// Recovery is what has to happen before a session that was stopped or killed goes on.
type Recovery struct {
	// Aborted are the rounds that began under another boot: a round lies in one window
	// of time or is none. Their directories are put aside and they are done whole.
	Aborted []int

	// Adopted were committed, but the journal had not got to say so.
	Adopted []Key

	// Voided have to be measured again: cut in the middle, or partners of one that was.
	// Which halves of pairs are too old by then is asked later ([Session.VoidOld]).
	Voided []Key

	// Events bring the journal up to all that; the last is session_resumed. They are not
	// stamped.
	Events []record.Event
}

// Why measurements are void when a session goes on.
const (
	cutReason  = "the driver ended before it was measured"
	halfReason = "the other half of the pair would be measured too long after it"
)

// committed looks whether an attempt was committed, and what its row says.
type committed func(k Key, attempt int) (row record.Measurement, ok bool, err error)

// recovery finds what a session that was left in a state needs, so that it can go on
// in a boot. Doing it twice needs nothing more the second time but the resumption.
func (s *State) recovery(plan *record.Plan, boot Boot, look committed) (Recovery, error) {
	after := s.clone()
	var r Recovery
	note := func(events ...record.Event) error {
		for _, e := range events {
			e.Session = s.Session
			if err := after.Apply(e); err != nil {
				return fmt.Errorf("resume session %s: %w", s.Session, err)
			}
			r.Events = append(r.Events, e)
		}
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(s.Rounds)) {
		round := s.Rounds[n]
		if !round.Begun || round.Boot == boot.String() {
			continue
		}
		r.Aborted = append(r.Aborted, n)
		text := fmt.Sprintf("it began under %s, now it is %s", round.Boot, boot)
		if err := note(record.Event{Kind: record.RoundAborted, Round: n, Text: text}); err != nil {
			return Recovery{}, err
		}
	}
	var cut []Key
	for _, k := range after.open() {
		row, ok, err := look(k, after.Cells[k].Attempt)
		switch {
		case err != nil:
			return Recovery{}, err
		case !ok && after.Cells[k].Status == Measured:
			return Recovery{}, fmt.Errorf("resume session %s: %s was measured, but its files are not there", s.Session, k)
		case !ok:
			cut = append(cut, k)
			continue
		}
		r.Adopted = append(r.Adopted, k)
		if err := note(adopt(k, after.Cells[k], row)...); err != nil {
			return Recovery{}, err
		}
	}
	for _, k := range cut {
		events := redo(plan, &after, k, cutReason)
		for _, e := range events {
			r.Voided = append(r.Voided, keyOf(e))
		}
		if err := note(events...); err != nil {
			return Recovery{}, err
		}
	}
	if err := note(record.Event{Kind: record.SessionResumed, Text: boot.String()}); err != nil {
		return Recovery{}, err
	}
	return r, nil
}

// open returns the measurements that the journal left in the middle.
func (s *State) open() []Key {
	var keys []Key
	for _, n := range slices.Sorted(maps.Keys(s.Rounds)) {
		keys = append(keys, slices.DeleteFunc(s.Keys(n), func(k Key) bool { return !s.Cells[k].Status.Open() })...)
	}
	return keys
}

// oldHalves are the events that void what was begun longer ago than a run takes, in a round
// that has begun, while a partner is to be made. Both halves of a pair lie in one window:
// where no session ends, the second begins within the time of a run.
//
// The age is that of the attempt's beginning: an attempt whose commit the journal had not
// got to say is said to be measured when the session goes on, maybe hours later.
func (s *State) oldHalves(plan *record.Plan, round int, now mono.Time) ([]record.Event, error) {
	if !s.Rounds[round].Begun {
		return nil, nil
	}
	after, limit := s.clone(), mono.Time(runTakes(plan))
	missing := func(k Key) bool {
		c, known := after.Cells[k]
		return known && !c.Status.Decided() // what is not known is a gap
	}
	var events []record.Event
	for again := true; again; { // one that is void makes its partners ask, too
		again = false
		for _, k := range after.Keys(round) {
			c := after.Cells[k]
			if !c.Status.Decided() || now-mono.Time(c.BegunNS) <= limit || !slices.ContainsFunc(Partners(plan, k), missing) {
				continue
			}
			e := event(record.Rejected, k, c, halfReason)
			e.Session = s.Session
			if err := after.Apply(e); err != nil {
				return nil, err
			}
			events, again = append(events, e), true
		}
	}
	return events, nil
}

// adopt returns the events that a committed attempt still lacks.
func adopt(k Key, c Cell, row record.Measurement) []record.Event {
	var events []record.Event
	if c.Status == Begun {
		events = append(events, event(record.Measured, k, c, ""))
	}
	return append(events, verdict(k, c, row))
}

// verdict is the event that says what a row is worth.
func verdict(k Key, c Cell, row record.Measurement) record.Event {
	if row.State == record.Valid {
		return event(record.Accepted, k, c, "")
	}
	return event(record.Rejected, k, c, row.Reason)
}
