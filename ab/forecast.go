package ab

import (
	"math"
	"time"
)

// needsMax is where a forecast ends: nobody waits for a day.
const needsMax = 24 * time.Hour

// needs returns how long the whole measurement would have to be to be decided; 0 while
// nothing can be said. The difference is taken to be a standard error nearer to 0 than it
// looks: early on, most of what is seen is noise, and taken at its word it would promise
// too much.
func (m measuring) needs(f finding, r Rule) time.Duration {
	seen := math.Max(0, math.Abs(f.value)-f.blocks.SE)
	// Either 0 leaves the interval, or the margin does.
	enough := math.Max(seen, math.Log1p(r.Margin)-seen)
	if r.MaxLoss > 0 {
		enough = math.Abs(math.Copysign(seen, f.value) - math.Log1p(-r.MaxLoss))
	}
	return m.until(f, enough)
}

// until returns when the interval will be so narrow that it leaves a value this far
// from the truth, if the noise stays as it is; at most needsMax. Beyond the longest that
// was planned it is the end of a measurement that was planned so long.
func (m measuring) until(f finding, far float64) time.Duration {
	if m.elapsed < firstTime || f.blocks.Count < firstBlocks {
		return 0
	}
	for times := 1.0; ; times *= 1.05 {
		at := time.Duration(float64(m.elapsed) * times)
		if at >= needsMax {
			return needsMax
		}
		later := f.blocks.After(times)
		part := min(1, at.Seconds()/m.longest.Seconds())
		// The centre will be about a standard error from the truth.
		if m.half(later, part)+later.SE <= far {
			return at
		}
	}
}
