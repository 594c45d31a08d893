package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/target"
	"github.com/scalws/scalbench/loadgen"
)

// servedScenario is a scenario with its server running, if it brings one.
type servedScenario struct {
	plan   loadgen.Plan
	server *target.Process // nil: the scenario has a full URL
}

// serveScenario finds the scenario, starts the embedded target on its CPUs
// where the scenario wants it, and makes the plan.
//
// Placement (DESIGN section 5): with one CPU both share it, with two the server
// has the lower, with more the lower half; the generator has the rest.
func (o *loadOptions) serveScenario(ctx context.Context, f *pflag.FlagSet, std streams) (*servedScenario, error) {
	s, err := readSuite(o.suite)
	if err != nil {
		return nil, err
	}
	scenario, err := s.Scenario(o.scenario)
	if err != nil {
		return nil, hintedError{usageError{err}, "scalbench scenarios lists them with a sentence each"}
	}
	// A trial with a base that is only a place holder: what is wrong with the
	// flags is told before a server is started.
	base := ""
	if scenario.UsesTarget() {
		base = "http://127.0.0.1:1"
	}
	plan, err := o.planFromScenario(scenario, base, f)
	if err = errors.Join(err, validatePlan(plan, err)); err != nil || !scenario.UsesTarget() {
		return &servedScenario{plan: plan}, err
	}
	cpus, err := cpuset.Allowed()
	if err != nil {
		return nil, err
	}
	serverCPUs := cpus.LowerHalf()
	if o.cpus.set != (cpuset.Set{}) && cpus.Minus(o.cpus.set).Count() > 0 {
		serverCPUs = cpus.Minus(o.cpus.set)
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start the embedded target: %w", err)
	}
	server, err := target.Start(ctx, exe, []string{"target"}, serverCPUs, std.err)
	if err != nil {
		return nil, err
	}
	plan, err = o.planFromScenario(scenario, server.URL, f)
	return &servedScenario{plan: plan, server: server}, err
}

// stop ends the server, if there is one.
func (s *servedScenario) stop() error {
	if s == nil || s.server == nil {
		return nil
	}
	return s.server.Stop()
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
			return nil, usagef("no embedded suite %q; there are: %s", name, strings.Join(embeddedSuites(), ", "))
		}
		if err != nil {
			return nil, err
		}
		return suite.Parse(file, data)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, usagef("--suite: %w", err)
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
