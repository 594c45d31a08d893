package loadgen

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
)

// prepareThread pins the calling thread to the worker's CPU and asks for
// timers without slack: by default the kernel may be 50 us late on purpose
// (prctl(2), PR_SET_TIMERSLACK).
func (w *worker) prepareThread() error {
	if w.cpu >= 0 {
		set, err := cpuset.Of(w.cpu)
		if err == nil {
			err = cpuset.SetThread(set)
		}
		if err != nil {
			return fmt.Errorf("prepare worker thread: %w", err)
		}
	}
	// A filter may refuse it; timers are then late by the default slack.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return nil
}

// use reads what the calling thread has used so far (getrusage(2),
// RUSAGE_THREAD; the CPU time to the nanosecond by clock_gettime(2)).
func (w *worker) use(now mono.Time) threadUse {
	u := threadUse{at: now}
	u.bytesIn, u.bytesOut = w.loop.Bytes()
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) == nil {
		u.cpu = time.Duration(ts.Nano())
	}
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &ru) == nil {
		u.switches = ru.Nivcsw
	}
	return u
}
