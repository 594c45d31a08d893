package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/loadgen"
)

func newLoad(std streams) *cobra.Command {
	var o loadOptions
	cmd := &cobra.Command{
		Use:   "load [URL]",
		Short: "Put load on a URL, or on a scenario of a suite, and measure",
		Example: "  scalbench load http://127.0.0.1:8080/ -c 64 -z 10s\n" +
			"  scalbench load --scenario respond -c 64\n" +
			"  scalbench load http://127.0.0.1:8080/ -n 10k --output-format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("load: one URL, got %d: %q", len(args), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return load(cmd, args, &o, std) },
	}
	o.register(cmd.Flags())
	return cmd
}

// load is the story of the command: options to a plan, a server if the scenario
// brings its own, the run, the output, the verdict.
func load(cmd *cobra.Command, args []string, o *loadOptions, std streams) (err error) {
	if err := o.check(args); err != nil {
		return err
	}
	var plan loadgen.Plan
	switch {
	case o.plan != "":
		plan, err = o.planFromFile(std.in, cmd.Flags())
	case len(args) == 1:
		plan, err = o.planFromURL(args[0], cmd.Flags())
	default:
		var served *servedScenario
		served, err = o.serveScenario(cmd.Context(), cmd.Flags(), std)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, served.stop()) }()
		plan = served.plan
	}
	if err = errors.Join(err, validatePlan(plan, err)); err != nil {
		return err
	}
	result, err := o.run(cmd.Context(), plan, std)
	if err != nil {
		return err
	}
	if err := o.write(result, std.out); err != nil {
		return err
	}
	return o.judge(result)
}

// validatePlan adds the faults of a plan to those of the flags, so that all are
// told at once. A plan that could not even be read has none of its own.
func validatePlan(plan loadgen.Plan, err error) error {
	if err != nil && len(plan.Targets) == 0 {
		return nil
	}
	if invalid := plan.Validate(); invalid != nil {
		return usageError{invalid}
	}
	return nil
}

// check refuses what cannot stand together and fills the defaults in.
func (o *loadOptions) check(args []string) error {
	var faults []error
	given := len(args)
	if o.scenario != "" {
		given++
	}
	if o.plan != "" {
		given++
	}
	switch {
	case given > 1 && o.scenario != "" && len(args) > 0:
		faults = append(faults, usagef("--scenario %s and the URL %s: one or the other", o.scenario, args[0]))
	case given > 1:
		faults = append(faults, usagef("a URL, --scenario and --plan: only one of them"))
	case given == 0 && o.suite != "":
		faults = append(faults, usagef("--suite %s: which --scenario of it?", o.suite))
	case given == 0:
		faults = append(faults, hintedError{usagef("load: no URL and no --scenario"), "scalbench scenarios lists what can be measured here"})
	}
	switch o.format {
	case "text", "json", "quiet":
	case "ndjson", "csv", "hgrm", "oha-json", "oha-csv":
		faults = append(faults, usagef("--output-format %s is not supported yet, want text, json or quiet", o.format))
	default:
		faults = append(faults, usagef("--output-format %q: want text, json or quiet", o.format))
	}
	return errors.Join(faults...)
}

// run measures, with the process arranged around the workers.
func (o *loadOptions) run(ctx context.Context, plan loadgen.Plan, std streams) (*loadgen.Result, error) {
	age, ageErr := procfs.NewFS("/proc").Age(os.Getpid())
	progress := newProgress(std.err, plan, o.quiet)
	var arranged error
	result, err := loadgen.Run(ctx, plan, loadgen.Observer{
		Placed: func(cpus cpuset.Set) { arranged = arrangeProcess(cpus) },
		Row:    progress.row,
	})
	progress.end()
	if err = errors.Join(err, arranged); err != nil {
		return nil, err
	}
	if ageErr == nil { // loadgen counts from Run; here the process is the whole
		result.StartupMS += age.Seconds() * 1e3
	}
	return result, nil
}

// arrangeProcess keeps every thread of this process on the workers' CPUs, so
// that none disturbs the server, and gives the runtime room: a worker occupies
// a thread, and timers, signals and the collector need others.
func arrangeProcess(cpus cpuset.Set) error {
	if need := cpus.Count() + 2; runtime.GOMAXPROCS(0) < need {
		runtime.GOMAXPROCS(need)
	}
	return cpuset.SetProcess(cpus)
}

// judge turns a result that was written into how the command ends.
func (o *loadOptions) judge(r *loadgen.Result) error {
	switch {
	case r.Interrupted:
		return errInterrupted
	case r.Ledger.OK == 0 && r.CompletedInWindow == 0:
		return fmt.Errorf("%w%s", errNothingOK, firstError(r))
	case r.Validity == loadgen.Invalid:
		return errInvalid
	case o.strict && r.Validity == loadgen.Suspect:
		return errSuspect
	}
	return nil
}
