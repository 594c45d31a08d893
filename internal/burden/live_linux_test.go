package burden

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// The process uses what it says, on each CPU: never more, and on a host that others use
// as much as it gets.
func TestShare(t *testing.T) {
	const share, during = 0.2, 300 * time.Millisecond
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), during, nil)
	defer cancel()
	before, began := cpuTime(t), time.Now()
	if err := Run(ctx, share); err != nil {
		t.Fatal(err)
	}
	due := share * float64(time.Since(began)) * float64(allowed.Count())
	got := float64(cpuTime(t)-before) / due
	t.Logf("%.2f of %v of %d CPUs", got, share, allowed.Count())
	// A period of spinning is at most one debt too long, and starting threads costs.
	if got < 0.3 || got > 1.5 {
		t.Errorf("it took %.2f times the share", got)
	}
}

// cpuTime is that of the process.
func cpuTime(t *testing.T) time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}
