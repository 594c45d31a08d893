package serverproc

import (
	"cmp"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// Worker is what one process of a tree used between two readings. Where a host has two
// speeds it tells whether all workers had the same.
type Worker struct {
	PID  int           `json:"pid"`
	Name string        `json:"name"`
	CPU  time.Duration `json:"cpu_ns"` // of all its threads, those that ended included

	// Threads are those that lived at the end and ran, the one that used most first; of a
	// process with many only the first. None where the kernel does not tell.
	Threads []ThreadUsage `json:"threads,omitempty"`
}

// ThreadUsage is what one thread used.
type ThreadUsage struct {
	TID          int             `json:"tid"`
	Name         string          `json:"name"`
	CPU          time.Duration   `json:"cpu_ns"`
	RunQueueWait time.Duration   `json:"run_queue_wait_ns"`
	Switches     procfs.Switches `json:"switches"`
}

// workerOf subtracts two readings of a process, of which the first may be missing.
func workerOf(key processKey, before, after processReading) Worker {
	w := Worker{PID: key.pid, Name: after.name, CPU: after.cpu - before.cpu}
	for tid, now := range after.threads {
		w.Threads = append(w.Threads, threadSince(before.threads[tid], now))
	}
	return w
}

// threadSince subtracts two readings of a thread. A count that went down is that of a new
// thread with the number of one that has ended.
func threadSince(before, now procfs.Thread) ThreadUsage {
	if now.Ran < before.Ran || now.Switches.Voluntary < before.Switches.Voluntary || now.Switches.Involuntary < before.Switches.Involuntary {
		before = procfs.Thread{}
	}
	return ThreadUsage{TID: now.TID, Name: now.Name, CPU: now.Ran - before.Ran, RunQueueWait: now.Waited - before.Waited,
		Switches: now.Switches.Sub(before.Switches)}
}

// threadsKept is how many threads of a process are kept. A server has one or a few for each
// CPU; others have one for each connection.
const threadsKept = 64

// brief is the worker with the threads that are kept.
func (w Worker) brief() Worker {
	w.Threads = slices.DeleteFunc(w.Threads, func(t ThreadUsage) bool { return t.CPU == 0 })
	slices.SortFunc(w.Threads, func(a, b ThreadUsage) int {
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.TID, b.TID))
	})
	w.Threads = w.Threads[:min(threadsKept, len(w.Threads))]
	return w
}
