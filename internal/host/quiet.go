package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// Condition is when a host counts as quiet. A limit of zero is not asked for; the
// zero value is always fulfilled.
type Condition struct {
	// Load1 is what the load average of the last minute must be below, 2 by the rule
	// of the published reports. It counts tasks that wait for a disk too, and falls
	// only by a factor of e a minute: after a round of our own it takes minutes.
	Load1 float64
	// BusyFrac is what the busy share of CPUs must be below, 0 to 1, over five
	// seconds. It is what is really asked; 0.02 is usual.
	BusyFrac float64
	// PressureFrac is what the share of the last ten seconds in which some task
	// waited for a CPU must be below (PSI some avg10), 0 to 1; 0.01 is usual. Where
	// the kernel does not tell it is not asked.
	PressureFrac float64

	// CPUs are those of all sets; empty: all there are.
	CPUs cpuset.Set
	// Timeout is how long to wait at most; zero: one look.
	Timeout time.Duration
}

// Wait is how waiting for a quiet host ended.
type Wait struct {
	Waited time.Duration `json:"waited_ns"`
	Quiet  bool          `json:"quiet"`
	// Why is what was missing at the last look, and who was busy; "" when the host
	// was quiet.
	Why string `json:"why,omitempty"`
}

// watchTime is over how long CPUs are watched, and how often is said what is waited
// for.
const watchTime = 5 * time.Second

// WaitQuiet waits until the condition holds, and looks every five seconds, so that
// it takes five at least. After each look in vain it says in a line what it waits for
// and who is busy. The error is the context's; the Wait is then what was known. A
// host of which a limit cannot be read is not quiet: Why says so.
func (f FS) WaitQuiet(ctx context.Context, c Condition, clock Clock, say func(line string)) (Wait, error) {
	if c.Load1 == 0 && c.BusyFrac == 0 && c.PressureFrac == 0 {
		return Wait{Quiet: true}, nil
	}
	if c.CPUs == (cpuset.Set{}) {
		c.CPUs = f.online()
	}
	began := clock.Now()
	var w Wait
	for before := f.moment(clock); ; {
		if err := clock.Sleep(ctx, watchTime); err != nil {
			w.Waited = clock.Now().Sub(began)
			return w, err
		}
		after := f.moment(clock)
		missing := f.missing(c, before, after)
		w = Wait{Waited: after.at.Sub(began), Quiet: len(missing) == 0}
		if w.Quiet {
			return w, nil
		}
		w.Why = strings.Join(missing, "; ") + "; busy: " + consumersText(f.busiest(before, after, c.CPUs))
		if w.Waited >= c.Timeout {
			return w, nil
		}
		say(fmt.Sprintf("waiting for a quiet host, %v: %s", w.Waited.Round(time.Second), w.Why))
		before = after
	}
}

// missing says what a host lacks to be quiet; nil when it is.
func (f FS) missing(c Condition, before, after moment) []string {
	var missing []string
	add := func(format string, args ...any) { missing = append(missing, fmt.Sprintf(format, args...)) }
	if c.Load1 > 0 {
		switch load, err := f.proc.Load1(); {
		case err != nil:
			add("the load is not known: %v", err)
		case load >= c.Load1:
			add("load %.2f, want below %g", load, c.Load1)
		}
	}
	if c.BusyFrac > 0 {
		work := procfs.SumWork(after.work, c.CPUs).Sub(procfs.SumWork(before.work, c.CPUs))
		switch busy := busyFrac(work); {
		case work.Total() == 0:
			add("how busy CPUs %s are is not known", c.CPUs)
		case busy >= c.BusyFrac:
			add("CPUs %s %s busy, want below %s", c.CPUs, units.Percent(busy), units.Percent(c.BusyFrac))
		}
	}
	if c.PressureFrac > 0 {
		if some, err := f.proc.CPUPressure(); err == nil && some >= c.PressureFrac {
			add("tasks waited for a CPU %s of the time, want below %s", units.Percent(some), units.Percent(c.PressureFrac))
		}
	}
	return missing
}

// busyFrac is the share of the time in which a CPU was not free.
func busyFrac(w procfs.CPUWork) float64 {
	if w.Total() <= 0 {
		return 0
	}
	return 1 - float64(w.Idle)/float64(w.Total())
}
