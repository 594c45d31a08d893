package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// planFromScenario finds the scenario, makes its plan, and says what must run
// for it. Flags that were given win over what the scenario says.
func (o *loadOptions) planFromScenario(f *pflag.FlagSet) (plan loadgen.Plan, n needed, err error) {
	s, err := readSuite(o.suite)
	if err != nil {
		return plan, n, err
	}
	scenario, err := s.Scenario(o.scenario)
	if err != nil {
		return plan, n, hintedError{usageError{err}, "scalbench scenarios lists them with a sentence each"}
	}
	url := scenario.URL
	n.helpers = scenario.Helpers
	if scenario.UsesTarget() {
		n.path, url = scenario.URL, placeholderURL+scenario.URL
	}
	plan = scenarioPlan(scenario, url)
	return plan, n, o.apply(&plan, f)
}

// scenarioPlan says in a plan what a scenario says.
func scenarioPlan(s suite.Scenario, url string) loadgen.Plan {
	plan := loadgen.DefaultPlan(url)
	t := &plan.Targets[0]
	t.Method, t.Body = s.Method, []byte(s.Body)
	for _, h := range s.Headers {
		t.Header = append(t.Header, loadgen.Field{Name: h.Name, Value: h.Value})
	}
	t.ExpectStatus = s.Expect.Status
	if s.Expect.Bytes != nil {
		t.ExpectBytes = *s.Expect.Bytes
	}
	plan.Connections, plan.RequestsPerConn = s.Connections, s.RequestsPerConn
	plan.WarmUp, plan.Measure = s.Warmup, s.Measure
	return plan
}

// embeddedSuite is what --suite means when it is not given.
const embeddedSuite = "target"

// readSuite reads a suite from a file, or an embedded one by its name.
func readSuite(name string) (*suite.Suite, error) {
	if name == "" {
		name = embeddedSuite
	}
	if !strings.ContainsAny(name, "./") {
		file := path.Join("suites", name+".yaml")
		data, err := bench.Suites.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			fault := usagef("no embedded suite %q; there are: %s", name, strings.Join(embeddedSuites(), ", "))
			return nil, hintedError{fault, "a file is given by its path: --suite ./" + name}
		}
		if err != nil {
			return nil, err
		}
		return suite.Parse(file, data)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--suite %s: %w", name, cause(err))
	}
	return suite.Parse(name, data)
}

func embeddedSuites() []string {
	files, _ := fs.Glob(bench.Suites, "suites/*.yaml") // the pattern is right
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
	}
	return names
}

func newScenarios(std streams) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "List what can be measured here, with a sentence each",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			names := embeddedSuites()
			if file != "" {
				names = []string{file}
			}
			for _, name := range names {
				s, err := readSuite(name)
				if err != nil {
					return err
				}
				printScenarios(std.out, s)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "suite", "", "the `file` of a suite, or the name of an embedded one (default all embedded)")
	return cmd
}
