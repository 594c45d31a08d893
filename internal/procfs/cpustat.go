package procfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// CPUTimes is how one CPU has spent its time since boot, in steps of 10 ms.
type CPUTimes struct {
	// Busy is everything but Idle, interrupts and what the hypervisor gave to
	// others (steal) included: time in which a program of ours could not run.
	Busy time.Duration
	// Idle includes waiting for a disk (iowait): the CPU is free then.
	Idle time.Duration
	// Steal is the part of Busy that the hypervisor gave to others. 0 where it
	// does not tell, and on a host of its own.
	Steal time.Duration
}

// CPUTimes reads /proc/stat, by CPU number. CPUs that are offline are absent.
func (f FS) CPUTimes() (map[int]CPUTimes, error) {
	data, err := os.ReadFile(filepath.Join(f.root, "stat"))
	if err != nil {
		return nil, err
	}
	times, err := parseCPUTimes(data)
	if err != nil {
		return nil, fmt.Errorf("read stat: %w", err)
	}
	return times, nil
}

// SumCPUs adds up the times of a set of CPUs. ok is false when one of them is
// not there (it is offline): a sum without it could not be compared with another.
func SumCPUs(times map[int]CPUTimes, cpus cpuset.Set) (sum CPUTimes, ok bool) {
	for _, cpu := range cpus.CPUs() {
		t, ok := times[cpu]
		if !ok {
			return CPUTimes{}, false
		}
		sum.Busy += t.Busy
		sum.Idle += t.Idle
		sum.Steal += t.Steal
	}
	return sum, true
}

// BusyFrac returns the busy share of the time since an earlier reading, 0 when
// none has passed.
func (c CPUTimes) BusyFrac(earlier CPUTimes) float64 { return c.share(earlier, c.Busy-earlier.Busy) }

// StealFrac returns the stolen share of the time since an earlier reading, 0
// when none has passed.
func (c CPUTimes) StealFrac(earlier CPUTimes) float64 {
	return c.share(earlier, c.Steal-earlier.Steal)
}

// share is a part of the time since an earlier reading.
func (c CPUTimes) share(earlier CPUTimes, part time.Duration) float64 {
	passed := c.Busy - earlier.Busy + c.Idle - earlier.Idle
	if passed <= 0 {
		return 0
	}
	return float64(part) / float64(passed)
}

// Columns of a "cpuN" line of /proc/stat. Guest time, in the columns after
// steal, is part of user and nice already. Source: proc_stat(5).
const (
	columnIdle   = 3
	columnIOWait = 4
	columnSteal  = 7
)

// parseCPUTimes reads the lines "cpu0 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ
// STEAL ...", and not the sum in front of them.
func parseCPUTimes(data []byte) (map[int]CPUTimes, error) {
	times := make(map[int]CPUTimes)
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "cpu") || fields[0] == "cpu" {
			continue
		}
		cpu, err := strconv.Atoi(fields[0][len("cpu"):])
		columns := fields[1:]
		if err != nil || len(columns) <= columnSteal {
			return nil, fmt.Errorf("line %q is not a CPU and its times", line)
		}
		var t CPUTimes
		for i, text := range columns[:columnSteal+1] {
			ticks, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("line %q is not a CPU and its times", line)
			}
			passed := time.Duration(ticks) * userTick
			switch i {
			case columnIdle, columnIOWait:
				t.Idle += passed
			case columnSteal:
				t.Steal = passed
				fallthrough
			default:
				t.Busy += passed
			}
		}
		times[cpu] = t
	}
	return times, nil
}
