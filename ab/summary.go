package ab

import (
	"math"

	"github.com/scalws/scalbench/internal/stat"
)

// Centre is what the pairs of one run say of the ratio B / A of a metric, looked at once
// and after the end.
type Centre struct {
	Ratio float64 // exp of the centre of the units; NaN: not measured
	// SE is the standard error of ln Ratio, within this run: what another run of the same
	// two processes would have as well is in it, and what another start of them adds is
	// not. NaN: too few units to tell.
	SE    float64
	Units int // it was measured in
}

// SummaryOf returns the centres of rps and of the server's CPU per request, for who
// combines several runs: a run is one value there, whatever the number of its pairs. The
// error is that of [Judge.Add].
func SummaryOf(pairs []Pair) (rps, cpu Centre, err error) {
	j := &Judge{rule: Rule{Max: math.MaxInt64}}
	for _, p := range pairs {
		if err := j.Add(p); err != nil {
			return rps, cpu, err
		}
	}
	return j.centreOf(j.units.rps), j.centreOf(j.units.cpu), nil
}

// centreOf measures differences. Blocks are those of an interval, where there are enough
// units for any; of fewer each unit stands for itself.
func (j *Judge) centreOf(d []float64) Centre {
	how := j.measuring()
	f := how.centre(d)
	c := Centre{Ratio: math.Exp(f.value), SE: f.blocks.SE, Units: len(d)}
	if f.blocks.Count == 0 {
		c.SE = math.NaN()
		if t, err := stat.TrimmedMean(d, trim); err == nil && len(d) >= unitsMin {
			c.SE = meanSquareRoot(t.Influence) / math.Sqrt(float64(len(d)))
		}
	}
	return c
}

// unitsMin is how many units tell a standard error at all.
const unitsMin = 4

// meanSquareRoot is the standard deviation of influences, whose mean is 0, of n - 1.
func meanSquareRoot(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(x)-1))
}
