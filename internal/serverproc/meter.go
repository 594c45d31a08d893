package serverproc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// PeakMethod says how a peak of memory was found.
type PeakMethod uint8

const (
	// PeakReset: the kernel kept VmHWM of the one process from the beginning of the
	// window (clear_refs).
	PeakReset PeakMethod = iota
	// PeakResetSum: the same of several processes, added up. It is an upper bound:
	// they need not have had their peaks at the same time, and pages that they share
	// count once for each.
	PeakResetSum
	// PeakSampled: the largest sum that was seen, looking every 100 ms, because this
	// user may not reset the peak of that process. A lower bound.
	PeakSampled
)

// peakMethods are the words of the records.
var peakMethods = [...]string{PeakReset: "vmhwm", PeakResetSum: "vmhwm_sum", PeakSampled: "sampled_100ms"}

// String returns the word of the records.
func (m PeakMethod) String() string { return peakMethods[m] }

// MarshalText returns it, too.
func (m PeakMethod) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads such a word.
func (m *PeakMethod) UnmarshalText(text []byte) error {
	i := slices.Index(peakMethods[:], string(text))
	if i < 0 {
		return fmt.Errorf("method %q of finding a peak of memory, expected one of %q", text, peakMethods)
	}
	*m = PeakMethod(i)
	return nil
}

// Usage is what a tree used between two readings.
type Usage struct {
	Elapsed time.Duration `json:"elapsed_ns"`
	// CPU is the CPU time of the whole tree: exact to the scheduler's clock for the
	// processes that lived, in steps of 10 ms for those that ended and were reaped.
	CPU time.Duration `json:"cpu_ns"`
	// User and System are their ticks of 10 ms, with the same processes in them; for
	// their proportion, since CPU is finer than their sum.
	User   time.Duration `json:"user_ns"`
	System time.Duration `json:"system_ns"`
	// Lost: processes have ended of which nobody has kept the account (their parent
	// ignores SIGCHLD). CPU is a lower bound then.
	Lost bool `json:"lost,omitempty"`
	// Started and Ended are the PIDs that are only in the second and only in the first
	// reading, ascending. A child that did not live through either is in neither.
	Started []int `json:"started,omitempty"`
	Ended   []int `json:"ended,omitempty"`

	// Switches and RunQueueWait are those of the threads that lived at the end: how often
	// they left their CPU, and how long they were ready and another had it.
	Switches     procfs.Switches `json:"switches"`
	RunQueueWait time.Duration   `json:"run_queue_wait_ns"`
	// MajorFaults are pages that had to be read from a disk, of the processes that lived.
	MajorFaults uint64 `json:"major_faults"`
	// Workers are the processes that lived at the end, the one that used most CPU first.
	Workers []Worker `json:"workers,omitempty"`

	PeakRSSBytes int64      `json:"peak_rss_bytes"`
	PeakMethod   PeakMethod `json:"peak_method"`
	// SampledRSSBytes is the largest sum that was seen, where it was looked for; 0: it was not.
	SampledRSSBytes int64 `json:"sampled_rss_bytes,omitempty"`
}

// Meter takes the readings of one window. Begin, Sample and End are called in this order
// by one goroutine, which sleeps between them.
type Meter struct {
	fs         procfs.FS
	proc       string
	tree       func() ([]int, error)
	supervisor int

	from    treeReading
	reset   bool  // the kernel keeps the peaks of the window
	sampled int64 // largest sum of RSS that was seen
	pids    []int // of the last listing of the tree
	samples int   // that were taken
}

// Meter returns a meter of the server's tree.
func (s *Server) Meter() *Meter {
	m := NewMeter(procDir, s.Tree)
	m.supervisor = s.supervisor.Process.Pid
	return m
}

// NewMeter returns a meter of a tree that somebody else has started: tree returns its
// processes. What those have used that ended without a parent in the tree is lost.
func NewMeter(proc string, tree func() ([]int, error)) *Meter {
	return &Meter{fs: procfs.NewFS(proc), proc: proc, tree: tree}
}

// Begin reads at the beginning of the window, and lets the kernel begin anew with the
// peaks of memory.
func (m *Meter) Begin(now mono.Time) error {
	var err error
	if m.from, err = m.read(now); err != nil {
		return fmt.Errorf("read usage at the beginning: %w", err)
	}
	m.reset, m.sampled, m.samples = true, 0, 0
	for key := range m.from.processes {
		if err := m.fs.ResetPeakRSS(key.pid); err != nil && !errors.Is(err, procfs.ErrGone) {
			m.reset = false
		}
	}
	m.note(m.from)
	return nil
}

