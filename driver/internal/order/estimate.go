package order

import (
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// overhead is what a measurement takes beside its warm-up and its window: to start, to
// check and to stop. The reports' sessions took 2.7 s (270 measurements, 180 minutes of
// load, 192 taken) and 2.1 s (240, 160 and 168.2). They started each server once a run,
// and so it is one figure whatever the plan's restart says.
const overhead = 2500 * time.Millisecond

// Estimate returns how long measurements take, without waiting for a quiet host.
func Estimate(p suite.Plan, keys []session.Key) time.Duration {
	return time.Duration(len(keys)) * (p.Warmup + p.Measure + overhead)
}
