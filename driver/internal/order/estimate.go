package order

import (
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// Estimate returns how long measurements take, without waiting for a quiet host.
func Estimate(p suite.Plan, keys []session.Key) time.Duration {
	return time.Duration(len(keys)) * (p.Warmup + p.Measure + session.OverheadPerMeasurement)
}
