package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// floorRounds is for how many rounds noise floors are reckoned at least: sessions that
// stop early add rounds to those of the plan.
const floorRounds = 6

// Calibrate makes a calibration of a variant against itself: what the suite's gate, and
// the other policies, say of two that are one, and how far apart the two come. control is
// the same with a burden on one of them; nil: there was none. It is pure; what is drawn by
// lot has the session's id for its seed.
//
// The error says what the evidence is not: the session of a variant and its twin. Rows that
// cannot be judged are in the calibration, with the reason.
func Calibrate(aa Evidence, control *Evidence) (*record.Calibration, error) {
	return calibrate(aa, control, pseudoGates)
}

// calibrate draws so many gates.
func calibrate(aa Evidence, control *Evidence, gates int) (*record.Calibration, error) {
	t, plan, err := judgeTwins(aa)
	if err != nil {
		return nil, err
	}
	host := aa.Sessions[0].Host
	c := &record.Calibration{
		CreatedUTC: plan.CreatedUTC, Suite: plan.Suite, Host: record.CalibrationHost{Name: host.Name, Fixed: host.Fixed},
		Base: plan.Compare[0].Base, Session: plan.Session, Policy: t.Rules.Policy.String(), PseudoGates: gates,
		Method: record.CalibrationPlan{
			Preset: plan.Preset, Rounds: plan.Rounds, Runs: plan.Runs, WarmupSeconds: plan.WarmupSeconds, MeasureSeconds: plan.MeasureSeconds,
			Order: plan.Order, Interleave: plan.Interleave, Restart: plan.Restart, Params: plan.Params,
		},
	}
	for i := range t.Rows {
		c.Rows = append(c.Rows, calibrateRow(&t.Rows[i], plan, t.Rules.Rule, gates))
	}
	if control == nil {
		return c, nil
	}
	burdened, controlPlan, err := judgeTwins(*control)
	if err != nil {
		return nil, err
	}
	c.Control = controlPlan.Session
	for i := range burdened.Rows {
		row := &burdened.Rows[i]
		if of := c.Row(row.Mode, row.Scenario); of != nil {
			of.Control = controlOf(row)
		}
	}
	return c, nil
}

// judgeTwins judges the session of a variant and its twin by what its plan says.
func judgeTwins(e Evidence) (Table, *record.Plan, error) {
	if len(e.Sessions) != 1 || len(e.Sessions[0].Plan.Compare) != 1 || e.Sessions[0].Plan.Compare[0].SameOK == "" {
		return Table{}, nil, errors.New("calibrate: expected one session, of a variant and its twin")
	}
	plan := e.Sessions[0].Plan
	rule, err := RuleOf(plan.Gate)
	if err != nil {
		return Table{}, nil, fmt.Errorf("calibrate: gate of suite %s: %w", plan.Suite, err)
	}
	t, err := Judge(e, Rules{Rule: rule, Compare: ComparisonsOf(plan)})
	return t, plan, err
}

// calibrateRow makes the numbers of one row.
func calibrateRow(r *Row, plan *record.Plan, rule Rule, gates int) record.CalibrationRow {
	row := record.CalibrationRow{Mode: r.Mode, Scenario: r.Scenario, Metric: r.Numbers.Metric.String(), Verdict: r.Verdict.String(), Text: r.Short}
	if !r.Verdict.judged() || len(r.Numbers.Rounds) == 0 {
		row.Missing = r.Short
		return row
	}
	e, p := &r.Effect, pairsOf(&r.Numbers, rule)
	if p.missing != "" {
		row.Missing = p.missing
		return row
	}
	base, new := r.Numbers.runs()
	for _, m := range slices.Concat(base, new) {
		if m.Interfered {
			row.Interfered++
		}
	}
	row.Pairs, row.Ratio, row.Sigma = e.Pairs, known(e.Ratio), known(e.Sigma)
	row.Lo, row.Hi, row.Level = known(e.Lo), known(e.Hi), known(e.Level)
	row.P99Sigma = known(p99Sigma(r.Numbers.Rounds))
	if position := r.Order.Position; position != nil {
		row.Position, row.PositionP = known(position.Effect), known(position.P)
	}
	if s := e.Speeds; s != nil {
		last := s.Sessions[len(s.Sessions)-1]
		row.Speeds, row.HostSpeeds = known(last.Upper/last.Lower-1), s.Host
	}
	seed := func(what string) stat.Seed { return stat.SeedOf(plan.Session, r.cell().String(), what) }
	row.Floors = p.floors(gates, e, max(floorRounds, plan.Rounds), plan.Runs, seed("floors"))
	if floor, ok := row.FloorOf(plan.Rounds); ok {
		row.Floor = known(floor)
	}
	drawn := newDrawing(&r.Numbers, p.takesRounds(ByPairs), seed("gates"))
	row.FalseAlarms = drawn.falseAlarms(gates, r.Numbers.Metric, plan.Rounds, plan.Runs, calibratedRules(rule))
	return row
}

