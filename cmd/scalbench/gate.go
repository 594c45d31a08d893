package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/gate"
)

// gateOptions is what the flags of `scalbench gate` say. Those of the rule are looked
// at only where they were given: the rest is the suite's.
type gateOptions struct {
	base, new string
	rule      gateRuleFlags

	format        string
	outs          []string
	allowMissing  []string
	onSame        string
	acceptRulings bool
	why           string
	history       bool
}

func newGate(std streams) *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate DIR...",
		Short: "Judge what was measured: PASS, FAIL, or no verdict",
		Long: "Judge what was measured: PASS, FAIL, or no verdict.\n\n" +
			"A DIR is a session (results/HOST-SUITE.session, which stands for all of its rounds) or a round\n" +
			"(results/HOST-SUITE-1). Rounds that measured the same on the same host form one table; others are tables of\n" +
			"their own, and a repeat belongs to what it repeats. What is compared, and by which rule, the suite says\n" +
			"unless flags do.\n\n" +
			"Exit codes: 0 PASS, 3 FAIL, 4 no verdict (BORDERLINE, INCONCLUSIVE, NOT RUN, ESTIMATE), 5 INVALID (evidence\n" +
			"that is missing or broken).",
		Example: "  scalbench gate results/xeon-gate1.session\n" +
			"  scalbench gate results/xeon-gate1-* --base rc1-11 --new el8 --policy noninferior --margin 1%\n" +
			"  scalbench gate results/xeon-gate1.session --out gate.json --out junit.xml --out pr.md --out github\n" +
			"  scalbench gate results/xeon-gate1.session --why static-small\n" +
			"  scalbench gate --history results/*.session",
		Args: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				return hintedError{usagef("gate: no directory"), "give sessions or rounds, such as results/xeon-gate1.session"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, dirs []string) error { return o.run(dirs, cmd.Flags(), std) },
	}
	o.register(cmd.Flags())
	cmd.Flags().BoolVar(&o.history, "history", false, "look for changes of level over the sessions instead of judging them together")
	return cmd
}

// register adds the flags that whoever judges has.
func (o *gateOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.base, "base", "", "the `variant` that is compared with")
	f.StringVar(&o.new, "new", "", "the `variant` that is judged; ratios are new / base")
	o.rule.register(f)
	f.StringArrayVar(&o.allowMissing, "allow-missing", nil, "a `scenario`, or a need such as php, that this host may lack; repeatable")
	f.StringVar(&o.onSame, "on-same", onSameInvalid, "what two variants are between which nothing differs: invalid or pass")
	f.BoolVar(&o.acceptRulings, "accept-rulings", false, "a FAIL that rulings.yaml beside the rounds rules on counts as PASS")
	f.StringVar(&o.format, "format", "text", "of standard output: "+strings.Join(gateFormats(), ", "))
	f.StringArrayVar(&o.outs, "out", nil, "write it to a `file` too, in the form that .txt, .md, .csv, .json, .bench or .xml (JUnit) says; github annotates; repeatable")
	f.StringVar(&o.why, "why", "", "print how the verdict of a `row` came about: [MODE/]SCENARIO, or that and ' NEW/BASE'")
}

// What --on-same may be.
const (
	onSameInvalid = "invalid"
	onSamePass    = "pass"
)

// run is the story of the command: directories to evidence, evidence to tables, tables
// to files, the verdict to an exit code.
func (o *gateOptions) run(dirs []string, f *pflag.FlagSet, std streams) error {
	outs, err := o.check(f)
	if err != nil {
		return err
	}
	found, err := readGateDirs(dirs)
	if err != nil {
		return err
	}
	if o.history {
		return o.writeHistory(found, f, std.out)
	}
	recall(found)
	g, err := o.judge(found, f)
	if err != nil {
		return err
	}
	if err := errors.Join(o.print(g, std), writeOuts(outs, g, std)); err != nil {
		return err
	}
	return verdictOf(g)
}

// check tells everything that is wrong with the flags.
func (o *gateOptions) check(f *pflag.FlagSet) ([]gateOut, error) {
	var faults []error
	if (o.base == "") != (o.new == "") {
		faults = append(faults, usagef("--base and --new: want both, or neither for what the suite compares"))
	}
	if o.onSame != onSameInvalid && o.onSame != onSamePass {
		faults = append(faults, usagef("--on-same %q: want %s or %s", o.onSame, onSameInvalid, onSamePass))
	}
	if !slices.Contains(gateFormats(), o.format) {
		faults = append(faults, usagef("--format %q: want %s", o.format, strings.Join(gateFormats(), ", ")))
	}
	if o.history && (o.why != "" || len(o.outs) > 0 || f.Changed("format")) {
		faults = append(faults, usagef("--history: prints series, without --why, --format and --out"))
	}
	if o.why != "" && f.Changed("format") {
		faults = append(faults, usagef("--why: is text, without --format"))
	}
	outs, err := gateOuts(o.outs)
	return outs, errors.Join(append(faults, err, o.rule.check(f))...)
}

// judge makes a table of each evidence.
func (o *gateOptions) judge(all []results, f *pflag.FlagSet) (gate.Gate, error) {
	var g gate.Gate
	for i := range all {
		table, err := o.judgeOne(&all[i], f)
		if err != nil {
			return nil, err
		}
		g = append(g, table)
	}
	return g, nil
}

func (o *gateOptions) judgeOne(r *results, f *pflag.FlagSet) (gate.Table, error) {
	rules, err := o.rules(r, f)
	if err != nil {
		return gate.Table{}, err
	}
	checked := rules
	checked.CrossCheck = true
	table, err := gate.Judge(r.evidence, checked)
	if err != nil {
		return table, usageError{err}
	}
	var past []gate.Table
	for _, earlier := range r.past {
		// What an older session cannot say is not asked of this one.
		if t, err := gate.Judge(earlier, rules); err == nil {
			past = append(past, t)
		}
	}
	table.Remember(past)
	return table, nil
}

// verdictError is a gate that did not pass.
type verdictError struct {
	verdict  gate.Verdict
	sentence string
}

func (e verdictError) Error() string {
	if e.sentence == "" {
		return fmt.Sprintf("gate: %s", e.verdict)
	}
	return fmt.Sprintf("gate: %s: %s", e.verdict, strings.TrimPrefix(strings.TrimSuffix(e.sentence, "."), "Worst: "))
}

// Is finds what decides the exit code.
func (e verdictError) Is(target error) bool {
	switch e.verdict {
	case gate.Fail:
		return target == errBroken
	case gate.Invalid:
		return target == errInvalid
	}
	return target == errNoVerdict
}

// verdictOf is nil for PASS.
func verdictOf(g gate.Gate) error {
	if v := g.Verdict(); v != gate.Pass {
		return verdictError{v, g.WorstSentence()}
	}
	return nil
}
