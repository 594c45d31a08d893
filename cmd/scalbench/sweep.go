package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// sweepOptions is what the flags of `scalbench sweep` say: those of run, and those of
// gate.
type sweepOptions struct {
	run  runOptions
	gate gateOptions
}

func newSweep(std streams) *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep SUITE...",
		Short: "Measure suites and judge them: run, then gate",
		Long: "Measure suites in sessions, as scalbench run does, and judge them, as scalbench gate does. It takes the flags of\n" +
			"both, and all of them are looked at before anything is measured. What became of the sessions goes to standard\n" +
			"error, the verdicts to standard output.\n\n" +
			"Exit codes: those of the gate (0 PASS, 3 FAIL, 4 no verdict, 5 INVALID). A run that was interrupted (130, 143),\n" +
			"found the host busy (6) or was refused (7) ends with its own; what it finished is judged, unless it was\n" +
			"interrupted.",
		Example: "  scalbench sweep gate1.yaml\n" +
			"  scalbench sweep target-ab --preset quick --policy noninferior --margin 2%\n" +
			"  scalbench sweep gate1.yaml --out gate.json --out pr.md",
		Args: someSuites,
		RunE: func(cmd *cobra.Command, suites []string) error { return o.sweep(cmd, suites, std) },
	}
	o.run.register(cmd.Flags())
	o.gate.register(cmd.Flags())
	return cmd
}

// sweep is the story of the command: flags to an order, the order to sessions, those
// that are over to verdicts, the graver of both to an exit code.
func (o *sweepOptions) sweep(cmd *cobra.Command, suites []string, std streams) error {
	flags := cmd.Flags()
	order, orderErr := o.run.order(flags, suites, time.Now())
	_, gateErr := o.gate.check(flags)
	if err := errors.Join(orderErr, gateErr, o.check(flags)); err != nil {
		return err
	}
	around := o.run.sitting.around(std)
	around.Failed = func(files driver.Files) ([]driver.Row, error) { return o.failed(files, flags) }
	if err := o.foresee(order, around, flags); err != nil {
		return err
	}
	if o.run.dryRun {
		return foresee(order, around, std)
	}
	outcome, err := driver.Run(cmd.Context(), order, around)
	for _, s := range outcome.Sessions {
		printSession(std.err, s)
	}
	return errors.Join(outcomeError(cmd.Context(), outcome, err), o.judge(cmd.Context(), outcome, flags, std))
}

// failed are the rows that this gate fails, by its flags.
func (o *sweepOptions) failed(files driver.Files, f *pflag.FlagSet) ([]driver.Row, error) {
	found, err := readGateDirs([]string{files.Session})
	if err != nil {
		return nil, err
	}
	g, err := o.gate.judge(found, f)
	return failedRows(g), err
}

// check tells which flags do not go together. A session that stops when it is decided
// was decided by the rule of its suite; another one, asked of it afterwards, would have
// looked at it several times for the price of once.
func (o *sweepOptions) check(f *pflag.FlagSet) error {
	var faults []error
	if f.Changed("until-decided") {
		var of gateRuleFlags
		rule := pflag.NewFlagSet("rule", pflag.ContinueOnError)
		of.register(rule)
		rule.VisitAll(func(flag *pflag.Flag) {
			if f.Changed(flag.Name) {
				faults = append(faults, usagef("--until-decided with --%s: the session stops by the rule of its suite, which is the place to say it", flag.Name))
			}
		})
	}
	return errors.Join(faults...)
}

// foresee tells what the gate would refuse after hours of measuring.
func (o *sweepOptions) foresee(order driver.Order, around driver.Surroundings, f *pflag.FlagSet) error {
	previews, err := driver.Foresee(order, around)
	if err != nil {
		return err
	}
	var faults []error
	for _, p := range previews {
		session := &record.Session{Dir: "suite " + p.Suite, Plan: &record.Plan{Suite: p.Suite, Compare: p.Compare, Gate: p.Gate}}
		for _, name := range p.Variants {
			session.Plan.Variants = append(session.Plan.Variants, record.PlanVariant{Name: name})
		}
		found := &results{evidence: gate.Evidence{Sessions: []*record.Session{session}}}
		rules, err := o.gate.rules(found, f)
		faults = append(faults, err)
		if err == nil && p.Turns && rules.Policy != gate.NonInferior {
			faults = append(faults, usagef("--policy %s: suite %s has its variants take turns (interleave: %s), which only policy %s judges", rules.Policy, p.Suite, record.InterleaveSliced, gate.NonInferior))
		}
		for _, asked := range []struct{ flag, name string }{{"--base", o.gate.base}, {"--new", o.gate.new}} {
			if asked.name != "" && !slices.Contains(p.Variants, asked.name) {
				faults = append(faults, usagef("%s %s: suite %s has no such variant; there are %s", asked.flag, asked.name, p.Suite, strings.Join(p.Variants, ", ")))
			}
		}
	}
	return errors.Join(faults...)
}

// judge judges the sessions that are over. One that stopped at its time is judged by the
// rounds that it has.
func (o *sweepOptions) judge(ctx context.Context, outcome driver.Outcome, f *pflag.FlagSet, std streams) error {
	var dirs []string
	for _, s := range outcome.Sessions {
		if (gateable(s) || s.OutOfTime) && len(s.Files.Rounds) > 0 {
			dirs = append(dirs, s.Files.Session)
		}
	}
	if len(dirs) == 0 || receivedSignal(ctx) != nil {
		return nil
	}
	return o.gate.run(dirs, f, std)
}
