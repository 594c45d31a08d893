package host

import (
	"context"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// Clock is how time is told and how it passes. Tests pass one of their own, in which
// a second is over at once.
type Clock struct {
	Now func() mono.Time
	// Sleep returns after d, or with the context's error when that is done before.
	Sleep func(ctx context.Context, d time.Duration) error
}

// NewClock returns the clock of this host.
func NewClock(c mono.Clock) Clock { return Clock{Now: c.Now, Sleep: sleep} }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
