package procfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// CPUTimes is how one CPU has spent its time since boot, in steps of 10 ms.
type CPUTimes struct {
	// Busy is everything but Idle, interrupts and what the hypervisor gave to
	// others (steal) included: time in which a program of ours could not run.
	Busy time.Duration
	// Idle includes waiting for a disk (iowait): the CPU is free then.
	Idle time.Duration
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

// BusyFrac returns the busy share of the time since an earlier reading, 0 when
// none has passed.
func (c CPUTimes) BusyFrac(earlier CPUTimes) float64 {
	busy, idle := c.Busy-earlier.Busy, c.Idle-earlier.Idle
	if busy+idle <= 0 {
		return 0
	}
	return float64(busy) / float64(busy+idle)
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
			if i == columnIdle || i == columnIOWait {
				t.Idle += time.Duration(ticks) * userTick
			} else {
				t.Busy += time.Duration(ticks) * userTick
			}
		}
		times[cpu] = t
	}
	return times, nil
}
