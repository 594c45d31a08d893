package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// gateRuleFlags are the flags that say what a row is held against, as they were typed.
type gateRuleFlags struct {
	policy            string
	minRatio          float64
	maxMargin, margin string
	alpha             float64
	spend, interval   string
	maxRounds         int
	p99Max, p999Max   float64
	rssMax, cpuMax    float64
	onInconclusive    string
}

func (r *gateRuleFlags) register(f *pflag.FlagSet) {
	f.StringVar(&r.policy, "policy", gate.Parity.String(), "parity, fixed or noninferior")
	f.StringVar(&r.maxMargin, "max-margin", "5%", "most that the spread excuses, 0 for no cap (parity)")
	f.Float64Var(&r.minRatio, "min-ratio", gate.DefaultMinRatio, "least `ratio` that passes (fixed)")
	f.StringVar(&r.margin, "margin", "1%", "loss that still passes (noninferior)")
	f.Float64Var(&r.alpha, "alpha", gate.DefaultAlpha, "`probability` of error of each bound, and of each kind of wrong verdict of noninferior")
	f.IntVar(&r.maxRounds, "max-rounds", 0, "last round after which a session that stops early is looked at (noninferior); 0: it is looked at once")
	f.StringVar(&r.spend, "spend", stat.OBF.String(), "how looks share alpha: obf or power2 (noninferior)")
	f.StringVar(&r.onInconclusive, "on-inconclusive", "stay", "what a row counts as that is INCONCLUSIVE after its last look: stay, fail or pass (noninferior)")
	f.StringVar(&r.interval, "interval", gate.ByRounds.String(), "how bounds are made: rounds, pairs or bootstrap")
	f.Float64Var(&r.p99Max, "p99-max", gate.DefaultP99Max, "largest `ratio` of p99, 0 for no limit")
	f.Float64Var(&r.p999Max, "p999-max", 0, "largest `ratio` of p99.9, 0 for no limit")
	f.Float64Var(&r.rssMax, "rss-max", gate.DefaultRSSMax, "largest `ratio` of peak RSS, 0 for no limit")
	f.Float64Var(&r.cpuMax, "cpu-max", 0, "largest `ratio` of CPU time per request, 0 for no limit")
}

// check looks at what can be judged without a suite.
func (r *gateRuleFlags) check(f *pflag.FlagSet) error {
	_, policyErr := gate.ParsePolicy(r.policy)
	_, intervalErr := gate.ParseInterval(r.interval)
	_, spendErr := stat.ParseSpending(r.spend)
	_, countsErr := parseInconclusive(r.onInconclusive)
	_, capErr := parseShare(r.maxMargin)
	_, marginErr := parseShare(r.margin)
	var faults []error
	for _, fault := range []struct {
		flag string
		err  error
	}{{"policy", policyErr}, {"max-margin", capErr}, {"margin", marginErr}, {"spend", spendErr}, {"interval", intervalErr}, {"on-inconclusive", countsErr}} {
		if fault.err != nil {
			faults = append(faults, usagef("--%s: %w", fault.flag, fault.err))
		}
	}
	return errors.Join(faults...)
}

// parseShare reads 1% or 0.01. A bare 5 may be meant as either, and is refused.
func parseShare(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.ReplaceAll(text, " ", ""), "%")
	x, err := strconv.ParseFloat(digits, 64)
	if err == nil && percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x < 1) {
		return 0, fmt.Errorf("%q, want a share such as 1%% or 0.01", text)
	}
	return x, nil
}

// rule is the suite's where it says one and its policy is not another than was asked
// for, with the flags that were given in place of its numbers.
func (r *gateRuleFlags) rule(plan *record.Plan, f *pflag.FlagSet) (gate.Rule, error) {
	rule := gate.DefaultRule(gate.Parity)
	if plan != nil {
		var err error
		if rule, err = gate.RuleOf(plan.Gate); err != nil {
			return rule, fmt.Errorf("gate of suite %s: %w", plan.Suite, err)
		}
	}
	if policy, _ := gate.ParsePolicy(r.policy); f.Changed("policy") && policy != rule.Policy {
		limits := rule
		rule = gate.DefaultRule(policy)
		rule.P99Max, rule.P999Max, rule.RSSMax, rule.CPUMax = limits.P99Max, limits.P999Max, limits.RSSMax, limits.CPUMax
	}
	faults := []error{r.override(&rule, f), rule.Validate()}
	if err := errors.Join(faults...); err != nil {
		return rule, usageError{err}
	}
	return rule, nil
}

