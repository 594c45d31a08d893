package burden

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

const (
	period = time.Millisecond
	// debtMax is the most that is owed: after a suspension, or beside so many threads that
	// a fair scheduler does not give the share, the burden does not spin for seconds on end.
	debtMax = 50 * time.Millisecond
)

// Run takes the share, above 0 and below 1, of each CPU that this process may use, until
// the context ends. The error is nil then. It needs Linux, and, as each of its threads
// keeps one to itself, GOMAXPROCS above the number of CPUs.
func Run(ctx context.Context, share float64) error {
	if !(share > 0 && share < 1) {
		return fmt.Errorf("share %v, expected one above 0 and below 1", share)
	}
	allowed, err := cpuset.Allowed()
	if err != nil {
		return fmt.Errorf("burden: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cpus := allowed.CPUs()
	ended := make(chan error, len(cpus))
	for _, cpu := range cpus {
		go func() {
			err := burn(ctx, cpu, share)
			if err != nil {
				err = fmt.Errorf("burden on CPU %d: %w", cpu, err)
			}
			ended <- err
		}()
	}
	var errs []error
	for range cpus {
		errs = append(errs, <-ended)
		cancel() // one alone is no burden of that share
	}
	return errors.Join(errs...)
}

// burn is what one thread does, pinned to a CPU for good: the thread ends with it.
func burn(ctx context.Context, cpu int, share float64) error {
	runtime.LockOSThread()
	set, err := cpuset.Of(cpu)
	if err == nil {
		err = cpuset.SetThread(set)
	}
	if err != nil {
		return err
	}
	t, err := newThread()
	if err != nil {
		return err
	}
	began, before := time.Now(), t.used()
	taken := ledger{share: share}
	for ctx.Err() == nil {
		for due := taken.due(time.Since(began)); t.used()-before < due; {
			spin()
		}
		taken.took(t.used() - before)
		if err := t.sleep(period); err != nil {
			return err
		}
	}
	return nil
}

// ledger says how much CPU time is due.
type ledger struct {
	share  float64
	had    time.Duration
	waived time.Duration // that was due and will not be taken
}

// due is what the thread should have used in all, so long after it began.
func (l *ledger) due(elapsed time.Duration) time.Duration {
	due := time.Duration(l.share*float64(elapsed)) - l.waived
	if over := due - l.had - debtMax; over > 0 {
		l.waived += over
		due -= over
	}
	return due
}

// took notes what it has used in all.
func (l *ledger) took(used time.Duration) { l.had = used }

// spin takes a few microseconds and touches no memory: what it takes is time alone.
func spin() {
	x := uint64(1)
	for range 2000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}
