package order

import (
	"fmt"
	"slices"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Pair are two variants that are up at the same time and take turns.
type Pair struct{ Base, New string }

// PairsOf are those of a suite's comparisons.
func PairsOf(compare []suite.Comparison) []Pair {
	pairs := make([]Pair, len(compare))
	for i, c := range compare {
		pairs[i] = Pair{c.Base, c.New}
	}
	return pairs
}

// Of returns the pair that a variant is in; false: in none.
func Of(pairs []Pair, variant string) (Pair, bool) {
	i := slices.IndexFunc(pairs, func(p Pair) bool { return p.Base == variant || p.New == variant })
	if i < 0 {
		return Pair{}, false
	}
	return pairs[i], true
}

// Other is the one of a pair that a variant is not.
func (p Pair) Other(variant string) string {
	if variant == p.Base {
		return p.New
	}
	return p.Base
}

// RoundOfPairs is [Round] where both variants of a pair are up and take turns
// ([suite.Sliced]): run by run, pair by pair, scenario by scenario. The two halves of a
// measurement stand one after the other; which of them is first, and is started first, is
// for the plan's order. Which has the first slice is not: a coin of the generator's says
// that, pair of slices by pair of slices.
func RoundOfPairs(p suite.Plan, pairs []Pair, scenarios []Scenario, round int) []session.Key {
	keys := make([]session.Key, 0, 2*p.Runs*len(pairs)*len(scenarios))
	for run := 1; run <= p.Runs; run++ {
		sequence := sequenceOf(p, 2, round, run)
		for _, pair := range pairs {
			names := [2]string{pair.Base, pair.New}
			for _, sc := range scenarios {
				for _, i := range sequence {
					keys = append(keys, session.Key{Round: round, Run: run, Variant: names[i], Mode: sc.Mode, Scenario: sc.Name})
				}
			}
		}
	}
	return keys
}

// PairGaps adds to gaps what is not measured for a variant because the other of its pair
// has a gap there: nobody takes turns with it.
func PairGaps(pairs []Pair, rows []Scenario, gaps []Gap) []Gap {
	find := func(variant string, row Scenario) (Gap, bool) {
		i := slices.IndexFunc(gaps, func(g Gap) bool { return g.Variant == variant && g.Scenario == row })
		if i < 0 {
			return Gap{}, false
		}
		return gaps[i], true
	}
	all := slices.Clone(gaps)
	for _, pair := range pairs {
		for _, row := range rows {
			for _, name := range []string{pair.Base, pair.New} {
				other, lacks := find(pair.Other(name), row)
				if _, too := find(name, row); !lacks || too {
					continue
				}
				gap := Gap{Variant: name, Scenario: row, State: other.State, Reason: fmt.Sprintf("%s, with which it takes turns: %s", other.Variant, other.Reason)}
				if other.OtherMode {
					gap.State = record.NotApplicable
				}
				all = append(all, gap)
			}
		}
	}
	return all
}
