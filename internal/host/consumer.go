package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Consumer is a process that used CPU time in some interval.
type Consumer struct {
	PID    int    `json:"pid"`
	Comm   string `json:"comm"`
	Cgroup string `json:"cgroup,omitempty"` // "": the top one, or not readable
	Kernel bool   `json:"kernel,omitempty"` // a thread of the kernel
	// Cores is how many CPUs' worth it used, its children that ended included.
	Cores float64 `json:"cores"`
	// LastCPU is where its main thread ran last.
	LastCPU int `json:"last_cpu"`
}

// String is "dnf[4121] 0.31 CPUs in /system.slice/dnf.service".
func (c Consumer) String() string {
	text := fmt.Sprintf("%s[%d] %.2f CPUs", c.Comm, c.PID, c.Cores)
	switch {
	case c.Kernel:
		text += " in the kernel"
	case c.Cgroup != "":
		text += " in " + c.Cgroup
	}
	return text
}

// consumersText lists consumers in one line; "nobody" for none.
func consumersText(consumers []Consumer) string {
	if len(consumers) == 0 {
		return "nobody"
	}
	texts := make([]string, len(consumers))
	for i, c := range consumers {
		texts[i] = c.String()
	}
	return strings.Join(texts, ", ")
}

// consumers returns the processes that used most, at most n of them: those first
// that ran last on one of the CPUs, then by what they used. used is what [spent]
// says; processes for which own holds, and those that used nothing, are left out.
func (f FS) consumers(used map[int]time.Duration, later processTable, elapsed time.Duration, cpus cpuset.Set, own func(pid int) bool, n int) []Consumer {
	if elapsed <= 0 {
		return nil
	}
	var all []Consumer
	for pid, time := range used {
		if time == 0 || own(pid) {
			continue
		}
		p := later[pid]
		all = append(all, Consumer{
			PID: pid, Comm: p.Comm, Kernel: p.Kernel(), LastCPU: p.LastCPU,
			Cores: float64(time) / float64(elapsed),
		})
	}
	slices.SortFunc(all, func(a, b Consumer) int {
		switch here, there := cpus.Contains(a.LastCPU), cpus.Contains(b.LastCPU); {
		case here && !there:
			return -1
		case there && !here:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Cores, a.Cores), cmp.Compare(a.PID, b.PID))
	})
	all = all[:min(n, len(all))]
	for i := range all {
		// Only of those that are told: a file for each process would cost as much
		// again as the look itself.
		if group, err := f.proc.Cgroup(all[i].PID); err == nil && group != "/" {
			all[i].Cgroup = group
		}
	}
	return all
}

// busiest are the consumers between two looks, own or not.
func (f FS) busiest(before, after moment, cpus cpuset.Set) []Consumer {
	used := spent(before.processes, after.processes)
	return f.consumers(used, after.processes, after.at.Sub(before.at), cpus, func(int) bool { return false }, listed)
}

// listed is how many names a sentence holds.
const listed = 5
