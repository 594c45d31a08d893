package profile

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Micros is a measured CPU time of a request, in microseconds, with its standard error,
// which is NaN where it is not known.
type Micros struct{ Value, SE float64 }

// Side is what is known of one variant.
type Side struct {
	Samples uint64            // all of the server's
	Group   map[string]uint64 // of them
	CPU     Micros            // for each request, measured in the rounds and not in the profile
}

// Cost is what a request costs two variants in one group, in microseconds of CPU.
type Cost struct {
	Group      string
	Base, New  float64
	Difference float64 // New - Base
	SE         float64 // standard error of Difference
}

// Explanation is how much of a measured difference the groups explain.
type Explanation struct {
	Difference Micros // of cpu_us, new - base, as it was measured
	Costs      []Cost // of all groups, in the order asked for; their differences add up to the measured one
	Causes     []Cost // those of a known purpose that differ, the greatest first

	// Unexplained is what causes leave of the measured difference: what is in groups that
	// do not surely differ, and in the rest.
	Unexplained Micros
}

// CauseSE is by how many standard errors the cost of a group has to differ to be a cause. Of
// sixteen groups that do not differ, one in twenty-three comparisons takes one for a cause
// (1 - 0.9973^16 = 0.042); by two errors it were one in two.
const CauseSE = 3

// sureSE is by how many standard errors the measured difference has to differ from 0 for
// parts of it to be told: a part of nothing is no number.
const sureSE = 2

// FunctionSE is by how many standard errors the cost of a function has to differ to be told:
// of 500 functions that do not, one in 30 comparisons takes one for different (1 - 0.999937^500 = 0.031).
const FunctionSE = 4

// Functions are those whose own cost differs between two variants, the greatest first; their
// samples are in the places of groups.
func Functions(base, new Side) []Cost {
	names := map[string]bool{}
	for _, side := range []Side{base, new} {
		for name := range side.Group {
			names[name] = true
		}
	}
	var differ []Cost
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if c := costOf(name, base, new, func(s Side) uint64 { return s.Group[name] }); math.Abs(c.Difference) > FunctionSE*c.SE {
			differ = append(differ, c)
		}
	}
	slices.SortStableFunc(differ, func(a, b Cost) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	return differ
}

// Explain divides the measured difference of two variants among groups. rest are those that
// are never a cause. It needs samples of both, and both CPU times.
func Explain(base, new Side, difference Micros, groups, rest []string) Explanation {
	e := Explanation{Difference: difference}
	explained := map[string]bool{}
	for _, group := range groups {
		c := costOf(group, base, new, func(s Side) uint64 { return s.Group[group] })
		e.Costs = append(e.Costs, c)
		if math.Abs(c.Difference) > CauseSE*c.SE && !slices.Contains(rest, group) {
			e.Causes = append(e.Causes, c)
			explained[group] = true
		}
	}
	slices.SortStableFunc(e.Causes, func(a, b Cost) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	left := costOf("", base, new, func(s Side) (n uint64) {
		for group, samples := range s.Group {
			if !explained[group] {
				n += samples
			}
		}
		return n
	})
	e.Unexplained = Micros{left.Difference, left.SE}
	return e
}

// costOf is what some samples of both cost. A cost is a product of two measured numbers, a
// share and a time, of which neither knows of the other: their relative errors add up as
// squares.
func costOf(group string, base, new Side, samples func(Side) uint64) Cost {
	c := Cost{Group: group}
	var variance float64
	for _, of := range []struct {
		side Side
		cost *float64
	}{{base, &c.Base}, {new, &c.New}} {
		share := ShareOf(samples(of.side), of.side.Samples)
		*of.cost = share.Frac * of.side.CPU.Value
		variance += square(share.SE * of.side.CPU.Value)
		if !math.IsNaN(of.side.CPU.SE) {
			variance += square(share.Frac * of.side.CPU.SE)
		}
	}
	c.Difference, c.SE = c.New-c.Base, math.Sqrt(variance)
	return c
}

func square(x float64) float64 { return x * x }

// Sure tells whether the measured difference is one: else no part of it can be told.
func (e Explanation) Sure() bool { return math.Abs(e.Difference.Value) > sureSE*e.Difference.SE }

// IsCause tells whether a group is among the causes.
func (e Explanation) IsCause(group string) bool {
	return slices.ContainsFunc(e.Causes, func(c Cost) bool { return c.Group == group })
}

// Part is how much of the measured difference something is, 1 for all of it.
func (e Explanation) Part(micros float64) float64 { return micros / e.Difference.Value }
