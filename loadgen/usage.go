package loadgen

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// usage is what this process and the server's used, read at the two edges of
// the window.
type usage struct {
	processes   processes
	from        reading
	to          reading
	sampledPeak int64 // the server's largest RSS seen in between; 0: the kernel kept the peak
}

// reading is one look at all counters.
type reading struct {
	at     mono.Time
	own    time.Duration // CPU time of this process
	server procfs.Usage  // of its processes at that moment
	host   hostCounters
	err    error // of reading the server
}

// usageWatch takes the readings of a run from a goroutine of its own, which
// sleeps between them.
type usageWatch struct {
	clock mono.Clock
	usage usage
	quit  chan struct{}
	done  chan struct{}
}

// watchUsage reads at the timeline's From and To, or when it is stopped.
func watchUsage(ctx context.Context, server processes, t Timeline, clock mono.Clock) *usageWatch {
	w := &usageWatch{clock: clock, usage: usage{processes: server}, quit: make(chan struct{}), done: make(chan struct{})}
	go w.watchLoop(ctx, t)
	return w
}

func (w *usageWatch) watchLoop(ctx context.Context, t Timeline) {
	defer close(w.done)
	w.sleepUntil(ctx, t.From)
	w.usage.from = w.read()
	if w.resetPeak() {
		w.sleepUntil(ctx, t.To)
	} else {
		w.samplePeak(ctx, t.To)
	}
	w.usage.to = w.read()
}

