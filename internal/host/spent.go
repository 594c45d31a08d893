package host

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// processTable is one look at processes, by PID.
type processTable map[int]procfs.Process

func tableOf(processes []procfs.Process) processTable {
	t := make(processTable, len(processes))
	for _, p := range processes {
		t[p.PID] = p
	}
	return t
}

// spent returns the CPU time that each process of the later look has used since the
// earlier one, with that of the children which it has waited for in between: a
// compiler that ran for half a second was never seen by either look, and its time
// stands in its parent.
//
// A child that was in the earlier look and has been waited for since brings its
// whole life into its parent. What the earlier look had counted of it is taken off
// again, from the nearest ancestor that is still there.
func spent(earlier, later processTable) map[int]time.Duration {
	used := make(map[int]time.Duration, len(later))
	reaped := make(map[int]time.Duration, len(later))
	for pid, p := range later {
		used[pid], reaped[pid] = p.CPU, p.Reaped
		if old, same := earlier.same(p); same {
			used[pid] -= old.CPU
			reaped[pid] -= old.Reaped
		}
	}
	for _, p := range earlier {
		if _, alive := later.same(p); !alive {
			reaped[survivor(p, earlier, later)] -= p.CPU + p.Reaped
		}
	}
	for pid := range later {
		// Below zero: the parent ignores its children (SIGCHLD), or they ended as
		// zombies of another. What they used last is not known then.
		used[pid] = max(0, used[pid]) + max(0, reaped[pid])
	}
	return used
}

// same finds a process in another look. A PID that was used again is another one.
func (t processTable) same(p procfs.Process) (procfs.Process, bool) {
	other, there := t[p.PID]
	return other, there && other.Start == p.Start
}

// survivor is the nearest ancestor of a process that has ended which is still alive;
// 0 when there is none. The walk is bounded, since PIDs that are used again could
// make a ring of parents.
func survivor(p procfs.Process, earlier, later processTable) int {
	for range len(earlier) {
		parent, known := earlier[p.PPID]
		if !known {
			return 0
		}
		if _, alive := later.same(parent); alive {
			return parent.PID
		}
		p = parent
	}
	return 0
}

// moment is one look at who uses the CPUs; what cannot be read is nil.
type moment struct {
	at        mono.Time
	work      map[int]procfs.CPUWork
	processes processTable
}

func (f FS) moment(clock Clock) moment {
	m := moment{at: clock.Now()}
	if work, err := f.proc.CPUWork(); err == nil {
		m.work = work
	}
	if processes, err := f.proc.Processes(); err == nil {
		m.processes = tableOf(processes)
	}
	return m
}
