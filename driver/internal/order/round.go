package order

import (
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// Round returns the measurements of a round, from 1, in the order in which they are
// made: run by run, and in each run variant by variant with all scenarios
// ([suite.ByVariant]) or scenario by scenario with all variants ([suite.ByScenario]).
// Which variant is first is for the plan's order. The scenarios keep theirs, which
// is the same for all variants.
//
// For [suite.Sliced] there is [RoundOfPairs].
func Round(p suite.Plan, variants []string, scenarios []Scenario, round int) []session.Key {
	keys := make([]session.Key, 0, p.Runs*len(variants)*len(scenarios))
	for run := 1; run <= p.Runs; run++ {
		key := func(variant int, sc Scenario) {
			keys = append(keys, session.Key{Round: round, Run: run, Variant: variants[variant], Mode: sc.Mode, Scenario: sc.Name})
		}
		sequence := sequenceOf(p, len(variants), round, run)
		if p.Interleave == suite.ByScenario {
			for _, sc := range scenarios {
				for _, v := range sequence {
					key(v, sc)
				}
			}
			continue
		}
		for _, v := range sequence {
			for _, sc := range scenarios {
				key(v, sc)
			}
		}
	}
	return keys
}
