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
	// Own is the CPU time of the calling thread; nil: it is not known, and what looking at
	// the host costs is not held down.
	Own func() time.Duration
}

// own is the CPU time of the calling thread; 0 where it is not known.
func (c Clock) own() time.Duration {
	if c.Own == nil {
		return 0
	}
	return c.Own()
}

// NewClock returns the clock of this host.
func NewClock(c mono.Clock) Clock { return Clock{Now: c.Now, Sleep: sleep, Own: threadCPU} }

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
