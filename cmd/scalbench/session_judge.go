package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/gate"
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

// decided tells whether more rounds of a session would change what the gate says of
// any row: it can tell, or no number of rounds helps.
func decided(files driver.Files) (bool, error) {
	g, err := judgeSession(files.Session)
	if err != nil {
		return false, err
	}
	for _, table := range g {
		if len(table.Rounds) < table.Rules.Rounds() {
			return false, nil // an estimate, whatever its rows say
		}
		for _, row := range table.Rows {
			if row.Verdict == gate.Inconclusive || row.Verdict == gate.Borderline {
				return false, nil
			}
		}
	}
	return true, nil
}
