package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// A mix asks several scenarios of a server that runs already, one after the other, each a
// fixed number of times. It is a load that is for something, such as training a compiler,
// and no measurement: it is done when every request has ended ok, and has failed otherwise.

// mixSchema is the format of a mix in JSON.
const mixSchema = "scalbench.mix/v1"

// mixResult is what became of a mix.
type mixResult struct {
	Schema  string    `json:"schema"`
	Version string    `json:"version"`
	Parts   []mixPart `json:"parts"` // of which there is a result, in order
}

// mixPart is one scenario of it.
type mixPart struct {
	Scenario string          `json:"scenario"`
	Result   *loadgen.Result `json:"result"`
}

// errIncomplete is a fixed number of requests of which some did not end ok: exit code 3.
var errIncomplete = errors.New("not every request ended ok")

// notAllOK says which of a fixed number of requests did not end ok; nil: all did.
func notAllOK(scenario string, r *loadgen.Result) error {
	if r.Ledger.NotOK() == 0 {
		return nil
	}
	return fmt.Errorf("%w: scenario %s: %d of %d: %s", errIncomplete, scenario, r.Ledger.NotOK(), r.Ledger.Scheduled, mainFailure(r))
}

// mix is the scenarios of one, nil when only one or none is asked for.
func (o *loadOptions) mix() []string {
	if !strings.Contains(o.scenario, ",") {
		return nil
	}
	return strings.Split(o.scenario, ",")
}

// checkMix tells which flags a mix does not go with.
func (o *loadOptions) checkMix(args []string, f *pflag.FlagSet) error {
	var faults []error
	if len(args) > 0 {
		faults = append(faults, usagef("the URL %s and --scenario %s: each says what is asked; --attach %s is the way", args[0], o.scenario, args[0]))
	}
	if len(o.attach) == 0 {
		faults = append(faults, usagef("--scenario %s: several scenarios are asked of a server that runs, want --attach URL", o.scenario))
	}
	if !f.Changed("requests") {
		faults = append(faults, usagef("--scenario %s: several scenarios are asked a fixed number of times each, want -n", o.scenario))
	}
	if o.format != "text" && o.format != "json" && o.format != "quiet" {
		faults = append(faults, usagef("--output-format %s is of one scenario, want text, json or quiet", o.format))
	}
	for _, name := range []string{"plan", "find-max-rps", "threshold", "qlog"} {
		if f.Changed(name) {
			faults = append(faults, usagef("--%s is of one scenario, and --scenario %s are several", name, o.scenario))
		}
	}
	return errors.Join(faults...)
}

// loadMix is the story of a mix: flags to plans, all of them before anything is asked,
// one load after the other, what became of all.
func (o *loadOptions) loadMix(ctx context.Context, args []string, f *pflag.FlagSet, std streams) error {
	plans, err := o.mixPlans(f)
	if err := errors.Join(o.checkMix(args, f), err); err != nil {
		return err
	}
	file, err := createResultFile(o.outFile)
	if err != nil {
		return err
	}
	defer file.discard()
	mix := mixResult{Schema: mixSchema, Version: version()}
	var failures []error
	for i, name := range o.mix() {
		result, err := o.run(ctx, plans[i], std)
		if err != nil {
			failures = append(failures, unlessInterrupted(ctx, fmt.Errorf("scenario %s: %w", name, err)))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		mix.Parts = append(mix.Parts, mixPart{name, result})
		failures = append(failures, o.printPart(name, result, i > 0, std.out), notAllOK(name, result))
		if result.Interrupted {
			failures = append(failures, errInterrupted)
			break
		}
	}
	err = file.write(mix)
	if o.format == "json" {
		err = errors.Join(err, writeJSON(std.out, mix))
	}
	return errors.Join(append(failures, err)...)
}

// mixPlans makes the plan of each scenario. Faults of flags, which all of them have, are
// told once.
func (o *loadOptions) mixPlans(f *pflag.FlagSet) (plans []loadgen.Plan, err error) {
	s, err := readSuite(o.suite)
	if err != nil {
		return nil, err
	}
	var faults []error
	told := map[string]bool{}
	for _, name := range o.mix() {
		plan, err := o.partPlan(s, name, f)
		for _, one := range flatten(errors.Join(err, validatePlan(plan, err))) {
			if one != nil && !told[one.Error()] {
				told[one.Error()] = true
				faults = append(faults, usageError{one})
			}
		}
		plans = append(plans, plan)
	}
	return plans, errors.Join(faults...)
}

// partPlan makes the plan of one scenario. It has no warm-up but one that is asked for:
// its requests would not be counted.
func (o *loadOptions) partPlan(s *suite.Suite, name string, f *pflag.FlagSet) (loadgen.Plan, error) {
	scenario, err := s.Scenario(strings.TrimSpace(name))
	if err != nil {
		return loadgen.Plan{}, err
	}
	scenario.Warmup = 0
	if len(o.attach) == 0 { // told apart
		return loadgen.DefaultPlan(placeholderURL), nil
	}
	plan, _, err := o.planAttached(scenario, f)
	return plan, err
}

// printPart prints one scenario as a load of its own is printed, under its name.
func (o *loadOptions) printPart(name string, r *loadgen.Result, gap bool, out io.Writer) error {
	if o.format != "text" {
		return nil
	}
	heading := "scenario " + name + "\n"
	if gap {
		heading = "\n" + heading
	}
	if _, err := io.WriteString(out, heading); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return o.print(r, out)
}

// attachedAt is the URL of a scenario on the servers of --attach: the one that speaks as it
// is asked, where there are one in cleartext and one over TLS.
func (o *loadOptions) attachedAt(scenario suite.Scenario) (string, error) {
	scheme := "http://"
	if scenario.TLS.On {
		scheme = "https://"
	}
	i := slices.IndexFunc(o.attach, func(base string) bool { return strings.HasPrefix(base, scheme) })
	return loadplan.At(scenario, o.attach[max(i, 0)])
}
