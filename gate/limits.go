package gate

import (
	"math"

	"github.com/scalws/scalbench/internal/record"
)

// limits fails a row whose p99, p99.9, peak RSS or cpu_us rose above its limit, whatever the
// rate did. What was not measured breaks none; flags tell that. NonInferior tests
// latencies and cpu_us, which are as noisy as the rate; peak RSS comes in pages and hardly
// varies, so that its ratio decides as it stands under every policy.
func limits(d *Decision, n Numbers, r Rule) {
	for _, limit := range []limit{
		{"p99", p99Of, n.P99, r.P99Max}, {"p99.9", p999Of, n.P999, r.P999Max}, {"peak RSS", nil, n.RSS, r.RSSMax}, {"cpu_us", cpuOf, n.CPU, r.CPUMax},
	} {
		switch {
		case limit.max == 0:
		case math.IsNaN(limit.ratio):
			d.say("%s was not measured: its limit of %s was not looked at", limit.of, shortText(limit.max))
		case r.Policy == NonInferior && limit.number != nil:
			limit.test(d, n, r)
		case limit.ratio > limit.max+guard:
			d.Verdict, d.Short, d.point = Fail, limit.of+" "+ratioText(limit.ratio)+" is over "+shortText(limit.max), true
			d.say("%s rose to %s, over its limit of %s: FAIL", limit.of, ratioText(limit.ratio), shortText(limit.max))
		default:
			d.say("%s is %s, not over its limit of %s", limit.of, ratioText(limit.ratio), shortText(limit.max))
		}
	}
}

// limit is what a ratio new / base may be at most.
type limit struct {
	of         string
	number     func(*record.Measurement) record.Value // nil: not tested
	ratio, max float64
}

// test fails the row when the ratio is surely over the limit, and leaves it open when
// it is not surely below.
func (l limit) test(d *Decision, n Numbers, r Rule) {
	rounds, err := lnDifferences(n.Rounds, l.number)
	p := newPairs(d.Effect.Speeds.keep(rounds), err)
	p.draw(&n, l.of, r.Interval == ByBootstrap)
	e := p.effect(r.look(len(n.Rounds)), r.Interval)
	t := test{of: l.of, secondary: true, p: r.scaled(p.test(math.Log(l.max), r.Interval).PAbove, len(n.Rounds))}
	switch {
	case e.Hi < l.max-guard:
		d.say("%s is at most %s, below its limit of %s", l.of, ratioText(e.Hi), shortText(l.max))
	case e.Lo > l.max+guard:
		t.fails = true
		d.worsen(Fail, l.of+" is at least "+ratioText(e.Lo)+", over "+shortText(l.max))
		d.say("%s is at least %s, over its limit of %s: FAIL", l.of, ratioText(e.Lo), shortText(l.max))
	default:
		d.worsen(Inconclusive, l.of+" "+e.boundsText()+" is not surely below "+shortText(l.max))
		d.say("%s is %s, by its bounds %s: it is not surely below its limit of %s", l.of, ratioText(l.ratio), e.boundsText(), shortText(l.max))
	}
	d.tests = append(d.tests, t)
}
