package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/certs"
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
	if err := rateOf(scenario, f); err != nil {
		return plan, n, err
	}
	if len(o.attach) > 0 {
		return o.planAttached(scenario, f)
	}
	if scenario.OfVariants {
		return plan, n, usagef("scenario %s of suite %s asks its variants, which only a session starts: scalbench run; a server that is running is asked by its URL", o.scenario, s.Name)
	}
	for _, h := range scenario.Helpers {
		if !h.IsOurs() {
			return plan, n, usagef("scenario %s: only a session starts a helper such as %s: scalbench run", o.scenario, h.Name)
		}
	}
	url := scenario.URL
	n.helpers = scenario.Helpers
	if scenario.UsesTarget() {
		n.path, url = scenario.URL, placeholderURL+scenario.URL
		n.http3 = scenario.NeedsHTTP3()
		if scenario.TLS.On {
			url = securePlaceholderURL + scenario.URL
		}
	}
	plan = loadplan.Of(scenario, url)
	var trustErr error
	n.certs, plan.TLS.CAs, trustErr = trusted(scenario)
	return plan, n, errors.Join(trustErr, o.apply(&plan, f))
}

// rateOf refuses a scenario whose rate nobody knows.
func rateOf(scenario suite.Scenario, f *pflag.FlagSet) error {
	if scenario.Load.CapacityFrac > 0 && !f.Changed("rate") {
		return usagef("scenario %s: its rate is a share of what the server can do, which only a session measures: scalbench run, or --rate says one", scenario.Name)
	}
	return nil
}

// planAttached makes the plan of a scenario that is asked of a server which runs already:
// it has its helpers, and its certificate.
func (o *loadOptions) planAttached(scenario suite.Scenario, f *pflag.FlagSet) (plan loadgen.Plan, n needed, err error) {
	url, err := o.attachedAt(scenario)
	if err == nil {
		err = rateOf(scenario, f)
	}
	if err != nil {
		return plan, n, usageError{err}
	}
	plan = loadplan.Of(scenario, url)
	plan.TLS.CAs, err = trustedFile(scenario)
	return plan, n, errors.Join(err, o.apply(&plan, f))
}

// securePlaceholderURL is [placeholderURL] of a target over TLS.
const securePlaceholderURL = "https://127.0.0.1:1"

// trusted returns whom a scenario trusts beside the system: the CA that is made
// for the run, with the certificates of the embedded target, or that of a file.
func trusted(s suite.Scenario) (made *certs.Set, cas []byte, err error) {
	if !s.UsesTarget() || !s.TLS.On {
		cas, err = trustedFile(s)
		return nil, cas, err
	}
	names := certs.DefaultNames()
	if s.TLS.SNI != "" && !slices.Contains(names, s.TLS.SNI) {
		names = append(names, s.TLS.SNI)
	}
	if made, err = certs.Make(certs.Request{Names: names}, time.Now()); err != nil {
		return nil, nil, fmt.Errorf("certificates of scenario %s: %w", s.Name, err)
	}
	return made, made.CA, nil
}

// trustedFile is the CA that a scenario names; nil when it names none.
func trustedFile(s suite.Scenario) ([]byte, error) {
	if s.TLS.CA == "" {
		return nil, nil
	}
	cas, err := os.ReadFile(s.TLS.CA)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: ca %s: %w", s.Name, s.TLS.CA, cause(err))
	}
	return cas, nil
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
		data, err := bench.Files.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			fault := usagef("no embedded suite %q; there are: %s", name, strings.Join(embeddedSuites(), ", "))
			return nil, hintedError{fault, "a file is given by its path: --suite ./" + name}
		}
		if err != nil {
			return nil, err
		}
		parser := suiteParser()
		parser.FS = bench.Files // what it names is embedded too
		return parser.Parse(file, data)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--suite %s: %w", name, cause(err))
	}
	return suiteParser().Parse(name, data)
}

// suiteParser reads suites whose rates are those of plans.
func suiteParser() suite.Parser { return suite.Parser{CheckRate: loadplan.CheckRate} }

func embeddedSuites() []string {
	files, _ := fs.Glob(bench.Files, "suites/*.yaml") // the pattern is right
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
	}
	slices.Sort(names) // by file name "target-ab.yaml" would come before "target.yaml"
	return names
}
