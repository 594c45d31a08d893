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

// CPUWork is how one CPU has spent its time since boot, by whom it worked for, in
// steps of 10 ms. [CPUTimes] is the same with less detail.
type CPUWork struct {
	// Task is the time of processes and kernel threads, virtual machines included.
	Task time.Duration
	// Interrupts is the time in interrupts, soft ones among them: on a host that
	// loads a server over loopback, most of the network stack. Whether the same time
	// also counts for the process that was interrupted depends on the kernel: not
	// with CONFIG_IRQ_TIME_ACCOUNTING, which distributions set, otherwise it does.
	Interrupts time.Duration
	Steal      time.Duration // given to others by the hypervisor
	Idle       time.Duration // waiting for a disk included
}

// Total is all the time there was.
func (w CPUWork) Total() time.Duration { return w.Task + w.Interrupts + w.Steal + w.Idle }

// Add returns the sum of two.
func (w CPUWork) Add(more CPUWork) CPUWork {
	return CPUWork{w.Task + more.Task, w.Interrupts + more.Interrupts, w.Steal + more.Steal, w.Idle + more.Idle}
}

// Sub returns what was spent since an earlier reading. Idle time may go back a
// little (proc_stat(5) warns of it for iowait); a part that does counts as 0.
func (w CPUWork) Sub(earlier CPUWork) CPUWork {
	return CPUWork{
		Task:       max(0, w.Task-earlier.Task),
		Interrupts: max(0, w.Interrupts-earlier.Interrupts),
		Steal:      max(0, w.Steal-earlier.Steal),
		Idle:       max(0, w.Idle-earlier.Idle),
	}
}

// CPUWork reads /proc/stat, by CPU number. CPUs that are offline are absent.
func (f FS) CPUWork() (map[int]CPUWork, error) {
	data, err := os.ReadFile(filepath.Join(f.root, "stat"))
	if err != nil {
		return nil, err
	}
	work := make(map[int]CPUWork)
	for line := range bytes.Lines(data) {
		// The lines of the CPUs come first; that of the interrupts, after them, is long.
		if !bytes.HasPrefix(line, []byte("cpu")) {
			break
		}
		if bytes.HasPrefix(line, []byte("cpu ")) {
			continue
		}
		cpu, w, err := parseCPUWork(string(line))
		if err != nil {
			return nil, fmt.Errorf("read stat: %w", err)
		}
		work[cpu] = w
	}
	return work, nil
}

// parseCPUWork reads "cpu0 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...".
// The columns after these are part of USER and NICE. Source: proc_stat(5).
func parseCPUWork(line string) (cpu int, w CPUWork, err error) {
	fields := strings.Fields(line)
	parts := [...]*time.Duration{&w.Task, &w.Task, &w.Task, &w.Idle, &w.Idle, &w.Interrupts, &w.Interrupts, &w.Steal}
	cpu, err = strconv.Atoi(strings.TrimPrefix(fields[0], "cpu"))
	if err != nil || len(fields) <= len(parts) {
		return 0, CPUWork{}, fmt.Errorf("line %q is not a CPU and its times", line)
	}
	for i, part := range parts {
		ticks, err := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil {
			return 0, CPUWork{}, fmt.Errorf("line %q is not a CPU and its times", line)
		}
		*part += time.Duration(ticks) * userTick
	}
	return cpu, w, nil
}

// SumWork adds up the work of those CPUs of a set that are there.
func SumWork(work map[int]CPUWork, cpus cpuset.Set) (sum CPUWork) {
	for _, cpu := range cpus.CPUs() {
		sum = sum.Add(work[cpu])
	}
	return sum
}
