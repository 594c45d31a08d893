package cpuset

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// Throttling is how often the kernel has stopped the cgroups of this process
// because their quota was used up. It counts since the groups were made, for all
// processes in them.
type Throttling struct {
	// Periods are the quota's periods (100 ms, if nobody said otherwise) in which
	// the groups wanted CPU time; 0 without a quota.
	Periods uint64
	// Throttled are the periods in which a group was stopped before their end.
	Throttled uint64
	// Stopped is for how long, added up over the CPUs it would have run on.
	Stopped time.Duration
}

// Sub returns what was counted since an earlier reading. A process that was
// moved to another group in between has counted something else: 0.
func (t Throttling) Sub(earlier Throttling) Throttling {
	return Throttling{
		Periods:   t.Periods - min(earlier.Periods, t.Periods),
		Throttled: t.Throttled - min(earlier.Throttled, t.Throttled),
		Stopped:   max(0, t.Stopped-earlier.Stopped),
	}
}

// Throttling reads cpu.stat of the groups that [FS.Quota] looks at. Each counts
// its own quota only, and stops all groups below it, so they are added up: a
// time in which two of them stood still counts twice.
//
// Files that do not exist or cannot be opened are "never stopped", as is a file
// without these keys: the group at the top, or one without a cpu controller.
// Source: kernel documentation, scheduler/sched-bwc.rst ("Statistics") and
// admin-guide/cgroup-v2.rst ("cpu.stat").
func (fs FS) Throttling() (Throttling, error) {
	var sum Throttling
	for _, g := range fs.ownGroups() {
		name := path.Join(g.dir, "cpu.stat")
		if err := sum.add(fs.read(name)); err != nil {
			return Throttling{}, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return sum, nil
}

// add adds a cpu.stat, lines of "key value". The time is throttled_time in
// nanoseconds in version 1 and throttled_usec in version 2.
func (t *Throttling) add(text string) error {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		var n int64
		var err error
		switch key {
		case "nr_periods", "nr_throttled", "throttled_time", "throttled_usec":
			n, err = strconv.ParseInt(value, 10, 64)
		}
		if err != nil || n < 0 {
			return fmt.Errorf("%s %q is not a count", key, value)
		}
		switch key {
		case "nr_periods":
			t.Periods += uint64(n)
		case "nr_throttled":
			t.Throttled += uint64(n)
		case "throttled_time":
			t.Stopped += time.Duration(n)
		case "throttled_usec":
			t.Stopped += time.Duration(n) * time.Microsecond
		}
	}
	return nil
}
