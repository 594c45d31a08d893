package perf

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Keeper has the events open and counts nothing. When the last counter of a tracepoint
// ends the kernel waits until no CPU can be inside of it any more (an RCU grace period, some
// 30 ms), for one tracepoint after the other: 12 s for all system calls, where a counter
// of which every event is kept ends at once.
type Keeper struct {
	counter *Counter
	stdin   *os.File // of a process that does nothing and ends with it
}

// Keep opens the events for a process that does nothing. The error is an [*Unavailable] when
// perf refuses.
func (p Program) Keep(ctx context.Context) (*Keeper, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("keep the events of perf: %w", err)
	}
	counter, err := p.open(ctx, read, "--", "cat")
	if closeErr := read.Close(); err == nil && closeErr == nil {
		return &Keeper{counter, write}, nil
	} else if counter != nil {
		counter.Kill()
		err = closeErr
	}
	return nil, errors.Join(err, write.Close())
}

// Release gives the events up. It takes as long as the kernel does.
func (k *Keeper) Release() error {
	err := k.stdin.Close() // perf ends with the process
	if !k.counter.child.await(endMax) {
		k.counter.Kill()
		return errors.New("perf does not end")
	}
	return errors.Join(err, k.counter.close())
}