// calibratedRules are all policies: that of the suite as the suite has it, the others with
// their defaults. Bounds are those of the rounds where the suite has them from a bootstrap:
// thousands of gates with ten thousand resamples each would take hours.
func calibratedRules(own Rule) []Rule {
	var rules []Rule
	for p := range policyWords {
		rule := DefaultRule(Policy(p))
		if rule.Policy == own.Policy {
			rule = own
		}
		if rule.Interval == ByBootstrap {
			rule.Interval = ByRounds
		}
		rules = append(rules, rule)
	}
	return rules
}

// p99Sigma is the standard deviation of p99 of a pair, on the ln scale; NaN where it was
// not measured.
func p99Sigma(rounds []RoundNumbers) float64 {
	d, err := lnDifferences(rounds, p99Of)
	if err != nil {
		return math.NaN()
	}
	p := newPairs(d, nil)
	return p.sigma()
}

// controlOf is what became of a row under the burden.
func controlOf(r *Row) *record.CalibrationControl {
	e, n := &r.Effect, &r.Numbers
	c := &record.CalibrationControl{Verdict: r.Verdict.String(), Text: r.Short, Ratio: known(e.Ratio), Lo: known(e.Lo), Hi: known(e.Hi)}
	// Of the server's CPUs its own share is busy; the helpers had theirs in proportion.
	// With other helpers beside the burden nobody can tell which of them had it.
	if taken := n.New.ServerBusy * n.New.CPUAppMicros / n.New.CPUMicros; math.IsNaN(n.Base.CPUAppMicros) && taken >= 0 {
		c.Taken = known(taken)
	}
	if n.Metric == CPU {
		c.Exempt = "it is judged by what the server itself uses for a request"
	}
	return c
}

// CalibrationVerdict says what a calibration is worth, with a sentence for each row that
// keeps it from being a [Pass]: rows that could not be judged are [Invalid], or [NotRun];
// [Inconclusive] is a gate that fails a variant against itself, and one that does not fail
// the positive control.
func CalibrationVerdict(c *record.Calibration) (v Verdict, sentences []string) {
	say := func(grave Verdict, r *record.CalibrationRow, format string, args ...any) {
		v = max(v, grave)
		sentences = append(sentences, cell{r.Mode, r.Scenario}.String()+": "+fmt.Sprintf(format, args...))
	}
	judged := 0
	v = Pass
	for i := range c.Rows {
		r := &c.Rows[i]
		switch verdict := verdictCalled(r.Verdict); verdict {
		case NotApplicable:
			continue
		case Invalid, NotRun:
			say(verdict, r, "%s against itself is %s: %s", c.Base, verdict, r.Missing)
			continue
		case Fail:
			say(Inconclusive, r, "%s against itself is a FAIL, at %s (bounds %s), %s: a false alarm, or the host is not fit", c.Base, ratioText(r.Ratio.OrNaN()), recordedBounds(r.Lo, r.Hi), r.Text)
		}
		judged++
		if r.Missing != "" {
			say(Inconclusive, r, "no noise floor: %s", r.Missing)
		}
		switch control := r.Control; {
		case c.Control == "" || control != nil && control.Exempt != "":
		case control == nil:
			say(Invalid, r, "the positive control was not measured")
		case verdictCalled(control.Verdict) == Invalid, verdictCalled(control.Verdict) == NotRun:
			say(Invalid, r, "the positive control is %s: %s", control.Verdict, control.Text)
		case verdictCalled(control.Verdict) != Fail:
			say(Inconclusive, r, "the positive control is %s and had to FAIL, at %s (bounds %s) with a burden of %s: the gate would not see such a loss",
				control.Verdict, ratioText(control.Ratio.OrNaN()), recordedBounds(control.Lo, control.Hi), percentText(c.BurdenFrac.OrNaN()))
		}
	}
	if judged == 0 {
		v = Invalid
		sentences = append(sentences, "no row was judged")
	}
	return v, sentences
}

// verdictCalled is the verdict of a word; what nobody knows is INVALID.
func verdictCalled(word string) Verdict {
	v, err := ParseVerdict(word)
	if err != nil {
		return Invalid
	}
	return v
}

func recordedBounds(lo, hi record.Value) string {
	if !lo.Known() || !hi.Known() {
		return absent
	}
	return ratioText(lo.OrNaN()) + " to " + ratioText(hi.OrNaN())
}