func (m *Meter) read(now mono.Time) (treeReading, error) {
	if err := m.list(); err != nil {
		return treeReading{}, err
	}
	return readTree(m.fs, m.proc, now, m.pids, m.supervisor)
}

// list lists the processes: a file for each thread of the tree.
func (m *Meter) list() (err error) {
	m.pids, err = m.tree()
	return err
}

// note remembers the memory of a reading.
func (m *Meter) note(r treeReading) {
	sum := int64(0)
	for _, p := range r.processes {
		sum += p.rss
	}
	m.sampled = max(m.sampled, sum)
}

// RSSEvery is the time between two calls of Sample.
const RSSEvery = 100 * time.Millisecond

// listEvery is after how many samples the tree is listed anew, once a second: that costs
// more than a look at the memory.
const listEvery = 10

// NeedsSamples reports whether Sample must be called between Begin and End: for several
// processes, and where the kernel's peaks may not be reset.
func (m *Meter) NeedsSamples() bool { return !m.reset || len(m.from.processes) > 1 }

// Sample looks at the memory of the tree. That the tree cannot be read is told by End.
func (m *Meter) Sample() {
	m.samples++
	if m.samples%listEvery == 0 && m.list() != nil {
		return
	}
	sum := int64(0)
	for _, pid := range m.pids {
		if status, err := m.fs.Status(pid); err == nil {
			sum += status.RSSBytes
		}
	}
	m.sampled = max(m.sampled, sum)
}

// End reads at the end of the window and returns the difference. An error is a tree that
// cannot be read any more: the server has ended.
func (m *Meter) End(now mono.Time) (Usage, error) {
	to, err := m.read(now)
	if err != nil {
		return Usage{}, fmt.Errorf("read usage at the end: %w", err)
	}
	if len(to.processes) == 0 {
		return Usage{}, fmt.Errorf("read usage at the end: %w", procfs.ErrGone)
	}
	m.note(to)
	u := between(m.from, to)
	u.SampledRSSBytes = m.sampled
	switch {
	case !m.reset:
		u.PeakMethod, u.PeakRSSBytes = PeakSampled, m.sampled
		return u, nil
	case len(to.processes) > 1:
		u.PeakMethod = PeakResetSum
	}
	for _, p := range to.processes {
		u.PeakRSSBytes += p.peak
	}
	return u, nil
}

// between subtracts two readings. What a process used that is only in the first one is
// in the account of whoever reaped it, together with what it had used before the window,
// which is taken out again.
func between(from, to treeReading) Usage {
	u := Usage{Elapsed: to.at.Sub(from.at), User: to.user - from.user, System: to.sys - from.sys}
	reaped := to.adopted - from.adopted
	for key, p := range to.processes {
		before, known := from.processes[key]
		if !known {
			u.Started = append(u.Started, key.pid)
		}
		u.CPU += p.cpu - before.cpu
		reaped += p.reaped - before.reaped
		u.MajorFaults += p.faults - before.faults
		w := workerOf(key, before, p)
		for _, t := range w.Threads {
			u.Switches = add(u.Switches, t.Switches)
			u.RunQueueWait += t.RunQueueWait
		}
		u.Workers = append(u.Workers, w.brief())
	}
	slices.SortFunc(u.Workers, func(a, b Worker) int { return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.PID, b.PID)) })
	for key, p := range from.processes {
		if _, lives := to.processes[key]; !lives {
			u.Ended = append(u.Ended, key.pid)
			reaped -= p.cpu + p.reaped
		}
	}
	// Ticks are rounded down, once for each account.
	if slack := userTick * time.Duration(1+len(to.processes)+len(u.Ended)); reaped < -slack {
		u.Lost = true
		u.User, u.System = 0, 0 // they have the same hole
	}
	u.CPU += max(reaped, 0)
	slices.Sort(u.Started)
	slices.Sort(u.Ended)
	return u
}

func add(a, b procfs.Switches) procfs.Switches {
	return procfs.Switches{Voluntary: a.Voluntary + b.Voluntary, Involuntary: a.Involuntary + b.Involuntary}
}
