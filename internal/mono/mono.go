// Package mono reads CLOCK_MONOTONIC as plain nanoseconds.
//
// Everything that is measured or scheduled in scalbench is a [Time]: eight
// bytes, comparable across processes of one host (a child announces its
// timeline to its parent in these units), never wall time. Wall time appears
// only in logs and results, as time.Time.
package mono

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Time is an instant of CLOCK_MONOTONIC in nanoseconds. Zero means "not
// reached" or "not set"; the clock itself never reads zero once a host is up.
type Time int64

// Add returns t moved by d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns t - u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Clock turns the runtime's monotonic clock into CLOCK_MONOTONIC instants.
//
// time.Since of a fixed base costs one vDSO call. unix.ClockGettime would be
// a real system call on every reading, and time.Now reads two clocks; that is
// why the hot path holds a Clock by value and asks nothing else.
type Clock struct {
	base   time.Time
	offset Time // CLOCK_MONOTONIC at base
}

// NewClock returns a clock. All clocks of one host agree to within the time
// between two adjacent readings (well under a microsecond).
func NewClock() (Clock, error) {
	var ts unix.Timespec
	// The pair is taken up to eight times and the tightest kept: a preemption
	// between the readings would shift every instant of the process.
	best := Clock{}
	tightest := time.Duration(1<<63 - 1)
	for range 8 {
		before := time.Now()
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			return Clock{}, fmt.Errorf("read CLOCK_MONOTONIC: %w", err)
		}
		if gap := time.Since(before); gap < tightest {
			tightest = gap
			best = Clock{base: before, offset: Time(ts.Nano()) - Time(gap/2)}
		}
	}
	return best, nil
}

// Now reads the clock.
func (c Clock) Now() Time { return c.offset + Time(time.Since(c.base)) }

// Wall converts an instant to wall time, for logs and results only. It is as
// exact as the wall clock was steady since NewClock.
func (c Clock) Wall(t Time) time.Time { return c.base.Add(time.Duration(t - c.offset)).Round(0) }
