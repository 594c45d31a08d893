package session

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/scalws/scalbench/internal/record"
)

// Session is a session under way: its files, and the journal open for writing. It is
// owned by one goroutine of the process that holds the host's lock.
type Session struct {
	Layout
	Plan *record.Plan
	Host *record.Host

	journal *journal
}

// State returns what the journal says now; it is the caller's own.
func (s *Session) State() State { return s.journal.state.clone() }

// Waiting notes what a round waits for.
func (s *Session) Waiting(round int, what string) error {
	return s.journal.write(record.Event{Kind: record.RoundWaiting, Round: round, Text: what})
}

// StartRound begins a round with its order, which has each measurement that will be made:
// the slot of a key is its place in it. flags is what was not as wished, such as
// noisy-host. A round's directory that has something in it is refused with
// [fs.ErrExist].
func (s *Session) StartRound(round int, order []Key, flags string) error {
	if len(order) == 0 {
		return fmt.Errorf("start round %d: nothing to measure", round)
	}
	dir := s.RoundDir(round)
	if err := makeDir(dir); err != nil {
		return fmt.Errorf("start round %d: %w", round, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("start round %d: %w", round, err)
	}
	if len(entries) > 0 { // an empty one is what a kill between here and the event leaves
		return fmt.Errorf("start round %d: %s: %w", round, dir, fs.ErrExist)
	}
	events := []record.Event{{Kind: record.RoundStarted, Round: round, Text: flags}}
	for i, k := range order {
		if k.Round != round {
			return fmt.Errorf("start round %d: %s is in its order", round, k)
		}
		events = append(events, event(record.Planned, k, Cell{Slot: i + 1, Attempt: 1}, ""))
	}
	return s.journal.write(events...)
}

// Redo voids a measurement and its partners, so that both halves of the pair are
// measured again in one window, and returns what was voided: those that are begun or
// decided. What was measured stays on disk, and the reason in the journal. A run that
// is sealed can no longer change.
func (s *Session) Redo(k Key, reason string) ([]Key, error) {
	for _, v := range s.Plan.Variants {
		sealed, err := exists(s.SummaryPath(k.Round, k.Run, v.Name))
		if err != nil {
			return nil, fmt.Errorf("redo %s: %w", k, err)
		}
		if sealed {
			return nil, fmt.Errorf("redo %s: the run is sealed", k)
		}
	}
	events := redo(s.Plan, &s.journal.state, k, reason)
	if len(events) == 0 {
		return nil, nil
	}
	if err := s.journal.write(events...); err != nil {
		return nil, fmt.Errorf("redo %s: %w", k, err)
	}
	voided := make([]Key, len(events))
	for i, e := range events {
		voided[i] = keyOf(e)
	}
	return voided, nil
}

// VoidOld gives up the halves of pairs of a round that were begun longer ago than a run takes
// and whose other half is still to be measured, and returns them. It is asked right before
// the round goes on: what the session waits for in between makes them older. In a round
// that has not begun there are none.
func (s *Session) VoidOld(round int) ([]Key, error) {
	_, now := s.journal.now()
	events, err := s.journal.state.oldHalves(s.Plan, round, now)
	if err == nil && len(events) > 0 {
		err = s.journal.write(events...)
	}
	if err != nil {
		return nil, fmt.Errorf("give up old halves of round %d: %w", round, err)
	}
	var voided []Key
	for _, e := range events {
		voided = append(voided, keyOf(e))
	}
	return voided, nil
}

// Verdict is what was said of a row that no later round needs.
type Verdict struct {
	Row  Row
	Text string // such as "new/base PASS"
}

// Decide takes rows out of the rounds that come, because of what the rounds up to this
// one say of them. Those that are out already are left.
func (s *Session) Decide(round int, decided []Verdict) error {
	var events []record.Event
	for _, v := range decided {
		if _, out := s.journal.state.Decided[v.Row]; !out {
			events = append(events, record.Event{Kind: record.RowDecided, Round: round, Mode: v.Row.Mode, Scenario: v.Row.Scenario, Text: v.Text})
		}
	}
	if len(events) == 0 {
		return nil
	}
	return s.journal.write(events...)
}

// Stop notes why the session stops before its end, and leaves it. An attempt under way
// is cut.
func (s *Session) Stop(reason string) error {
	err := s.journal.write(record.Event{Kind: record.SessionStopped, Text: reason})
	return joinClose(err, s.journal)
}

// Finish notes that every round of the plan is done, or that no row is left for those
// that are not, and leaves the session.
func (s *Session) Finish() error {
	state := &s.journal.state
	last := state.LastDone()
	if state.lacksRounds(s.Plan) {
		return fmt.Errorf("finish session %s: round %d is not done", s.Plan.Session, last+1)
	}
	done := record.Event{Kind: record.SessionDone}
	if last < s.Plan.Rounds {
		done.Text = fmt.Sprintf("decided after round %d of %d", last, s.Plan.Rounds)
	}
	return joinClose(s.journal.write(done), s.journal)
}

// Close leaves the session as a kill would. After [Session.Stop] and [Session.Finish]
// it is not needed.
func (s *Session) Close() error { return s.journal.close() }
