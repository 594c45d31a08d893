package ab

import (
	"math"
	"time"

	"github.com/scalws/scalbench/internal/stat"
)

// Estimate is what is known of a ratio B / A.
type Estimate struct {
	Ratio  float64 // NaN: not measured
	Lo, Hi float64 // between them it is; 0 and +Inf while nothing is known
	Level  float64 // the probability of that, 1 − Rule.Alpha

	Pairs int // it was measured in

	// How the noise was found: the length of a block, in pairs and in time, and the
	// correlation of neighbouring blocks. So many independent pairs would tell as much. 0
	// and NaN while there are too few blocks.
	BlockPairs     int
	Block          time.Duration
	Correlation    float64
	EffectivePairs float64
}

// Known tells whether there is an interval.
func (e Estimate) Known() bool { return e.Lo > 0 && !math.IsInf(e.Hi, 1) }

// How the differences are measured. docs/METHOD.md, section 18, has what the
// alternatives gave in simulations.
const (
	// trim is what the centre leaves out at either end: a fifth, so that a burst may
	// hit every fourth unit.
	trim = 0.2

	// blockMin is the shortest block where slices are shorter; rhythms of a scheduler
	// are shorter yet.
	blockMin = 500 * time.Millisecond

	// firstTime and firstBlocks are what an interval takes at least: what has not been
	// watched for some seconds cannot be known to be steady.
	firstTime   = 6 * time.Second
	firstBlocks = 8

	// latencyStep is how finely a histogram of three digits tells latencies apart:
	// where slices do not vary by more, many of them know no more.
	latencyStep = 1.0 / 1024
)

// measuring is how the units of one moment are measured.
type measuring struct {
	unit     time.Duration // from one unit to the next
	elapsed  time.Duration
	longest  time.Duration
	alpha    float64
	blocking stat.Blocking
}

func (j *Judge) measuring() measuring {
	m := measuring{elapsed: j.at, longest: j.rule.Max, alpha: j.rule.Alpha}
	m.blocking = stat.Blocking{Length: 1, Fewest: 16, Most: 64, Correlated: 0.3, Doubt: 1}
	if j.units.n > 0 {
		m.unit = j.at / time.Duration(j.units.n)
		// A power of two, so that it stays the same when units take a little longer.
		for time.Duration(2*m.blocking.Length)*m.unit <= blockMin && m.blocking.Length < 1<<20 {
			m.blocking.Length *= 2
		}
	}
	return m
}

// finding is a difference on the ln scale, and where it may lie: value ± half.
type finding struct {
	value     float64   // NaN: not measured
	half      float64   // +Inf while nothing is known
	influence []float64 // by how much each unit pulls value, times their number
	spread    float64   // the variance of these
	blocks    stat.Blocks
}

func (f finding) lo() float64 { return f.value - f.half }
func (f finding) hi() float64 { return f.value + f.half }

// atLeast widens an interval that is narrower than what is measured can be.
func (f finding) atLeast(half float64) finding {
	f.half = max(f.half, half)
	return f
}

// centre measures a metric by the centre of its differences.
func (m measuring) centre(d []float64) finding {
	c, err := stat.TrimmedMean(d, trim)
	if err != nil { // none was measured
		return finding{value: math.NaN(), half: math.Inf(1)}
	}
	return m.bound(c.Value, c.Influence)
}

// bound makes the interval of a value that each unit pulls by its influence.
func (m measuring) bound(value float64, influence []float64) finding {
	f := finding{value: value, half: math.Inf(1), influence: influence}
	b, err := m.blocking.Of(influence)
	if err != nil { // too few
		return f
	}
	f.blocks = b
	for _, x := range influence {
		f.spread += x * x / float64(len(influence))
	}
	if m.elapsed >= firstTime && b.Count >= firstBlocks {
		f.half = m.half(b, m.elapsed.Seconds()/m.longest.Seconds())
	}
	return f
}

// half is how far from the truth the mean over such blocks may be, when this part of
// the time is over.
func (m measuring) half(b stat.Blocks, part float64) float64 {
	times, err := stat.WatchedBound(m.alpha, part, b.Independent)
	if err != nil || math.IsInf(times, 1) {
		return math.Inf(1)
	}
	return times * b.SE
}

func (m measuring) estimate(f finding) Estimate {
	e := Estimate{
		Ratio: math.Exp(f.value), Lo: knownOr(math.Exp(f.lo()), 0), Hi: knownOr(math.Exp(f.hi()), math.Inf(1)), Level: 1 - m.alpha,
		Pairs: 2 * len(f.influence), Correlation: math.NaN(), EffectivePairs: math.NaN(),
	}
	if b := f.blocks; b.Count > 0 {
		e.BlockPairs, e.Block = 2*b.Length, time.Duration(b.Length)*m.unit
		e.Correlation, e.EffectivePairs = b.Lag1, 2*b.Effective(f.spread)
	}
	return e
}

// knownOr replaces the bound of something that was not measured.
func knownOr(bound, unknown float64) float64 {
	if math.IsNaN(bound) {
		return unknown
	}
	return bound
}
