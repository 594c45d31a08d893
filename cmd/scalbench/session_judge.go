package main

import (
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// judgeSession judges a session by what its suite says.
func judgeSession(dir string) (gate.Gate, error) {
	found, err := readGateDirs([]string{dir})
	if err != nil {
		return nil, err
	}
	var o gateOptions
	f := pflag.NewFlagSet("gate", pflag.ContinueOnError)
	o.register(f)
	return o.judge(found, f)
}

// notPassed are the rows of a session, as MODE/SCENARIO, that the gate does not pass.
func notPassed(dir string) ([]string, error) {
	g, err := judgeSession(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, table := range g {
		for _, row := range table.Rows {
			if row.Verdict != gate.Pass && row.Verdict != gate.NotApplicable {
				names = appendNew(names, strings.TrimPrefix(row.Mode+"/"+row.Scenario, "/"))
			}
		}
	}
	return names, nil
}

// failed are the rows of a session that the gate fails by what its suite says; none where it
// compares nothing.
func failed(files driver.Files) ([]driver.Row, error) {
	plan, err := readPlan(path.Join(files.Session, record.PlanFile))
	if err != nil || len(gate.ComparisonsOf(plan)) == 0 {
		return nil, err
	}
	g, err := judgeSession(files.Session)
	if err != nil {
		return nil, err
	}
	return failedRows(g), nil
}

// failedRows are those of tables, of any comparison.
func failedRows(g gate.Gate) (rows []driver.Row) {
	for _, table := range g {
		for _, r := range table.Rows {
			row := driver.Row{Mode: r.Mode, Scenario: r.Scenario}
			if r.Verdict == gate.Fail && !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// look tells which rows of a session are decided by the rounds that it has.
func look(files driver.Files) (driver.Looked, error) {
	g, err := judgeSession(files.Session)
	if err != nil {
		return driver.Looked{}, err
	}
	var looked driver.Looked
	for _, table := range g {
		for _, l := range table.Look() {
			row := driver.Row{Mode: l.Mode, Scenario: l.Scenario}
			switch {
			case l.Decided:
				looked.Decided = append(looked.Decided, driver.Verdict{Row: row, Text: l.Text})
			case l.First:
				looked.First = append(looked.First, row)
			}
		}
	}
	return looked, nil
}
