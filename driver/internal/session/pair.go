package session

import (
	"slices"

	"github.com/scalws/scalbench/internal/record"
)

// Partners returns the other measurements that a key is compared with: the same run
// and scenario of the variants that its own is compared with, over any number of
// comparisons. With new/base and scoped/new all three belong together: new measured
// again for base would be in another window than scoped. A plan that compares nothing
// may be asked for any pair later, so all of its variants belong together.
func Partners(plan *record.Plan, k Key) []Key {
	together := []string{k.Variant}
	add := func(name string) {
		if !slices.Contains(together, name) {
			together = append(together, name)
		}
	}
	if len(plan.Compare) == 0 {
		for _, v := range plan.Variants {
			add(v.Name)
		}
	}
	for i := 0; i < len(together); i++ {
		for _, c := range plan.Compare {
			switch together[i] {
			case c.Base:
				add(c.New)
			case c.New:
				add(c.Base)
			}
		}
	}
	partners := make([]Key, 0, len(together)-1)
	for _, name := range together[1:] {
		other := k
		other.Variant = name
		partners = append(partners, other)
	}
	return partners
}

// redo returns the events that void a measurement and its partners, as far as they were
// begun, so that all of them are measured again in one window. Only the first has the
// reason; the others name it.
func redo(plan *record.Plan, s *State, k Key, reason string) []record.Event {
	var events []record.Event
	void := func(k Key, reason string) {
		switch c := s.Cells[k]; c.Status {
		case Begun, Valid, Invalid:
			events = append(events, event(record.Rejected, k, c, reason))
		}
	}
	void(k, reason)
	for _, partner := range Partners(plan, k) {
		void(partner, "measured again with "+k.Variant+": "+reason)
	}
	return events
}

// event is one about a measurement.
func event(kind record.EventKind, k Key, c Cell, text string) record.Event {
	return record.Event{Kind: kind, Round: k.Round, Run: k.Run, Slot: c.Slot, Variant: k.Variant, Mode: k.Mode, Scenario: k.Scenario,
		Attempt: c.Attempt, Text: text}
}
