package main

import (
	"slices"
	"testing"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/gate"
)

// A row fails where any of its comparisons does, and is there once.
func TestFailedRows(t *testing.T) {
	row := func(mode, scenario string, v gate.Verdict) gate.Row {
		r := gate.Row{Scenario: scenario, Mode: mode}
		r.Verdict = v
		return r
	}
	g := gate.Gate{
		{Rows: []gate.Row{row("", "a", gate.Pass), row("multi", "a", gate.Fail), row("", "b", gate.Invalid), row("", "c", gate.Borderline)}},
		{Rows: []gate.Row{row("multi", "a", gate.Fail), row("", "b", gate.Fail)}},
	}
	if got := failedRows(g); !slices.Equal(got, []driver.Row{{Mode: "multi", Scenario: "a"}, {Scenario: "b"}}) {
		t.Errorf("%v", got)
	}
}
