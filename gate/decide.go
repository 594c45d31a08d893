package gate

import (
	"fmt"
	"math"
)

// guard keeps the last bits of binary fractions out of decisions: 1 - 0.9 is less
// than 0.1 by 3e-17, and a tie would pass. Decisions are made on numbers that are not
// rounded otherwise.
const guard = 1e-9

// Decision is a verdict with its reasons.
type Decision struct {
	Verdict Verdict
	Ratio   float64  // that decided, above 1 for better; NaN: none
	Short   string   // half a sentence, such as "inside its spread"; may be ""
	Why     []string // how it came about, number by number
	Effect  Effect   // what the pairs say, whatever the policy

	tests []test // what NonInferior tested, for the family of the table
	point bool   // it failed by a limit that is no test
}

// Decide holds a row's numbers against a rule: the policy first, then the limits. It
// is the one place where verdicts are made of numbers.
func Decide(n Numbers, r Rule) Decision {
	ratio, spread := n.judged()
	if !(ratio > 0) || math.IsInf(ratio, 1) { // as it stands, this catches NaN; a cost of 0 is none that was measured
		what := n.Metric.String()
		return Decision{Verdict: Invalid, Ratio: math.NaN(), Short: what + " was not measured", Why: []string{what + " was not measured, so that there is nothing to judge"}, Effect: noEffect(what + " was not measured")}
	}
	p := pairsOf(&n, r)
	d := Decision{Ratio: ratio, Why: []string{valueText(n, ratio)}, Effect: p.effect(r.look(len(n.Rounds)), r.Interval)}
	if d.Effect.Missing == "" {
		d.Effect.Need = p.need(r.margin(), r.alpha(), r.Interval)
	}
	switch r.Policy {
	case Fixed:
		fixed(&d, ratio, spread, r)
	case NonInferior:
		noninferior(&d, p, len(n.Rounds), r)
	default:
		parity(&d, ratio, spread, r)
	}
	limits(&d, n, r)
	return d
}

// valueText tells what the ratio that decides was made of.
func valueText(n Numbers, ratio float64) string {
	if n.Metric == CPU {
		return fmt.Sprintf("an application limits the rate; base / new of cpu_us is %s, median over the rounds", ratioText(ratio))
	}
	return fmt.Sprintf("new / base of rps is %s, median of %s", ratioText(ratio), ratiosText(n.Rounds))
}

// say adds a reason.
func (d *Decision) say(format string, args ...any) {
	d.Why = append(d.Why, fmt.Sprintf(format, args...))
}
