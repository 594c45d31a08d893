package order

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Gap is a row that is not measured for a variant.
type Gap struct {
	Variant  string
	Scenario Scenario
	State    record.State // NotApplicable or NotRun
	Reason   string       // a phrase: "it provides no h3", "this host has no php-fpm"

	// OtherMode: the row is in a mode that only other variants have.
	OtherMode bool
}

// Gaps returns what is not measured, in the order of variants and rows. A row is
// not applicable to a variant that lacks what the scenario needs, or that is never
// in that mode; else it is not run where the host lacks something. The first is no
// failure, the second leaves a question open: they are never taken for each other.
//
// lacking says in a phrase what this host lacks for a scenario of a variant, "" when it
// lacks nothing. nil: this host has everything.
func Gaps(variants []suite.Variant, scenarios []suite.Scenario, lacking func(suite.Variant, suite.Scenario) string) []Gap {
	rows := Rows(variants, scenarios)
	var gaps []Gap
	for _, v := range variants {
		for _, row := range rows {
			i := slices.IndexFunc(scenarios, func(sc suite.Scenario) bool { return RowOf(v, sc) == row })
			gap := Gap{Variant: v.Name, Scenario: row, State: record.NotApplicable}
			switch {
			case i < 0:
				gap.Reason, gap.OtherMode = modeReason(v), true
			case len(v.Lacks(scenarios[i].Needs)) > 0:
				gap.Reason = "it provides no " + strings.Join(v.Lacks(scenarios[i].Needs), ", no ")
			case lacking != nil:
				gap.State, gap.Reason = record.NotRun, lacking(v, scenarios[i])
			}
			if gap.Reason != "" {
				gaps = append(gaps, gap)
			}
		}
	}
	return gaps
}

// modeReason says why a variant has not the row of another.
func modeReason(v suite.Variant) string {
	if v.Instances.Layout == suite.Standalone {
		return "it is one server, without instances"
	}
	return fmt.Sprintf("its instances are %s", v.Instances.Layout)
}

// Without returns the measurements that are no gap.
func Without(keys []session.Key, gaps []Gap) []session.Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k session.Key) bool {
		return slices.ContainsFunc(gaps, func(g Gap) bool {
			return g.Variant == k.Variant && g.Scenario == Scenario{Mode: k.Mode, Name: k.Scenario}
		})
	})
}

// Row is the line of the gap in a run's summary, for [session.Session.SealRun].
func (g Gap) Row() record.Measurement {
	row := record.Measurement{Variant: g.Variant, Mode: g.Scenario.Mode, Scenario: g.Scenario.Name, State: g.State, Reason: g.Reason}
	if g.OtherMode {
		row.Flags = []string{record.FlagOtherMode}
	}
	return row
}
