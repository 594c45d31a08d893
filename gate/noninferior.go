package gate

import (
	"fmt"
	"math"
)

// look returns the probability of error that each bound may have after so many rounds.
// Under [NonInferior] with looks it is what the spending function grants to this look,
// so that all looks together err with Alpha at most; 0 after the last one. A table of
// too few rounds is an estimate, and has not looked yet.
func (r Rule) look(rounds int) float64 {
	alpha := r.alpha()
	if r.Policy != NonInferior || r.MaxRounds == 0 || rounds < r.Rounds() {
		return alpha
	}
	levels, err := r.Spend.LookLevels(alpha, r.Rounds(), r.MaxRounds)
	if err != nil || rounds > r.MaxRounds {
		return 0
	}
	return levels[rounds-r.Rounds()]
}

func (r Rule) alpha() float64 {
	if r.Alpha == 0 {
		return DefaultAlpha
	}
	return r.Alpha
}

// scaled makes a p of a look comparable with those of other looks: whatever share of
// Alpha its look had, it is significant by itself when it is not above Alpha.
func (r Rule) scaled(p float64, rounds int) float64 {
	level := r.look(rounds)
	if !(level > 0) {
		return 1
	}
	return min(1, p*r.alpha()/level)
}

// noninferior passes a row whose ratio is surely above 1 - margin, and fails one that
// is surely below: with both bounds inside of what is not known, more rounds decide.
// That all rows pass needs no correction for their number (an intersection-union test:
// Berger 1982); that one failed does, which [Table.correct] does.
func noninferior(d *Decision, p paired, rounds int, r Rule) {
	e, floor := &d.Effect, 1-r.MarginFrac
	if !math.IsNaN(e.Ratio) {
		d.Ratio = e.Ratio
	}
	fails := e.Hi < floor-guard // never without bounds
	d.tests = append(d.tests, test{of: "the ratio", p: r.scaled(p.test(math.Log1p(-r.MarginFrac), r.Interval).PBelow, rounds), fails: fails})
	if e.Missing != "" {
		d.Verdict, d.Short = Inconclusive, e.Missing
		d.say("there are no bounds: %s: INCONCLUSIVE", e.Missing)
		return
	}
	d.say("over %d pairs it is %s; with an error of %s each it is at least %s, and at most %s", e.Pairs, ratioText(e.Ratio), shortText(rounded(e.Level, 4)), ratioText(e.Lo), ratioText(e.Hi))
	if e.Turns != nil {
		d.say("%s", e.Turns.text(e))
	}
	switch margin := percentText(r.MarginFrac); {
	case e.Lo > floor+guard:
		d.Verdict, d.Short = Pass, "at least "+ratioText(e.Lo)+e.directionText()
		d.say("at least %s is above %s, 1 less the margin of %s: PASS%s", ratioText(e.Lo), ratioText(floor), margin, e.directionText())
	case fails:
		d.Verdict, d.Short = Fail, "at most "+ratioText(e.Hi)+", a loss of more than the margin of "+margin
		d.say("at most %s is below %s, 1 less the margin of %s: FAIL", ratioText(e.Hi), ratioText(floor), margin)
	default:
		d.Verdict, d.Short = Inconclusive, "between "+ratioText(e.Lo)+" and "+ratioText(e.Hi)+" with a margin of "+margin+e.moreText(rounds)
		d.say("%s, 1 less the margin of %s, lies between the bounds: INCONCLUSIVE", ratioText(floor), margin)
	}
}

// directionText says more than that a row passed, where its bounds do.
func (e *Effect) directionText() string {
	switch {
	case e.Lo > 1+guard:
		return ", faster"
	case e.Hi < 1-guard:
		return ", slower within the margin"
	}
	return ""
}

// settle makes of a row that is INCONCLUSIVE for good what the rule counts it as. Before the
// last look it is not, and more rounds may decide.
func (r *Row) settle() {
	counts := r.rule.OnInconclusive
	if r.Verdict != Inconclusive || counts == 0 || len(r.Numbers.Rounds) < max(r.rule.Rounds(), r.rule.MaxRounds) {
		return
	}
	r.Verdict = counts
	if len(r.Repeats) == 0 {
		r.First = counts
	}
	r.Why = append(r.Why, "it stays INCONCLUSIVE, which counts as "+counts.String())
	r.flag(FlagSettled, "INCONCLUSIVE after %d rounds, which this rule counts as %s", len(r.Numbers.Rounds), counts)
}

// moreText tells how many more rounds would see a loss of the margin, where more are
// needed than there are.
func (e *Effect) moreText(rounds int) string {
	if e.Need.Rounds <= rounds {
		return ""
	}
	return fmt.Sprintf(", which takes %d more rounds like these", e.Need.Rounds-rounds)
}

// worsen makes a verdict graver, never better.
func (d *Decision) worsen(v Verdict, short string) {
	if v > d.Verdict {
		d.Verdict, d.Short = v, short
	}
}

// rounded keeps so many decimals, for a text that shows as few as there are.
func rounded(x float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(x*scale) / scale
}
