package probe

import (
	"math"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// schedule says when probes are intended: seq / rate after the start. It is a
// closed form, so that neither a late probe nor rounding moves the later ones.
type schedule struct {
	start mono.Time
	rate  float64 // probes a second
	count int64   // how many there are
}

// newSchedule has as many probes as fit: count of them, or those intended before
// duration is over, or no end.
func newSchedule(start mono.Time, c Config) schedule {
	s := schedule{start: start, rate: c.Rate, count: math.MaxInt64}
	if c.Duration > 0 {
		// The one at exactly the end is not begun. 1e-9 keeps 0.3 s x 10 = 3.0000000000000004
		// from having a fourth.
		s.count = int64(math.Ceil(c.Duration.Seconds()*c.Rate - 1e-9))
	}
	if c.Count > 0 {
		s.count = min(s.count, c.Count)
	}
	return s
}

// intended is the time of a probe. seq / rate is split, because a float64 of
// nanoseconds is exact for three months only.
func (s schedule) intended(seq int64) mono.Time {
	seconds, rest := math.Modf(float64(seq) / s.rate)
	return s.start.Add(time.Duration(seconds)*time.Second + time.Duration(math.Round(rest*1e9)))
}
