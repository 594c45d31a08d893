package gate

import "math"

// parity is the rule of the reports: at least 1, or below it by strictly less than
// the spread, which is capped. A tie of loss and spread fails, as both ties in the
// published tables did.
func parity(d *Decision, ratio, spread float64, r Rule) {
	loss := 1 - ratio
	if loss <= guard {
		d.Verdict = Pass
		d.say("it is at least 1.000: PASS")
		return
	}
	margin := spread
	switch {
	case math.IsNaN(spread):
		margin = 0
		d.say("there is no spread (fewer than two runs), so that nothing excuses a loss")
	case r.MaxMarginFrac > 0 && spread > r.MaxMarginFrac:
		margin = r.MaxMarginFrac
		d.say("its spread of %s is capped at %s", percentText(spread), percentText(margin))
	default:
		d.say("its spread is %s", percentText(spread))
	}
	if loss+guard < margin {
		d.Verdict, d.Short = Pass, "inside its spread"
		d.say("the loss of %s is less than that: PASS", percentText(loss))
		return
	}
	d.Verdict, d.Short = Fail, "a loss of "+percentText(loss)+" against a margin of "+percentText(margin)
	d.say("the loss of %s is not less than %s: FAIL", percentText(loss), percentText(margin))
}
