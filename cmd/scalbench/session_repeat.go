package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
)

// repeatOptions is what the flags of `scalbench repeat` say.
type repeatOptions struct {
	scenarios, controls []string
	failed              bool
	runs                int
	name                string
	sitting             sittingOptions
}

func newRepeat(std streams) *cobra.Command {
	var o repeatOptions
	cmd := &cobra.Command{
		Use:   "repeat SESSION",
		Short: "Measure rows of a session again, into a session of their own",
		Long: "Measure rows of a session again, by the same plan in one round (under noninferior in as\n" +
			"many as before, for it decides by rounds), into a session of their own that says what it\n" +
			"repeats. The gate lets it resolve BORDERLINE and INCONCLUSIVE, never FAIL.",
		Example: "  scalbench repeat results/xeon-gate1.session --scenario static-small --runs 5\n" +
			"  scalbench repeat results/xeon-gate1.session --failed --control static-small",
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0], std) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&o.scenarios, "scenario", nil, "the `scenarios` to repeat: NAME, or MODE/NAME; repeatable (default all)")
	f.BoolVar(&o.failed, "failed", false, "repeat those that the gate does not pass")
	f.StringSliceVar(&o.controls, "control", nil, "`scenarios` to measure beside them, which should show no difference")
	f.IntVar(&o.runs, "runs", 0, "of each variant (default as in a round)")
	f.StringVar(&o.name, "name", "", "what the `name` of each directory begins with (default that of the session, and -repeat-1)")
	o.sitting.register(f)
	return cmd
}

// run is the story of the command.
func (o *repeatOptions) run(cmd *cobra.Command, dir string, std streams) error {
	order := driver.Order{Name: o.name, Controls: o.controls}
	if err := errors.Join(o.check(cmd.Flags()), o.sitting.apply(&order, time.Now())); err != nil {
		return err
	}
	scenarios := o.scenarios
	if o.failed {
		failed, err := notPassed(dir)
		if err != nil {
			return err
		}
		if len(failed) == 0 {
			fmt.Fprintln(std.out, "the gate passes every row: there is nothing to repeat")
			return nil
		}
		scenarios = append(scenarios, failed...)
	}
	order, err := driver.Repeat(dir, scenarios, o.runs, order)
	if err != nil {
		return err
	}
	outcome, err := driver.Run(cmd.Context(), order, o.sitting.around(std))
	return concluded(cmd.Context(), outcome, err, std)
}

func (o *repeatOptions) check(f *pflag.FlagSet) error {
	var faults []error
	if f.Changed("runs") && o.runs < 1 {
		faults = append(faults, usagef("--runs %d: want 1 or more", o.runs))
	}
	if len(o.controls) > 0 && !o.failed && len(o.scenarios) == 0 {
		faults = append(faults, usagef("--control: all scenarios are repeated, controls too; want --scenario or --failed"))
	}
	return errors.Join(faults...)
}