// override sets the numbers that were given. One that only another policy has would be
// ignored in silence, and is refused.
func (r *gateRuleFlags) override(rule *gate.Rule, f *pflag.FlagSet) error {
	var faults []error
	only := map[string]gate.Policy{
		"max-margin": gate.Parity, "min-ratio": gate.Fixed,
		"margin": gate.NonInferior, "max-rounds": gate.NonInferior, "spend": gate.NonInferior, "on-inconclusive": gate.NonInferior,
	}
	cap, _ := parseShare(r.maxMargin)
	margin, _ := parseShare(r.margin)
	spend, _ := stat.ParseSpending(r.spend)
	counts, _ := parseInconclusive(r.onInconclusive)
	interval, _ := gate.ParseInterval(r.interval)
	f.Visit(func(flag *pflag.Flag) {
		if policy, restricted := only[flag.Name]; restricted && policy != rule.Policy {
			faults = append(faults, fmt.Errorf("--%s: only policy %s has it, and this is %s", flag.Name, policy, rule.Policy))
			return
		}
		switch flag.Name {
		case "max-margin":
			rule.MaxMarginFrac = cap
		case "min-ratio":
			rule.MinRatio = r.minRatio
		case "margin":
			rule.MarginFrac = margin
		case "alpha":
			if r.alpha == 0 { // in a rule it is the default
				faults = append(faults, fmt.Errorf("alpha 0, expected a probability of error above 0, such as %v", gate.DefaultAlpha))
			}
			rule.Alpha = r.alpha
		case "max-rounds":
			rule.MaxRounds = r.maxRounds
		case "spend":
			rule.Spend = spend
		case "interval":
			rule.Interval = interval
		case "p99-max":
			rule.P99Max = r.p99Max
		case "on-inconclusive":
			rule.OnInconclusive = counts
		case "p999-max":
			rule.P999Max = r.p999Max
		case "rss-max":
			rule.RSSMax = r.rssMax
		case "cpu-max":
			rule.CPUMax = r.cpuMax
		}
	})
	rule.SetAppMargin(f.Changed("margin"), f.Changed("cpu-max"))
	return errors.Join(faults...)
}

// parseInconclusive reads what such a row counts as; the zero verdict: it stays.
func parseInconclusive(text string) (gate.Verdict, error) {
	counts, known := map[string]gate.Verdict{"stay": 0, "fail": gate.Fail, "pass": gate.Pass}[text]
	if !known {
		return 0, fmt.Errorf("%q, want stay, fail or pass", text)
	}
	return counts, nil
}

// openMargin tells whether neither a flag nor the suite says which margin a rule has.
func (r *gateRuleFlags) openMargin(rule gate.Rule, plan *record.Plan, f *pflag.FlagSet) bool {
	bySuite := plan != nil && plan.Gate.Policy == rule.Policy.String() && plan.Gate.MarginFrac.Known()
	return rule.Policy == gate.NonInferior && !f.Changed("margin") && !bySuite
}

// rules are everything that is asked of one evidence.
func (o *gateOptions) rules(r *results, f *pflag.FlagSet) (gate.Rules, error) {
	plan := r.plan()
	rule, err := o.rule.rule(plan, f)
	if err != nil {
		return gate.Rules{}, err
	}
	rules := gate.Rules{
		Rule: rule, Rulings: r.rulings, AcceptRulings: o.acceptRulings,
		AllowMissing: o.allowMissing, PassSame: o.onSame == onSamePass, OneMargin: f.Changed("margin"), OpenMargin: o.rule.openMargin(rule, plan, f),
	}
	if plan != nil {
		rules.Compare = gate.ComparisonsOf(plan)
	}
	if o.base != "" {
		asked := gate.Comparison{Base: o.base, New: o.new}
		// The suite may say why these two may be the same program.
		if i := slices.IndexFunc(rules.Compare, func(c gate.Comparison) bool { return c.Base == asked.Base && c.New == asked.New }); i >= 0 {
			asked = rules.Compare[i]
		}
		rules.Compare = []gate.Comparison{asked}
	}
	if len(rules.Compare) == 0 {
		return rules, hintedError{usagef("%s: no suite says what to compare", r.name()), "give two of its variants: --base A --new B; there are " + strings.Join(r.variants(), ", ")}
	}
	return rules, nil
}
