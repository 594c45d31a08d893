package gate

import "math"

// limits fails a row whose p99, peak RSS or cpu_us rose above its limit, whatever the
// rate did. What was not measured breaks none; flags tell that.
func limits(d *Decision, n Numbers, r Rule) {
	for _, limit := range []struct {
		of         string
		ratio, max float64
	}{{"p99", n.P99, r.P99Max}, {"peak RSS", n.RSS, r.RSSMax}, {"cpu_us", n.CPU, r.CPUMax}} {
		switch {
		case limit.max == 0:
		case math.IsNaN(limit.ratio):
			d.say("%s was not measured: its limit of %s was not looked at", limit.of, shortText(limit.max))
		case limit.ratio > limit.max+guard:
			d.Verdict, d.Short = Fail, limit.of+" "+ratioText(limit.ratio)+" is over "+shortText(limit.max)
			d.say("%s rose to %s, over its limit of %s: FAIL", limit.of, ratioText(limit.ratio), shortText(limit.max))
		default:
			d.say("%s is %s, not over its limit of %s", limit.of, ratioText(limit.ratio), shortText(limit.max))
		}
	}
}
