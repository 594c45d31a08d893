package gate

import (
	"errors"
	"fmt"
	"math"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// Policy is how a row's ratio becomes a verdict.
type Policy uint8

const (
	// Parity passes a ratio of at least 1, and one that is below 1 by strictly less
	// than the spread. It says PASS or FAIL.
	Parity Policy = iota
	// Fixed passes a ratio of at least Rule.MinRatio. One that is below by less than
	// the spread is BORDERLINE, and a repeat decides.
	Fixed
	// NonInferior passes a ratio that is surely above 1 - Rule.MarginFrac, fails one
	// that is surely below, and says INCONCLUSIVE of the others: noise never passes.
	NonInferior
)

// policyWords are the names of the policies.
var policyWords = [...]string{Parity: "parity", Fixed: "fixed", NonInferior: "noninferior"}

// String returns the policy's name.
func (p Policy) String() string {
	if int(p) < len(policyWords) {
		return policyWords[p]
	}
	return fmt.Sprintf("policy(%d)", uint8(p))
}

// ParsePolicy reads a policy's name.
func ParsePolicy(name string) (Policy, error) {
	for p, known := range policyWords {
		if known == name {
			return Policy(p), nil
		}
	}
	return 0, fmt.Errorf("policy %q, expected parity, fixed or noninferior", name)
}

// What the policies do unless they are told otherwise.
const (
	DefaultMaxMarginFrac = 0.05
	DefaultMinRatio      = 0.98
	DefaultMarginFrac    = 0.01
	DefaultAlpha         = 0.05
	DefaultP99Max        = 1.15
	DefaultRSSMax        = 1.15
	DefaultAppCPUMax     = 1.02
)

// Rule is what a row is held against: plain data. The zero value is the rule as the
// first reports state it, without a cap and without limits; [DefaultRule] has both.
type Rule struct {
	Policy Policy

	// MaxMarginFrac caps the spread that excuses a loss (Parity), as a fraction; 0 is
	// no cap. Without one the noisiest scenario may lose most.
	MaxMarginFrac float64

	MinRatio float64 // of Fixed; above 0

	// MarginFrac is the loss that a row may have (NonInferior), as a fraction; above 0.
	// It is fixed before the measurement and does not grow with noise.
	MarginFrac float64

	// AppMarginFrac is that of rows that are judged by cpu_us, which is noisier than a
	// rate where an application is at work; 0: MarginFrac. A scenario's own margin goes
	// before both.
	AppMarginFrac float64

	// Alpha is the probability of error of each bound, and of each kind of wrong
	// verdict of NonInferior; 0 is DefaultAlpha. Other policies print such bounds.
	Alpha float64

	// Interval is how bounds are made; those of NonInferior decide.
	Interval Interval

	// CrossCheck shows the bounds of a bootstrap beside the others where they do not
	// decide. They cost some milliseconds a row.
	CrossCheck bool

	// MaxRounds is the last round of a session that goes on until its rows are decided; 0:
	// it has no such plan and is looked at once. NonInferior looks after each round from
	// MinRounds on, and Spend divides Alpha among the looks. Fixed looks after MinRounds,
	// and once more after MaxRounds, at the rounds added.
	MaxRounds int
	Spend     stat.Spending

	// Limits of ratios new / base, whatever the policy says of the rate; 0: not
	// looked at. What was not measured breaks no limit, and the row says so.
	P99Max  float64
	P999Max float64
	RSSMax  float64
	CPUMax  float64

	// OnInconclusive is what a row counts as that NonInferior leaves INCONCLUSIVE after
	// its last look: Pass or Fail; the zero value: it stays.
	OnInconclusive Verdict

	// MinRounds makes a table of fewer rounds an estimate; 0 is the policy's own: 1
	// for Fixed, 3 for the others.
	MinRounds int
}

// DefaultRule returns a policy with its defaults.
func DefaultRule(p Policy) Rule {
	r := Rule{Policy: p, P99Max: DefaultP99Max, RSSMax: DefaultRSSMax, Alpha: DefaultAlpha}
	switch p {
	case Parity:
		r.MaxMarginFrac = DefaultMaxMarginFrac
	case Fixed:
		r.MinRatio = DefaultMinRatio
	case NonInferior:
		r.MarginFrac, r.AppMarginFrac = DefaultMarginFrac, marginOf(DefaultAppCPUMax)
	}
	return r
}

// marginOf is the margin of a ratio base / new of cpu_us that a limit of new / base sets.
func marginOf(cpuMax float64) float64 { return 1 - 1/cpuMax }

// RuleOf returns the rule that a suite asks for. The error names what is not a rule.
func RuleOf(g record.PlanGate) (Rule, error) {
	p := Parity
	if g.Policy != "" {
		var err error
		if p, err = ParsePolicy(g.Policy); err != nil {
			return Rule{}, err
		}
	}
	r := DefaultRule(p)
	for _, field := range []struct {
		asked record.Value
		at    *float64
	}{
		{g.MaxMarginFrac, &r.MaxMarginFrac}, {g.MinRatio, &r.MinRatio}, {g.MarginFrac, &r.MarginFrac}, {g.Alpha, &r.Alpha},
		{g.P99Max, &r.P99Max}, {g.P999Max, &r.P999Max}, {g.RSSMax, &r.RSSMax}, {g.CPUMax, &r.CPUMax},
	} {
		if x, asked := field.asked.Get(); asked {
			*field.at = x
		}
	}
	r.SetAppMargin(g.MarginFrac.Known(), g.CPUMax.Known())
	switch g.Inconclusive {
	case "":
	case "fail":
		r.OnInconclusive = Fail
	case "pass":
		r.OnInconclusive = Pass
	default:
		return Rule{}, fmt.Errorf("on_inconclusive %q, expected fail or pass", g.Inconclusive)
	}
	if g.MaxRounds >= r.Rounds() { // fewer are an estimate, however often it is looked at
		r.MaxRounds, r.MinRounds = g.MaxRounds, max(r.Rounds(), g.LooksFrom)
	}
	if g.Interval != "" {
		var err error
		if r.Interval, err = ParseInterval(g.Interval); err != nil {
			return Rule{}, err
		}
	}
	if g.Spend != "" {
		var err error
		if r.Spend, err = stat.ParseSpending(g.Spend); err != nil {
			return Rule{}, err
		}
	}
	return r, r.Validate()
}

// SetAppMargin makes the margin of rows that are judged by cpu_us of what was asked for:
// the limit of cpu_us, or the one margin of all.
func (r *Rule) SetAppMargin(marginAsked, cpuAsked bool) {
	switch {
	case r.Policy != NonInferior:
	case cpuAsked && r.CPUMax > 1:
		r.AppMarginFrac = marginOf(r.CPUMax)
	case marginAsked:
		r.AppMarginFrac = 0
	}
}

// of is the rule for a row: a scenario's own margin goes first, then that of what the row
// is judged by.
func (r Rule) of(metric Metric, own record.Value) Rule {
	if r.Policy != NonInferior {
		return r
	}
	if margin, known := own.Get(); known {
		r.MarginFrac = margin
	} else if metric == CPU && r.AppMarginFrac > 0 {
		r.MarginFrac = r.AppMarginFrac
	}
	return r
}

// margin is the loss that is asked about: that of NonInferior, and the usual one under
// other policies, which have none.
func (r Rule) margin() float64 {
	if r.Policy == NonInferior {
		return r.MarginFrac
	}
	return DefaultMarginFrac
}

// Rounds returns how many rounds the rule needs for a verdict of record.
func (r Rule) Rounds() int {
	switch {
	case r.MinRounds > 0:
		return r.MinRounds
	case r.Policy == Fixed:
		return 1
	}
	return 3
}

// Validate returns everything that is wrong with the rule, joined.
func (r Rule) Validate() error {
	var faults []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	wrong(int(r.Policy) >= len(policyWords), "policy %s is unknown", r.Policy)
	wrong(int(r.Interval) >= len(intervalWords), "interval %s is unknown", r.Interval)
	wrong(!(r.MaxMarginFrac >= 0 && r.MaxMarginFrac < 1), "largest margin %v, expected 0 for none, or a fraction below 1", r.MaxMarginFrac)
	wrong(r.Policy == Fixed && !(r.MinRatio > 0), "smallest ratio %v, expected one above 0, such as %v", r.MinRatio, DefaultMinRatio)
	for _, limit := range []struct {
		of  string
		max float64
	}{{"p99", r.P99Max}, {"p99.9", r.P999Max}, {"peak RSS", r.RSSMax}, {"cpu_us", r.CPUMax}, {"smallest", r.MinRatio}} {
		wrong(!(limit.max >= 0) || math.IsInf(limit.max, 0), "%s ratio %v, expected 0 for no limit, or a ratio such as 1.15", limit.of, limit.max)
	}
	wrong(r.Policy == NonInferior && !(r.MarginFrac > 0 && r.MarginFrac < 1), "margin %v, expected a fraction above 0 and below 1, such as %v", r.MarginFrac, DefaultMarginFrac)
	wrong(!(r.AppMarginFrac >= 0 && r.AppMarginFrac < 1), "margin of cpu_us %v, expected a fraction below 1, or 0 for that of the rate", r.AppMarginFrac)
	wrong(r.OnInconclusive != 0 && r.OnInconclusive != Pass && r.OnInconclusive != Fail, "inconclusive rows count as %s, expected PASS or FAIL", r.OnInconclusive)
	wrong(!(r.Alpha >= 0 && r.Alpha < 0.5), "alpha %v, expected a probability of error below 0.5, such as %v, or 0 for that", r.Alpha, DefaultAlpha)
	wrong(r.MaxRounds != 0 && r.MaxRounds < r.Rounds(), "largest number of rounds %d, expected 0 for one look, or at least %d", r.MaxRounds, r.Rounds())
	wrong(r.MinRounds < 0, "smallest number of rounds %d, expected 0 for the policy's own, or more", r.MinRounds)
	return errors.Join(faults...)
}

// Comparison is which variant is held against which: ratios are New / Base.
type Comparison struct {
	Base, New string

	// SameOK says why the two may be the same program, as in calibration; "": they
	// may not.
	SameOK string
}

// String returns "NEW / BASE", as tables say it.
func (c Comparison) String() string { return c.New + " / " + c.Base }

// ComparisonsOf returns the comparisons that a suite asks for.
func ComparisonsOf(plan *record.Plan) []Comparison {
	all := make([]Comparison, len(plan.Compare))
	for i, c := range plan.Compare {
		all[i] = Comparison{Base: c.Base, New: c.New, SameOK: c.SameOK}
	}
	return all
}

// Rules are everything that is asked of a table's evidence.
type Rules struct {
	Rule
	Compare []Comparison // at least one

	Rulings []record.Ruling
	// OneMargin takes the rule's margin for all rows, whatever their scenarios say.
	OneMargin bool

	AcceptRulings bool // a FAIL with a ruling counts as PASS

	// AllowMissing are scenarios, or needs of scenarios such as php, whose NOT RUN
	// counts as N/A.
	AllowMissing []string

	// OpenMargin says that nobody has said which margin NonInferior has: that of a row is
	// then the default, or one and a half times what a calibration says that the host's
	// noise is, whichever is more.
	OpenMargin bool

	// PassSame lets two variants between which nothing differs pass unjudged; they
	// are INVALID otherwise, since a comparison with oneself shows nothing.
	PassSame bool
}

// Validate returns everything that is wrong with the rules, joined.
func (r Rules) Validate() error {
	faults := []error{r.Rule.Validate()}
	if len(r.Compare) == 0 {
		faults = append(faults, errors.New("nothing to compare, expected a base and a new variant"))
	}
	for i, c := range r.Compare {
		switch {
		case c.Base == "" || c.New == "":
			faults = append(faults, fmt.Errorf("comparison %d: base %q, new %q, expected two variants", i+1, c.Base, c.New))
		case c.Base == c.New:
			faults = append(faults, fmt.Errorf("comparison %d: %s with itself", i+1, c.Base))
		}
	}
	return errors.Join(faults...)
}
