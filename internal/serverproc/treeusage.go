package serverproc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// treeReading is one reading of all processes of a tree, and of its supervisor's
// account of the children it has reaped.
type treeReading struct {
	at        mono.Time
	processes map[processKey]processReading
	adopted   time.Duration // CPU time of those that the supervisor has reaped
	user, sys time.Duration // of all, with their reaped children, in steps of 10 ms
}

// processKey names a process for good.
type processKey struct {
	pid   int
	start time.Duration
}

type processReading struct {
	name    string
	cpu     time.Duration // of its threads, those that ended included
	reaped  time.Duration // of the children it has waited for, in steps of 10 ms
	threads map[int]procfs.Thread
	faults  uint64 // major ones
	rss     int64  // resident now
	peak    int64  // VmHWM
}

// readTree reads the processes. One that ends meanwhile is not in the reading; a zombie
// is, with its CPU time. supervisor is 0 for a tree without one.
func readTree(fs procfs.FS, proc string, now mono.Time, pids []int, supervisor int) (treeReading, error) {
	r := treeReading{at: now, processes: map[processKey]processReading{}}
	for _, pid := range pids {
		err := r.add(fs, proc, pid)
		if err != nil && !errors.Is(err, procfs.ErrGone) {
			return treeReading{}, err
		}
	}
	if supervisor == 0 {
		return r, nil
	}
	user, sys, err := reapedTimes(proc, supervisor)
	if err != nil {
		return treeReading{}, err
	}
	r.adopted = user + sys
	r.user, r.sys = r.user+user, r.sys+sys
	return r, nil
}

func (r *treeReading) add(fs procfs.FS, proc string, pid int) error {
	cpu, err := fs.CPUTime(pid)
	if err != nil {
		return err
	}
	stat, err := fs.Stat(pid)
	if err != nil {
		return err
	}
	user, sys, err := reapedTimes(proc, pid)
	if err != nil {
		return err
	}
	status, err := fs.Status(pid)
	if err != nil {
		return err
	}
	r.user, r.sys = r.user+stat.User+user, r.sys+stat.System+sys
	r.processes[processKey{pid, stat.Start}] = processReading{
		name: stat.Comm, cpu: cpu, reaped: user + sys, threads: threadsOf(fs, pid), faults: stat.MajorFaults,
		rss: status.RSSBytes, peak: status.PeakRSSBytes,
	}
	return nil
}

// Fields of /proc/PID/stat, counted from the state after the name: cutime and cstime,
// fields 16 and 17 of the manual page. Source: proc_pid_stat(5).
const (
	statReapedUser   = 16 - 3
	statReapedSystem = 17 - 3
)

// userTick is the unit of these times: USER_HZ is 100 on every architecture that Go
// has, whatever the kernel's own tick.
const userTick = 10 * time.Millisecond

// reapedTimes returns the CPU time of the children that a process has waited for, and of
// those that they had waited for. A child whose parent ignores SIGCHLD is in nobody's.
func reapedTimes(proc string, pid int) (user, system time.Duration, err error) {
	data, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, 0, fmt.Errorf("read stat of process %d: %w", pid, procfs.ErrGone)
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) <= statReapedSystem {
		return 0, 0, fmt.Errorf("read stat of process %d: %q has %d fields after the name", pid, data, len(fields))
	}
	userTicks, userErr := strconv.ParseInt(string(fields[statReapedUser]), 10, 64)
	systemTicks, systemErr := strconv.ParseInt(string(fields[statReapedSystem]), 10, 64)
	if err := errors.Join(userErr, systemErr); err != nil {
		return 0, 0, fmt.Errorf("read stat of process %d: %w", pid, err)
	}
	return time.Duration(userTicks) * userTick, time.Duration(systemTicks) * userTick, nil
}

// threadsOf reads every thread that there is, by its number; none of a process that has ended.
func threadsOf(fs procfs.FS, pid int) map[int]procfs.Thread {
	threads, err := fs.Threads(pid, 0)
	if err != nil {
		return nil
	}
	byTID := make(map[int]procfs.Thread, len(threads))
	for _, t := range threads {
		byTID[t.TID] = t
	}
	return byTID
}
