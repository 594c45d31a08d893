package procfs

import (
	"errors"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
)

// Usage is one reading of a set of processes.
type Usage struct {
	// At is when the reading began, as the caller gave it.
	At mono.Time
	// Processes are those that were alive, by ascending PID.
	Processes []ProcessUsage
	// Gone are the PIDs asked for that had ended, ascending. A zombie counts as
	// ended.
	Gone []int

	// The sums over Processes.

	// CPU is the CPU time since each was started. For a difference of readings
	// use [Between]: a process that ended takes its CPU out of this sum.
	CPU time.Duration
	// PeakRSSBytes adds the peaks up. It is an upper bound: they need not have
	// been at the same time, and pages shared between the processes of a server
	// count once for each.
	PeakRSSBytes int64
	// RSSBytes is the memory resident now, with the same double counting.
	RSSBytes int64
	Threads  int
	// CPUs is where any of the main threads may run.
	CPUs cpuset.Set
}

// ProcessUsage is the reading of one process.
type ProcessUsage struct {
	PID int
	// Start tells two processes with the same PID apart ([Stat.Start]).
	Start        time.Duration
	Comm         string
	CPU          time.Duration // since Start
	PeakRSSBytes int64
	RSSBytes     int64
	Threads      int
	CPUs         cpuset.Set // affinity of the main thread
}

// Usage reads the given processes; now is stored as the time of the reading.
// Duplicates are read once. Processes that ended are listed and are no error;
// a file that cannot be read or understood is one.
func (f FS) Usage(now mono.Time, pids []int) (Usage, error) {
	u := Usage{At: now}
	for _, pid := range slices.Compact(slices.Sorted(slices.Values(pids))) {
		p, err := f.processUsage(pid)
		if errors.Is(err, ErrGone) {
			u.Gone = append(u.Gone, pid)
			continue
		}
		if err != nil {
			return Usage{}, err
		}
		u.add(p)
	}
	return u, nil
}

// add appends a process and adds it to the sums.
func (u *Usage) add(p ProcessUsage) {
	u.Processes = append(u.Processes, p)
	u.CPU += p.CPU
	u.PeakRSSBytes += p.PeakRSSBytes
	u.RSSBytes += p.RSSBytes
	u.Threads += p.Threads
	u.CPUs = u.CPUs.Union(p.CPUs)
}

// processUsage reads one process; ErrGone if it is a zombie. The CPU time is
// read first, since it is what moves fastest.
func (f FS) processUsage(pid int) (ProcessUsage, error) {
	cpu, err := f.CPUTime(pid)
	if err != nil {
		return ProcessUsage{}, err
	}
	stat, err := f.Stat(pid)
	if err != nil {
		return ProcessUsage{}, err
	}
	if stat.zombie() {
		return ProcessUsage{}, ErrGone
	}
	status, err := f.Status(pid)
	if err != nil {
		return ProcessUsage{}, err
	}
	return ProcessUsage{
		PID: pid, Start: stat.Start, Comm: stat.Comm,
		CPU:          cpu,
		PeakRSSBytes: status.PeakRSSBytes,
		RSSBytes:     status.RSSBytes,
		Threads:      status.Threads,
		CPUs:         status.Allowed,
	}, nil
}

// Spent is what a set of processes used between two readings.
type Spent struct {
	Elapsed time.Duration
	// CPU is that of the processes in both readings, and all of those that
	// started in between. What a process in Ended used after the first reading
	// is unknown and not in it: with Ended not empty CPU is a lower bound.
	CPU time.Duration
	// Ended and Started are the PIDs that are only in the first and only in the
	// second reading, ascending. A PID that was used again is in both.
	Ended, Started []int
}

// Between subtracts two readings of the same server, first the earlier one.
func Between(first, second Usage) Spent {
	s := Spent{Elapsed: second.At.Sub(first.At)}
	before := make(map[int]ProcessUsage, len(first.Processes))
	for _, p := range first.Processes {
		before[p.PID] = p
	}
	for _, p := range second.Processes {
		old, known := before[p.PID]
		if !known || old.Start != p.Start {
			s.Started = append(s.Started, p.PID)
			s.CPU += p.CPU
			continue
		}
		s.CPU += p.CPU - old.CPU
		delete(before, p.PID)
	}
	for _, p := range first.Processes {
		if _, left := before[p.PID]; left {
			s.Ended = append(s.Ended, p.PID)
		}
	}
	return s
}

// Cores is the CPU time per elapsed time: how many CPUs were kept busy.
// Zero when no time has passed.
func (s Spent) Cores() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.CPU) / float64(s.Elapsed)
}
