package order

import (
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
