package measure

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/record"
)

// clocks is one reading of three clocks, in ns of each. All that is measured is in
// CLOCK_MONOTONIC, which NTP may make run faster or slower, but not step.
type clocks struct {
	monotonic int64
	wall      int64 // CLOCK_REALTIME
	raw       int64 // CLOCK_MONOTONIC_RAW, which nobody corrects
	gap       int64 // how long the reading took: by so much they may be apart
}

// clockTries is how often the clocks are read: the tightest reading counts, since a
// preemption in between would look like a step.
const clockTries = 8

// readClocks reads them; the zero value when one cannot be read.
func readClocks() clocks {
	best := clocks{gap: math.MaxInt64}
	for range clockTries {
		var read [4]unix.Timespec
		for i, id := range [...]int32{unix.CLOCK_MONOTONIC, unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC_RAW, unix.CLOCK_MONOTONIC} {
			if unix.ClockGettime(id, &read[i]) != nil {
				return clocks{}
			}
		}
		if gap := read[3].Nano() - read[0].Nano(); gap < best.gap {
			best = clocks{monotonic: read[0].Nano(), wall: read[1].Nano(), raw: read[2].Nano(), gap: gap}
		}
	}
	return best
}

// ClockChange is what happened to the clocks between two readings.
type ClockChange struct {
	// Step is by how much the wall clock was set, forward or back.
	Step time.Duration `json:"step_ns"`
	// SlewPPM is by how much CLOCK_MONOTONIC ran faster than the hardware, in millionths.
	SlewPPM record.Value `json:"slew_ppm"`

	uncertainty time.Duration
}

// since subtracts an earlier reading; nil when either is none.
func (c clocks) since(earlier clocks) *ClockChange {
	if c == (clocks{}) || earlier == (clocks{}) {
		return nil
	}
	monotonic := c.monotonic - earlier.monotonic
	change := ClockChange{Step: time.Duration(c.wall - earlier.wall - monotonic), uncertainty: time.Duration(c.gap + earlier.gap)}
	if raw := c.raw - earlier.raw; raw > 0 {
		change.SlewPPM = record.Of(float64(monotonic-raw) / float64(raw) * 1e6)
	}
	return &change
}

const (
	stepMost = time.Millisecond // more is no jitter of reading
	// slewMost is what is no crystal's error any more: those are some ten millionths off, and
	// NTP moves a clock by 500 at most (adjtimex(2)).
	slewMost = 200
)

// stepped tells whether the wall clock was set, and slewed whether the clock by which is
// measured was being moved, by more than the readings are uncertain.
func (c *ClockChange) stepped() bool {
	return c != nil && c.Step.Abs() > stepMost+c.uncertainty
}

func (c *ClockChange) slewed(over time.Duration) bool {
	if c == nil || over <= 0 {
		return false
	}
	ppm, known := c.SlewPPM.Get()
	return known && math.Abs(ppm) > slewMost+float64(c.uncertainty)/float64(over)*1e6
}
