package loadgen

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// CapacityGoal is what a server has to hold at a rate: all of its thresholds.
type CapacityGoal []Threshold

// CapacityOptions say how exactly a capacity is looked for.
type CapacityOptions struct {
	Goal      CapacityGoal
	Precision float64 // the share by which the bracket's ends may differ; 0: 0.02
	Repeats   int     // measurements of a rate, of which the majority decides: an odd number; 0: 3
	StepsMax  int     // measurements in all; 0: 60. A usual search takes 30
}

// CapacityStep is one measurement at one rate.
type CapacityStep struct {
	OfferedRPS  float64  `json:"offered_rps"`
	AchievedRPS float64  `json:"achieved_rps"`
	P50US       *float64 `json:"p50_us,omitempty"` // of response time, as are the next two
	P99US       *float64 `json:"p99_us,omitempty"`
	P999US      *float64 `json:"p999_us,omitempty"`
	Held        bool     `json:"held"`   // the goal, at the offered rate
	Valid       bool     `json:"valid"`  // false: not a measurement of the server at this rate
	Why         string   `json:"why"`    // what decided, with the numbers
	Repeat      int      `json:"repeat"` // 1 is the first at this rate
}

// CapacityReason is why a search ended.
type CapacityReason string

const (
	CapacityFound      CapacityReason = "found"       // held up to one rate, broken from another on
	CapacityNotOffered CapacityReason = "not_offered" // held up to a rate; a higher one could not be offered: a lower bound
	CapacityAllHeld    CapacityReason = "all_held"    // at every rate up to 1024 times the first: a lower bound
	CapacityNoneHeld   CapacityReason = "none_held"   // at no rate down to a 1024th of the first
	CapacityStepsUsed  CapacityReason = "steps_used"  // StepsMax was reached before it was sure
	CapacityCut        CapacityReason = "cut"         // interrupted, or a measurement failed, before it was sure
)

// Capacity is the highest rate at which a goal holds, and all that was seen on
// the way. Rates are requests per second; 0: there is none.
type Capacity struct {
	// MaxRPS is the highest rate that held in the majority of its repeats, of
	// those below the lowest that did not.
	MaxRPS float64 `json:"max_rps,omitempty"`
	// LowRPS and HighRPS are the nearest rates that held, and did not, in each of
	// Repeats or more: what lies between them was not certain.
	LowRPS  float64        `json:"low_rps,omitempty"`
	HighRPS float64        `json:"high_rps,omitempty"`
	Reason  CapacityReason `json:"reason"`
	Sure    string         `json:"sure"`  // a sentence: how sure it is
	Notes   []string       `json:"notes"` // what is odd about the curve
	Steps   []CapacityStep `json:"steps"` // in the order of measuring
}

// FindCapacity looks for the highest rate at which the goal holds. measure puts
// load on the server at a rate, in open loop and with a warm-up of its own, and
// returns what it saw; start is where to begin: the rate of a closed loop, say.
//
// Rates are doubled or halved until one holds and one does not, and the stretch
// between the two is bisected in the logarithm. Each rate there is measured
// until a majority of Repeats agrees: first after a lower rate, then after a
// higher one, and so on, so that a server which stays slow after an overload is
// seen. Every vote counts until the end: what later repeats overrule moves the
// bracket back.
//
// A rate that could not be offered (see judge) bounds the search like one that
// broke the goal, and is told apart. With an error of measure or ctx, what was
// found until then is returned beside it.
func FindCapacity(ctx context.Context, start float64, o CapacityOptions, measure func(ctx context.Context, rps float64) (*Result, error)) (Capacity, error) {
	if err := o.complete(start); err != nil {
		return Capacity{}, err
	}
	s := &capacitySearch{CapacityOptions: o, measure: measure}
	s.start = s.rounded(start)
	err := s.visit(ctx, s.start)
	for err == nil {
		todo := s.next()
		if todo == nil {
			break
		}
		err = todo(ctx)
	}
	if errors.Is(err, errStepsUsed) {
		return s.conclude(CapacityStepsUsed), nil
	}
	if err != nil {
		return s.conclude(CapacityCut), err
	}
	return s.conclude(""), nil
}

// Bounds of what may be asked for, and of where it is looked for.
const (
	capacityStartMin     = 0.001
	capacityStartMax     = 1e9
	capacityPrecisionMin = 0.001 // finer than any load can be repeated
	capacitySpanMax      = 1024  // how far from the start rates are looked at, as a factor
)

