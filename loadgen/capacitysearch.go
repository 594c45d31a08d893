package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scalws/scalbench/internal/units"
)

// capacitySearch is a search under way.
type capacitySearch struct {
	CapacityOptions
	measure func(ctx context.Context, rps float64) (*Result, error)
	start   float64
	steps   []CapacityStep
	levels  []*capacityLevel // by ascending rate
	last    float64          // the rate measured last
}

// next decides from all votes so far what to measure; nil when nothing is left.
func (s *capacitySearch) next() func(ctx context.Context) error {
	for _, l := range s.levels {
		if l.held == l.notHeld() {
			return s.repeat(l)
		}
	}
	low, high := s.bracket()
	bottom, top := s.levels[0], s.levels[len(s.levels)-1]
	switch {
	case high == nil && top.rps*2 <= s.start*capacitySpanMax:
		return s.look(top.rps * 2)
	case low == nil && bottom.rps/2 >= s.start/capacitySpanMax:
		return s.look(bottom.rps / 2)
	case low == nil || high == nil:
		return s.confirm(low, high)
	// One look beyond each end: is the curve monotone?
	case high == top && high.missed == 0:
		return s.look(high.rps * 2)
	case low == bottom:
		return s.look(low.rps / 2)
	case high.rps > low.rps*(1+s.Precision):
		return s.decide(s.rounded(math.Sqrt(low.rps * high.rps)))
	}
	return s.confirm(low, high)
}

// bracket returns the lowest rate that did not hold and the one before it, up to
// which all did; nil where there is none. A rate without a majority is neither.
func (s *capacitySearch) bracket() (low, high *capacityLevel) {
	for _, l := range s.levels {
		if l.held < l.notHeld() {
			return low, l
		}
		if l.held > l.notHeld() {
			low = l
		}
	}
	return low, nil
}

// rounded drops the digits of a rate that the precision does not need: a step
// can then be run again by hand.
func (s *capacitySearch) rounded(rps float64) float64 {
	exponent := math.Floor(math.Log10(rps * s.Precision / 10))
	if exponent < 0 { // a power of ten below 1 has no exact value, its inverse has
		inverse := math.Pow10(int(-exponent))
		return math.Round(rps*inverse) / inverse
	}
	digit := math.Pow10(int(exponent))
	return math.Round(rps/digit) * digit
}

// look measures a rate once.
func (s *capacitySearch) look(rps float64) func(ctx context.Context) error {
	return func(ctx context.Context) error { return s.visit(ctx, rps) }
}

// decide measures a rate until a majority of its repeats agrees.
func (s *capacitySearch) decide(rps float64) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		l := s.level(rps)
		for max(l.held, l.notHeld()) <= s.Repeats/2 {
			if err := s.repeat(l)(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// confirm repeats the ends of the bracket until each has all of its repeats, and
// where these do not agree, those of the next rate outwards too. nil: done.
func (s *capacitySearch) confirm(low, high *capacityLevel) func(ctx context.Context) error {
	for _, l := range []*capacityLevel{s.surelyHeld(low), s.surelyNot(high)} {
		if l != nil && l.votes() < s.Repeats {
			return s.repeat(l)
		}
	}
	return nil
}

// surelyHeld is the next rate from low downwards in which no repeat dissents;
// nil if there is none. Whether it has all of its repeats is not asked.
func (s *capacitySearch) surelyHeld(low *capacityLevel) *capacityLevel {
	for _, l := range slices.Backward(s.levels[:slices.Index(s.levels, low)+1]) {
		if l.notHeld() == 0 && l.held > 0 {
			return l
		}
	}
	return nil
}

// surelyNot is the same from high upwards.
func (s *capacitySearch) surelyNot(high *capacityLevel) *capacityLevel {
	if high == nil {
		return nil
	}
	for _, l := range s.levels[slices.Index(s.levels, high):] {
		if l.held == 0 && l.notHeld() > 0 {
			return l
		}
	}
	return nil
}

// repeat measures a rate once more, after a lower and a higher one in turn: the
// next there is on that side is measured first, unless the last step was on it.
func (s *capacitySearch) repeat(l *capacityLevel) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		i, above := slices.Index(s.levels, l), l.visits%2 == 1
		there, neighbour := s.last < l.rps, i-1
		if above {
			there, neighbour = s.last > l.rps, i+1
		}
		if !there && neighbour >= 0 && neighbour < len(s.levels) {
			if err := s.visit(ctx, s.levels[neighbour].rps); err != nil {
				return err
			}
		}
		return s.visit(ctx, l.rps)
	}
}

// errStepsUsed ends a search that has used up its measurements.
var errStepsUsed = errors.New("all steps used")

// visit measures a rate and counts what it says.
func (s *capacitySearch) visit(ctx context.Context, rps float64) error {
	if len(s.steps) == s.StepsMax {
		return errStepsUsed
	}
	r, err := s.measure(ctx, rps)
	if err == nil && r.Interrupted {
		err = cmp.Or(ctx.Err(), errors.New("interrupted"))
	}
	if err != nil {
		return fmt.Errorf("measure %s requests a second: %w", units.Rate(rps), err)
	}
	step, vote := s.Goal.judge(rps, r)
	s.level(rps).count(vote, step.Why, s.last)
	step.Repeat = s.level(rps).visits
	s.steps = append(s.steps, step)
	s.last = rps
	return nil
}

// level finds a rate among those measured, or adds it.
func (s *capacitySearch) level(rps float64) *capacityLevel {
	i, found := slices.BinarySearchFunc(s.levels, rps, func(l *capacityLevel, rps float64) int { return cmp.Compare(l.rps, rps) })
	if !found {
		s.levels = slices.Insert(s.levels, i, &capacityLevel{rps: rps})
	}
	return s.levels[i]
}
