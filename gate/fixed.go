package gate

// fixed holds the ratio against a threshold. Below it by strictly less than the
// spread is no verdict yet: a repeat decides. A spread that is not known excuses
// nothing.
func fixed(d *Decision, ratio, spread float64, r Rule) {
	short := r.MinRatio - ratio
	switch {
	case short <= guard:
		d.Verdict, d.Short = Pass, "at least "+shortText(r.MinRatio)
		d.say("it is at least %s: PASS", shortText(r.MinRatio))
	case short+guard < spread:
		d.Verdict, d.Short = Borderline, "below "+shortText(r.MinRatio)+" by less than its spread"
		d.say("it is below %s by %s, less than its spread of %s: BORDERLINE, a repeat decides", shortText(r.MinRatio), percentText(short), percentText(spread))
	default:
		d.Verdict, d.Short = Fail, "below "+shortText(r.MinRatio)
		d.say("it is below %s by %s, not less than its spread of %s: FAIL", shortText(r.MinRatio), percentText(short), percentText(spread))
	}
}