// complete fills in the defaults and reports all that cannot be.
func (o *CapacityOptions) complete(start float64) error {
	if o.Precision == 0 {
		o.Precision = 0.02
	}
	if o.Repeats == 0 {
		o.Repeats = 3
	}
	if o.StepsMax == 0 {
		o.StepsMax = 60
	}
	var faults []error
	refuse := func(when bool, format string, args ...any) {
		if when {
			faults = append(faults, faultf(format, args...))
		}
	}
	refuse(len(o.Goal) == 0, "capacity: no goal, want a threshold such as p99<5ms")
	refuse(!(start >= capacityStartMin && start <= capacityStartMax), "capacity: start at %v requests a second, want %v to %.0f", start, capacityStartMin, capacityStartMax)
	refuse(!(o.Precision >= capacityPrecisionMin && o.Precision <= 1), "capacity: precision %v, want %v to 1", o.Precision, capacityPrecisionMin)
	refuse(o.Repeats < 1 || o.Repeats%2 == 0, "capacity: %d repeats, want an odd number, so that a majority decides", o.Repeats)
	refuse(o.StepsMax < 1, "capacity: at most %d steps, want at least 1", o.StepsMax)
	return errors.Join(faults...)
}

// conclude says what the votes amount to. The reason is "" when the search came
// to its end.
func (s *capacitySearch) conclude(reason CapacityReason) Capacity {
	low, high := s.bracket()
	c := Capacity{Reason: reason, Steps: s.steps, Notes: []string{}}
	if low != nil {
		c.MaxRPS = low.rps
	}
	if l := s.surelyHeld(low); l != nil && l.votes() >= s.Repeats {
		c.LowRPS = l.rps
	}
	if l := s.surelyNot(high); l != nil && l.votes() >= s.Repeats {
		c.HighRPS = l.rps
	}
	switch {
	case reason != "":
	case high == nil:
		c.Reason = CapacityAllHeld
	case high.missed > high.broken:
		c.Reason = CapacityNotOffered
	case low == nil:
		c.Reason = CapacityNoneHeld
	default:
		c.Reason = CapacityFound
	}
	c.Sure = c.sentence(low, high)
	c.Notes = append(c.Notes, s.oddities(high)...)
	return c
}

// sentence says how sure the bracket is: "held in 3 of 3 at 18 400, broken in 3 of
// 3 at 18 760".
func (c Capacity) sentence(low, high *capacityLevel) string {
	var parts []string
	if c.Reason == CapacityCut || c.Reason == CapacityStepsUsed {
		parts = append(parts, fmt.Sprintf("ended early, after %s measurements", grouped(len(c.Steps))))
	}
	if low == nil {
		parts = append(parts, "held at no rate")
	} else {
		parts = append(parts, fmt.Sprintf("held in %d of %d at %s", low.held, low.votes(), units.Rate(low.rps)))
		if c.LowRPS > 0 && c.LowRPS < low.rps {
			parts = append(parts, "in all at "+units.Rate(c.LowRPS))
		}
	}
	switch {
	case high == nil:
		parts = append(parts, "broken at no rate")
	case high.missed > high.broken:
		parts = append(parts, fmt.Sprintf("not offered in %d of %d at %s: %s", high.missed, high.votes(), units.Rate(high.rps), high.whyNot))
	default:
		parts = append(parts, fmt.Sprintf("broken in %d of %d at %s", high.notHeld(), high.votes(), units.Rate(high.rps)))
		if c.HighRPS > high.rps {
			parts = append(parts, "in all at "+units.Rate(c.HighRPS))
		}
		if low == nil {
			parts = append(parts, high.whyNot)
		}
	}
	return strings.Join(parts, ", ")
}

// hysteresisMin is at how many rates the way to them has to make a difference,
// and always the same one, before it is no chance.
const hysteresisMin = 3

// oddities tells what a reader would not expect of the curve.
func (s *capacitySearch) oddities(high *capacityLevel) (notes []string) {
	var again, mixed []string
	stuck, freed := 0, 0
	for _, l := range s.levels {
		if high != nil && l.rps > high.rps && l.held > l.notHeld() {
			again = append(again, units.Rate(l.rps))
		}
		if l.held > 0 && l.notHeld() > 0 {
			mixed = append(mixed, fmt.Sprintf("%s (held in %d of %d)", units.Rate(l.rps), l.held, l.votes()))
		}
		switch lower, higher := l.afterLower, l.afterHigher; {
		case lower.held*higher.votes > higher.held*lower.votes:
			stuck++
		case lower.held*higher.votes < higher.held*lower.votes:
			freed++
		}
	}
	if len(again) > 0 {
		notes = append(notes, fmt.Sprintf("the curve is not monotone: not held at %s, and held again at %s; the answer is the rate up to which every rate tried has held",
			units.Rate(high.rps), strings.Join(again, ", ")))
	}
	if stuck >= hysteresisMin && freed == 0 {
		notes = append(notes, fmt.Sprintf("the server stays slow after an overload: at %d rates the goal held more often after a lower rate than after a higher one", stuck))
	}
	if len(mixed) > 0 {
		notes = append(notes, "the repeats do not agree at "+strings.Join(mixed, ", "))
	}
	return notes
}
