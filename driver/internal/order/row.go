package order

import (
	"math/rand/v2"
	"slices"

	"github.com/scalws/scalbench/internal/suite"
)

// Scenario is a row of the tables: a scenario in a mode.
type Scenario struct {
	Mode string // such as multi; "" where there is only one
	Name string
}

// String names a row as the command line does: multi/static-small.
func (s Scenario) String() string {
	if s.Mode == "" {
		return s.Name
	}
	return s.Mode + "/" + s.Name
}

// RowOf returns the row that a scenario is for a variant. What the suite says of the
// mode wins; a variant of several instances has its layout for one, as the instance
// tables of the reports.
func RowOf(v suite.Variant, sc suite.Scenario) Scenario {
	if sc.Mode != "" {
		return Scenario{Mode: sc.Mode, Name: sc.Name}
	}
	return Scenario{Mode: v.Instances.Layout.String(), Name: sc.Name}
}

// Rows returns the rows of a suite: those of each mode together, the modes in the order
// of the variants that have them first, the scenarios in that of the suite.
func Rows(variants []suite.Variant, scenarios []suite.Scenario) []Scenario {
	var rows []Scenario
	for _, v := range variants {
		for _, sc := range scenarios {
			if row := RowOf(v, sc); !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Shuffled returns rows in the order of a round: as they are, or shuffled where the plan
// wants that. What comes before a row warms caches and fills connection tables for it; in
// another order in each round, that is noise, and no part of its ratio.
func Shuffled(p suite.Plan, rows []Scenario, round int) []Scenario {
	rows = slices.Clone(rows)
	if p.Shuffle {
		random := rand.New(rand.NewPCG(p.Seed, shuffleStream|uint64(round)))
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	return rows
}

// shuffleStream keeps the numbers of rows apart from those of variants, which have the
// same seed.
const shuffleStream = 1 << 63
