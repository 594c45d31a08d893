package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/scalws/scalbench/internal/record"
)

// Key says which measurement of a session it is.
type Key struct {
	Round, Run              int // from 1
	Variant, Mode, Scenario string
}

// keyOf is the measurement that an event is about.
func keyOf(e record.Event) Key { return Key{e.Round, e.Run, e.Variant, e.Mode, e.Scenario} }

// String names it as messages do: round 2, run 3, el8, multi/static-small.
func (k Key) String() string {
	return fmt.Sprintf("round %d, run %d, %s, %s", k.Round, k.Run, k.Variant, k.Row())
}

// Row is a line of the tables: a scenario in a mode, of all variants.
type Row struct{ Mode, Scenario string }

// Row is the one that a measurement is of.
func (k Key) Row() Row { return Row{k.Mode, k.Scenario} }

// String names it as tables do: multi/static-small.
func (r Row) String() string {
	if r.Mode == "" {
		return r.Scenario
	}
	return r.Mode + "/" + r.Scenario
}

// Status is how far a measurement has come. The events in brackets lead to it.
type Status uint8

const (
	// Planned: it has its place in the order of the round [planned].
	Planned Status = iota
	// Begun: its attempt is under way, or was when the driver died [started].
	Begun
	// Measured: its files are on disk, but nobody said what they are worth [measured].
	Measured
	// Valid: it may be judged [valid].
	Valid
	// Invalid: it was measured, and may not be judged [invalid]. The driver decides
	// whether it is tried again.
	Invalid
	// Void: it has to be measured again [invalid, of one that was begun, valid or
	// invalid]: it was cut, or the other half of its pair was.
	Void
)

// String returns the word for people.
func (s Status) String() string {
	return [...]string{"planned", "begun", "measured", "valid", "invalid", "void"}[s]
}

// Open tells whether the journal left it in the middle.
func (s Status) Open() bool { return s == Begun || s == Measured }

// Decided tells whether it is done.
func (s Status) Decided() bool { return s == Valid || s == Invalid }

// Cell is what became of one measurement.
type Cell struct {
	Status  Status
	Slot    int    // place in the order of the round, from 1; 0: none
	Attempt int    // the last that was begun, from 1; 0: none
	Cut     int    // how many attempts ended before they were measured
	Reason  string // of Invalid and Void

	// When the last attempt was begun and measured, in CLOCK_MONOTONIC; 0: not. Its
	// window lies between.
	BegunNS, MeasuredNS int64
}

// RoundState is what became of one round.
type RoundState struct {
	Begun   bool   // between its start and its end, or its being aborted
	Done    bool   // it has its aggregate
	Boot    string // [Boot.String] of the boot in which it began
	Aborted int    // how often it was begun and given up
}

// State is what a journal says about its session. The zero value is that of an empty
// journal. It is plain data; [State.Apply] alone changes it.
type State struct {
	Session string
	Boot    string // of the last start or resumption
	Resumed int    // how often
	Stopped string // why it was stopped; "": it was not, or was resumed since
	Done    bool
	DoneAs  string // that it ended before its last round because all was decided; "": it had all

	Rounds  map[int]RoundState
	Cells   map[Key]Cell // of rounds that were not aborted
	Decided map[Row]int  // after which round; those rows are in no later round
}

// Replay makes the state that events lead to. An error tells the first event that
// cannot have happened after those before it: two drivers wrote, or somebody edited.
func Replay(events []record.Event) (State, error) {
	var s State
	for i, e := range events {
		if err := s.Apply(e); err != nil {
			return State{}, fmt.Errorf("%s:%d: %w", record.JournalFile, i+1, err)
		}
	}
	return s, nil
}

// Cell returns what became of a measurement; false: the journal does not know it.
func (s *State) Cell(k Key) (Cell, bool) {
	c, known := s.Cells[k]
	return c, known
}

// Missing tells whether a measurement is still to be made: not yet, or again.
// Invalid ones are not: they were made.
func (s *State) Missing(k Key) bool {
	c, known := s.Cells[k]
	return !known || !c.Status.Decided()
}

// Left tells whether a row was decided before a round, which then lacks it.
func (s *State) Left(row Row, round int) bool {
	after, decided := s.Decided[row]
	return decided && after < round
}

// Keys returns the measurements of a round, by run, slot and name.
func (s *State) Keys(round int) []Key {
	keys := slices.Collect(maps.Keys(s.Cells))
	keys = slices.DeleteFunc(keys, func(k Key) bool { return k.Round != round })
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(s.Cells[a].Slot, s.Cells[b].Slot),
			cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Scenario, b.Scenario))
	})
	return keys
}

// LastDone is the last of the rounds that are done, from the first on; 0: none.
func (s *State) LastDone() int {
	n := 0
	for s.Rounds[n+1].Done {
		n++
	}
	return n
}

// AllDecided tells whether no row needs another round: all are decided but controls,
// which are in every round that there is, and decide nothing. It is never so without a
// decision.
func (s *State) AllDecided(plan *record.Plan) bool {
	if len(s.Decided) == 0 {
		return false
	}
	for _, sc := range plan.Scenarios {
		if _, decided := s.Decided[Row{sc.Mode, sc.Name}]; !decided && !sc.Control {
			return false
		}
	}
	return true
}

// lacksRounds tells whether a round has to be measured, or to be ended.
func (s *State) lacksRounds(plan *record.Plan) bool {
	last := s.LastDone()
	return last < plan.Rounds && (s.Rounds[last+1].Begun || !s.AllDecided(plan))
}

// clone returns a state that can be changed without this one.
func (s *State) clone() State {
	other := *s
	other.Rounds, other.Cells, other.Decided = maps.Clone(s.Rounds), maps.Clone(s.Cells), maps.Clone(s.Decided)
	return other
}
