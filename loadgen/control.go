package loadgen

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// control is how the workers of a run meet and how they are stopped. While
// measuring they only read stopAt, once a turn.
type control struct {
	arrived chan int     // a worker has opened so many connections
	stopAt  atomic.Int64 // mono.Time at which the run is to end early; 0: it is not
}

func newControl(workers int) *control {
	return &control{arrived: make(chan int, workers)}
}

func (c *control) arrive(up int) { c.arrived <- up }

// stopOnCancel ends the run early when ctx is cancelled. The instant lies a
// little ahead, so that every worker has seen it before it is reached and all
// cut their window at the same place.
func (c *control) stopOnCancel(ctx context.Context, clock mono.Clock) (release func()) {
	stop := context.AfterFunc(ctx, func() {
		c.stopAt.Store(int64(clock.Now().Add(stopAhead)))
	})
	return func() { stop() }
}

// stopAhead is ten times as long as a worker may sleep, so that also one that was
// held up cuts its window where the others do.
const stopAhead = 150 * time.Millisecond