// sleepUntil returns true at the instant, and false when the watch is stopped or
// the run interrupted before it.
func (w *usageWatch) sleepUntil(ctx context.Context, at mono.Time) bool {
	timer := time.NewTimer(at.Sub(w.clock.Now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.quit:
	case <-ctx.Done():
	}
	return false
}

func (w *usageWatch) read() reading {
	r := reading{}
	pids, err := w.usage.processes.list()
	r.err = err
	r.at = w.clock.Now()
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		r.own = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	r.host = readHostCounters()
	if len(pids) > 0 {
		r.server, r.err = w.usage.processes.fs.Usage(r.at, pids)
	}
	return r
}

// pids are the server's processes that were read.
func (r reading) pids() []int {
	var pids []int
	for _, p := range r.server.Processes {
		pids = append(pids, p.PID)
	}
	return pids
}

// resetPeak lets the kernel keep the peak of the window alone. It reports false
// where it may not: another user's process.
func (w *usageWatch) resetPeak() bool {
	for _, p := range w.usage.from.server.Processes {
		if err := w.usage.processes.fs.ResetPeakRSS(p.PID); err != nil && !errors.Is(err, procfs.ErrGone) {
			return false
		}
	}
	return true
}

// peakEvery is how often the RSS is looked at where the kernel does not tell
// its peak. A peak between two looks is missed.
const peakEvery = mono.Time(100 * time.Millisecond)

func (w *usageWatch) samplePeak(ctx context.Context, to mono.Time) {
	for {
		if u, err := w.usage.processes.fs.Usage(w.clock.Now(), w.usage.from.pids()); err == nil {
			w.usage.sampledPeak = max(w.usage.sampledPeak, u.RSSBytes)
		}
		now := w.clock.Now()
		if now >= to || !w.sleepUntil(ctx, min(to, now+peakEvery)) {
			return
		}
	}
}

// stop ends the watch and returns what it read.
func (w *usageWatch) stop() usage {
	close(w.quit)
	<-w.done
	return w.usage
}

// busyWindowMin is the shortest window of which the whole process's share of its
// CPUs means something: the readings lie up to a millisecond beside the edges.
const busyWindowMin = 100 * time.Millisecond

// generator is what this process used. The readings are taken a little beside
// the edges, so the cores used are scaled to the window.
func (u usage) generator(measuredS float64, completed uint64, workers int) Generator {
	elapsed := u.to.at.Sub(u.from.at).Seconds()
	g := Generator{Engine: "epoll", GCPauseMaxUS: gcPauseMaxUS(u.to.at.Sub(u.from.at))}
	if status, err := procfs.NewFS("/proc").Status(os.Getpid()); err == nil {
		g.PeakRSSBytes = status.PeakRSSBytes
	}
	if elapsed > 0 {
		g.CPUS = (u.to.own - u.from.own).Seconds() / elapsed * measuredS
		g.CPUPerRequestUS = perRequestUS(g.CPUS, completed)
	}
	if elapsed > busyWindowMin.Seconds() {
		g.Busy = ptr((u.to.own - u.from.own).Seconds() / elapsed / float64(workers))
	}
	return g
}

// server is what the server's processes used; nil when it is not known. ours
// are the CPUs of the generator.
func (u usage) server(measuredS float64, completed uint64, ours cpuset.Set) *Server {
	if len(u.processes.roots) == 0 || u.from.err != nil || u.to.err != nil || len(u.to.server.Processes) == 0 {
		return nil
	}
	missed := measuredS - u.to.at.Sub(u.from.at).Seconds()
	if u.someEnded() || missed > unreadMaxS && missed > unreadShare*measuredS {
		return nil
	}
	spent := procfs.Between(u.from.server, u.to.server)
	first := u.first()
	s := &Server{PID: first.PID, PIDs: u.to.pids(), Name: first.Comm, CoresUsed: spent.Cores(), CoresAllowed: u.to.server.CPUs.Count(), PeakRSSBytes: u.to.server.PeakRSSBytes}
	if u.sampledPeak > 0 {
		s.PeakRSSBytes = u.sampledPeak
	}
	s.CPUPerRequestUS = perRequestUS(s.CoresUsed*measuredS, completed)
	s.CPUsBusy = u.cpusBusy(ours)
	s.Busy = max(s.CoresUsed/float64(max(s.CoresAllowed, 1)), u.busiestThread())
	return s
}

// How much of the window may lie outside the two readings. One that is interrupted
// in its first moments has not been read at its beginning.
const (
	unreadMaxS  = 0.05
	unreadShare = 0.2
)

// someEnded reports whether a process of the server's has ended inside the
// window, which takes what it used with it: a worker that was reloaded, say.
func (u usage) someEnded() bool {
	for _, before := range u.from.server.Processes {
		same := func(p procfs.ProcessUsage) bool { return p.PID == before.PID && p.Start == before.Start }
		if !slices.ContainsFunc(u.to.server.Processes, same) {
			return true
		}
	}
	return false
}

// cpusBusy is the busy share of the server's CPUs; nil when it is not known, or
// the generator has some of them.
func (u usage) cpusBusy(ours cpuset.Set) *float64 {
	cpus := u.to.server.CPUs
	if cpus.Count() == 0 || cpus.Intersect(ours).Count() > 0 {
		return nil
	}
	sum := 0.0
	for _, cpu := range cpus.CPUs() {
		before, known1 := u.from.host.cpus[cpu]
		after, known2 := u.to.host.cpus[cpu]
		if !known1 || !known2 {
			return nil
		}
		sum += after.BusyFrac(before)
	}
	return ptr(sum / float64(cpus.Count()))
}

// first is the process that stands for the server: the one that was named or
// found first, while it lives.
func (u usage) first() procfs.ProcessUsage {
	for _, p := range u.to.server.Processes {
		if p.PID == u.processes.roots[0] {
			return p
		}
	}
	return u.to.server.Processes[0]
}

// busiestThread is the share of a CPU that the busiest process of one thread
// used: a server of one thread is at its limit with one CPU however many it may
// run on.
func (u usage) busiestThread() float64 {
	busiest := 0.0
	elapsed := float64(u.to.at - u.from.at)
	for _, p := range u.to.server.Processes {
		for _, before := range u.from.server.Processes {
			if p.PID == before.PID && p.Start == before.Start && p.Threads == 1 && elapsed > 0 {
				busiest = max(busiest, float64(p.CPU-before.CPU)/elapsed)
			}
		}
	}
	return busiest
}

func perRequestUS(cpuS float64, completed uint64) *float64 {
	if completed == 0 {
		return nil
	}
	return ptr(cpuS * 1e6 / float64(completed))
}

// gcPauseMaxUS is the longest stop of the Go runtime that ended in the last
// stretch of time.
func gcPauseMaxUS(stretch time.Duration) float64 {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	longest := time.Duration(0)
	since := time.Now().Add(-stretch)
	for i, end := range stats.PauseEnd {
		if end.After(since) {
			longest = max(longest, stats.Pause[i])
		}
	}
	return float64(longest) / 1e3
}
