package loadgen

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// side is one target with the workers that load it.
type side struct {
	plan      Plan
	server    server
	placement placement
	group     *group
	clock     mono.Clock
	began     mono.Time

	start    mono.Time   // of the first slice, the warm-up's
	usage    *usageWatch // nil when it was stopped
	pids     []int       // of the server; none: it is not known
	rows     []Window
	measured time.Duration // what was counted of all slices
	spent    spending      // of all slices, what is not counted of them too
	answered bool          // in the last slice, in whichever part of it
	silent   int           // slices in a row in which nothing ended ok
}

// spending is what slices cost.
type spending struct {
	wall     time.Duration
	own      time.Duration // CPU time of this process
	server   time.Duration // of the server's
	requests uint64
}

// open brings the connections of a side up.
func (s *side) open(ctx context.Context) error {
	s.group = launch(s.group.workers)
	if err := s.group.meet(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.server.address, err)
	}
	s.hold()
	for _, w := range s.group.workers {
		w.recorder.window = newSliceWindow()
	}
	s.release()
	if len(s.server.processes.roots) > 0 {
		s.pids, _ = s.server.processes.list() // unknown is none
	}
	s.usage = watchUsage(ctx, s.server.processes, Timeline{From: s.clock.Now(), To: never}, s.clock)
	return nil
}

// put has all workers go through a timeline, and returns when nothing is out any more.
func (s *side) put(t Timeline) error {
	s.group.start(t)
	for _, w := range s.group.workers {
		if _, ok := <-w.ended; !ok {
			return s.group.end()
		}
	}
	return nil
}

// hold keeps the goroutines that work for a side on HTTP/3 out of its workers, which
// belong to whoever holds their lock, while they are looked at.
func (s *side) hold() {
	for _, w := range s.group.workers {
		if w.quic != nil {
			w.quic.Lock()
		}
	}
}

func (s *side) release() {
	for _, w := range s.group.workers {
		if w.quic != nil {
			w.quic.Unlock()
		}
	}
}

// end sends the workers home and returns why one of them has failed.
func (g *group) end() error {
	g.sendHome()
	return g.wait()
}

// read takes what the workers of a side saw in the slice that has ended.
func (s *side) read(spent spending) (Slice, Window) {
	var slice Slice
	merged := s.group.workers[0].recorder.window
	s.answered = false
	for i, w := range s.group.workers {
		s.answered = s.answered || w.recorder.window.slice.any()
		slice.RPS += w.recorder.window.slice.perSecond(w.timeline, w.stopped)
		if i > 0 {
			merged.merge(w.recorder.window)
		}
	}
	slice.OK, slice.Errors = merged.ok, merged.errors
	row := merged.public(0)
	slice.P50US, slice.P99US = row.P50US, row.P99US
	if len(s.pids) > 0 && spent.server > 0 && spent.requests > 0 {
		slice.CPUPerRequestUS = perRequestUS(spent.server.Seconds(), spent.requests)
	}
	for _, w := range s.group.workers {
		w.recorder.window.reset(0)
	}
	return slice, row
}

// spending reads what has been spent so far. Nobody is at work.
func (s *side) spending() spending {
	var now spending
	now.wall = time.Duration(s.clock.Now())
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		now.own = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	for _, pid := range s.pids {
		used, err := s.server.processes.fs.CPUTime(pid)
		if err != nil { // it has ended, and took what it used with it
			s.pids = nil
			break
		}
		now.server += used
	}
	for _, w := range s.group.workers {
		now.requests += w.recorder.sentInAllPhases
	}
	return now
}

func (s spending) minus(o spending) spending {
	return spending{s.wall - o.wall, s.own - o.own, s.server - o.server, s.requests - o.requests}
}

func (s spending) plus(o spending) spending {
	return spending{s.wall + o.wall, s.own + o.own, s.server + o.server, s.requests + o.requests}
}

// forget lets what was measured until now not count.
func (s *side) forget() {
	s.hold()
	defer s.release()
	s.rows, s.measured, s.spent = nil, 0, spending{}
	for _, w := range s.group.workers {
		feed, window := w.recorder.feed, w.recorder.window
		opened, sent, first := w.recorder.connectionsOpened, w.recorder.sentInAllPhases, w.recorder.firstSent
		connect, tls, quic := w.recorder.connect, w.recorder.tls, w.recorder.quic
		*w.recorder = *newRecorder(feed)
		w.recorder.window, w.recorder.connectionsOpened, w.recorder.sentInAllPhases, w.recorder.firstSent = window, opened, sent, first
		w.recorder.connect, w.recorder.tls, w.recorder.quic = connect, tls, quic
		w.spent, w.edges, w.lateFrom, w.longestStill, w.longestTurn = threadUse{}, edges{}, 0, 0, 0
		for i := range w.conns {
			w.conns[i].served = 0
		}
	}
}

// freeze stops the processes of a side's server, and thaw lets them go on. A process
// that may not be stopped goes on.
func (s *side) freeze() { s.signal(syscall.SIGSTOP) }
func (s *side) thaw()   { s.signal(syscall.SIGCONT) }

func (s *side) signal(sig syscall.Signal) {
	for _, pid := range s.pids {
		_ = syscall.Kill(pid, sig)
	}
}

// stopUsage ends looking at what is used, and returns what was seen; nothing the second
// time.
func (s *side) stopUsage() (u usage) {
	if s.usage != nil {
		u = s.usage.stop()
		s.usage = nil
	}
	return u
}

// result is what was measured of one target in all slices.
func (s *side) result(ctx context.Context, host hostEvents) (*Result, error) {
	f := finished{
		plan: s.plan, server: s.server, placement: s.placement, workers: s.group.workers, clock: s.clock, began: s.began,
		series: s.rows, usage: s.stopUsage(), host: host, interrupted: ctx.Err() != nil, sliced: true, start: s.start, slices: s.measured,
	}
	r, err := conclude(f)
	if err != nil {
		return nil, err
	}
	// What the process and the server used between the slices is the other target's.
	wall := s.spent.wall.Seconds()
	r.Generator.CPUPerRequestUS = perRequestUS(s.spent.own.Seconds(), s.spent.requests)
	if wall > 0 {
		r.Generator.CPUS = s.spent.own.Seconds() / wall * r.MeasuredS
		r.Generator.Busy = ptr(s.spent.own.Seconds() / wall / float64(len(s.group.workers)))
	}
	if r.Server != nil && wall > 0 {
		r.Server.CPUPerRequestUS = perRequestUS(s.spent.server.Seconds(), s.spent.requests)
		r.Server.CoresUsed = s.spent.server.Seconds() / wall
		r.Server.Busy = r.Server.CoresUsed / float64(max(r.Server.CoresAllowed, 1))
		r.Server.CPUsBusy = nil // of both
	}
	return r, nil
}
