package probe

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// A pair is taken up to pairTries times; one that is tighter than pairGapEnough
// is taken at once.
const (
	pairTries     = 4
	pairGapEnough = time.Microsecond
)

// realtimeOffset is what turns an instant of CLOCK_REALTIME, in ns since 1970,
// into one of CLOCK_MONOTONIC by addition. It is taken anew for each use, for NTP
// moves one clock against the other. It is exact to half the gap between the
// readings around it, of which the smallest of several is used: a preemption in
// between would shift the stamp by its length.
func realtimeOffset(clock mono.Clock) mono.Time {
	var best mono.Time
	tightest := time.Duration(1<<63 - 1)
	for range pairTries {
		before := clock.Now()
		wall := time.Now().UnixNano()
		gap := clock.Now().Sub(before)
		if gap < tightest {
			tightest = gap
			best = before.Add(gap/2) - mono.Time(wall)
		}
		if tightest < pairGapEnough {
			break
		}
	}
	return best
}
