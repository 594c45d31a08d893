package order

import (
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// Estimate returns how long measurements take, without waiting for a quiet host. Those of
// two variants that take turns are made together, and each counts for half of the pair.
func Estimate(p suite.Plan, keys []session.Key) time.Duration {
	return time.Duration(len(keys)) * (p.Load() + session.Overhead(p.Interleave == suite.Sliced))
}
