package loadgen

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// hostEvents is what happened to the host during a run.
type hostEvents struct {
	suspended time.Duration // how long it slept; 0: not at all
}

// hostWatch holds what was read before the run.
type hostWatch struct {
	clock mono.Clock
	gap   time.Duration
}

// suspendedMin tells a suspended host from two clocks that are not read at the
// same moment.
const suspendedMin = 50 * time.Millisecond

func watchHost(clock mono.Clock) hostWatch { return hostWatch{clock, clockGap(clock)} }

// clockGap is CLOCK_BOOTTIME - CLOCK_MONOTONIC. It grows only while the host is
// suspended (clock_gettime(2)).
func clockGap(clock mono.Clock) time.Duration {
	boot, err := procfs.SinceBoot()
	if err != nil {
		return 0
	}
	return boot - time.Duration(clock.Now())
}

func (h hostWatch) stop() hostEvents {
	if gap := clockGap(h.clock) - h.gap; gap > suspendedMin {
		return hostEvents{suspended: gap}
	}
	return hostEvents{}
}
