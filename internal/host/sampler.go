package host

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// Bounds of a sampler.
const (
	// rowsMax is how many rows are kept: two hours of seconds. Later ones are only
	// counted.
	rowsMax = 7200
	// costMax is the share of one CPU that looking at all processes may take, all
	// together with the rest.
	costMax = 0.005
	whoMax  = 5
)

// Sampler looks at a host while something is measured. Start and Stop belong to one
// goroutine; the fields in the second block belong to the sampler's own until Stop
// returns.
type Sampler struct {
	fs      FS
	watch   Watch
	clock   Clock
	areas   []area
	thermal []string
	cpus    cpuset.Set // of all areas
	cancel  context.CancelFunc
	ready   chan struct{} // closed after the first reading
	done    chan struct{} // closed after the last

	log     *kernelLog // nil: it cannot be read
	began   mono.Time
	own     map[int]bool // every process that was seen in a tree of ours
	last    reading
	scanned moment // the last look at all processes
	pending bool   // a row since then shows more work than ours
	result  Interference
}

// Interference is what a sampler has seen.
type Interference struct {
	Rows    []Row   `json:"rows"`
	Dropped int     `json:"dropped,omitempty"` // rows beyond two hours' worth
	Verdict Verdict `json:"verdict"`
	// NoKernelLog says why the kernel's log was not read; "": it was.
	NoKernelLog string `json:"no_kernel_log,omitempty"`
	// CPU is what the sampler itself has used, 0 where that is not known, and Elapsed
	// over what time.
	CPU     time.Duration `json:"cpu_ns"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// StartSampler takes a first reading and goes on in a goroutine of its own until
// [Sampler.Stop]. It runs wherever this process may, which should not be on the
// sets. The error says that a set has no CPU, or one that is not online.
func (f FS) StartSampler(watch Watch, clock Clock) (*Sampler, error) {
	t := f.Topology()
	areas, err := watch.areas(t)
	if err != nil {
		return nil, fmt.Errorf("start interference sampler: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Sampler{
		fs: f, watch: watch, clock: clock, areas: areas,
		cancel: cancel, ready: make(chan struct{}), done: make(chan struct{}),
		own: map[int]bool{},
	}
	var sets cpuset.Set
	for _, a := range areas {
		s.cpus = s.cpus.Union(a.cpus)
		if a.role == RoleServer || a.role == RoleSet {
			sets = sets.Union(a.cpus)
		}
	}
	s.thermal = f.thermalFiles(t, sets)
	if s.log, err = f.openKernelLog(); err != nil {
		s.result.NoKernelLog = err.Error()
	}
	go s.loop(ctx)
	<-s.ready
	return s, nil
}

// Stop takes a last reading, ends the goroutine and returns what was seen. It may be
// called again, and returns the same.
func (s *Sampler) Stop() Interference {
	s.cancel()
	<-s.done
	return s.result
}

// loop is the sampler's goroutine. It keeps its thread, so that the thread's CPU time
// is what sampling costs.
func (s *Sampler) loop(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(s.done)
	began := s.clock.own()
	s.first()
	close(s.ready)
	for s.clock.Sleep(ctx, s.watch.interval()) == nil {
		s.step(s.clock.own()-began <= time.Duration(costMax*float64(s.clock.Now().Sub(s.began))))
	}
	s.step(true)
	if s.log != nil {
		_ = s.log.close() // nothing was written
	}
	s.result.CPU = s.clock.own() - began
	s.result.Elapsed = s.last.at.Sub(s.began)
	s.result.Verdict = s.watch.Limits.Judge(s.result.Rows)
}

// first takes the readings that the others are compared with.
func (s *Sampler) first() {
	s.last = s.read()
	s.began = s.last.at
	s.scanned = s.scan()
}

// step takes a reading and makes a row of it. All processes are looked at only when
// there is more work than ours, now or in a row before, and when that may be paid
// for. The time is not lost when it may not: the next look tells of all since the
// last.
func (s *Sampler) step(mayScan bool) {
	next := s.read()
	if next.at <= s.last.at {
		return
	}
	row := s.row(s.last, next)
	s.last = next
	if s.log != nil {
		row.KernelLog, row.KernelLogDropped = s.log.next()
	}
	s.pending = s.pending || s.suspicious(row)
	if s.pending && mayScan {
		s.addWho(&row)
		s.pending = false
	}
	if len(s.result.Rows) == rowsMax {
		s.result.Dropped++
		return
	}
	s.result.Rows = append(s.result.Rows, row)
}

// suspicious reports whether foreign work may have passed the limit anywhere.
func (s *Sampler) suspicious(r Row) bool {
	for _, a := range r.Areas {
		if a.highest() > s.watch.Limits.foreignFrac()*float64(a.TotalUS) {
			return true
		}
	}
	return false
}

// scan looks at all processes.
func (s *Sampler) scan() moment {
	if pids, err := s.fs.proc.Descendants(s.watch.Own); err == nil {
		for _, pid := range pids {
			s.own[pid] = true
		}
	}
	m := moment{at: s.clock.Now()}
	if processes, err := s.fs.proc.Processes(); err == nil {
		m.processes = tableOf(processes)
	}
	return m
}

// servesInterrupts tells a thread of the kernel that does what soft interrupts have left to
// it: ksoftirqd, one for each CPU, when there is more than they may do at once. /proc/stat has
// its time as that of soft interrupts, and it is as little own or foreign as theirs: under
// load over loopback it works for us. Source: kernel/softirq.c, account_system_time in
// kernel/sched/cputime.c.
func servesInterrupts(p procfs.Process) bool {
	return p.Kernel() && strings.HasPrefix(p.Comm, "ksoftirqd/")
}

// addWho looks at all processes and tells who used the time since the last look.
func (s *Sampler) addWho(r *Row) {
	before, after := s.scanned, s.scan()
	s.scanned = after
	if before.processes == nil || after.processes == nil || after.at <= before.at {
		return
	}
	used := spent(before.processes, after.processes)
	elapsed := after.at.Sub(before.at)
	own := func(pid int) bool { return s.own[pid] || servesInterrupts(after.processes[pid]) }
	r.Who = s.fs.consumers(used, after.processes, elapsed, s.cpus, own, whoMax)
	r.WhoOverUS = elapsed.Microseconds()
	for i := range r.Areas {
		var sum time.Duration
		for pid, time := range used {
			if !own(pid) && s.areas[i].cpus.Contains(after.processes[pid].LastCPU) {
				sum += time
			}
		}
		us := sum.Microseconds()
		r.Areas[i].ProcessesUS = &us
		r.Areas[i].ForeignFrac = r.Areas[i].foreignFrac()
	}
}
