package loadgen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// Observer is told how a run goes, from a goroutine that is not a worker's.
// Fields may be nil.
type Observer struct {
	Warned  func(Warning)                     // something is known to be wrong before the run begins
	Placed  func(cpus cpuset.Set)             // the workers' CPUs are chosen; no thread is pinned yet
	Started func(address string, workers int) // all connections are opened; the first request follows
	Row     func(Window)                      // a row of the time series is complete
	// Timeline is told 20 ms before the first request, so that others on this host can
	// look at the window's edges.
	Timeline func(Timeline)
	// Qlog gives a file for the events of a QUIC connection, which it is named by
	// (draft-ietf-quic-qlog-main-schema). It is called from several goroutines.
	// To write them costs much CPU time.
	Qlog func(connection string) (io.WriteCloser, error)
}

func (o Observer) warn(ws []Warning) {
	for _, w := range ws {
		if o.Warned != nil {
			o.Warned(w)
		}
	}
}

// ErrUnreachable is wrapped by the error of a run in which no connection to the
// server could be opened.
var ErrUnreachable = errors.New("server unreachable")

// ErrInterrupted is returned when the run was cancelled before its window began.
var ErrInterrupted = errors.New("interrupted before anything was measured")

// Run puts the plan's load on its server and returns what was measured. It
// fails when the plan is invalid (ErrPlan), when no connection comes up
// (ErrUnreachable) or when this host refuses what it needs; whatever the server
// does later is in the result. Cancelling ctx ends the window early: the result
// then holds what there is and says so.
//
// Run does not change GOMAXPROCS. As each worker occupies a thread, it should
// be at least the number of workers plus two.
func Run(ctx context.Context, plan Plan, observer Observer) (*Result, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	if plan.Slices.On() {
		return nil, faultf("slices: they are of two targets, which RunPairs loads")
	}
	clock, err := mono.NewClock()
	if err != nil {
		return nil, err
	}
	began := clock.Now()
	server, err := resolve(ctx, plan, clock)
	if err != nil {
		return nil, err
	}
	plan, placement, err := place(plan, server)
	if err != nil {
		return nil, err
	}
	placement.warnings = append(placement.warnings, portsWarning(plan, procfs.NewFS("/proc"))...)
	observer.warn(placement.warnings)
	if observer.Placed != nil && !plan.NoPin {
		observer.Placed(plan.CPUs)
	}
	events := quicEvents(plan, observer)
	feeds, workers, err := makeWorkers(plan, placement, server, clock, plan.quicConfig(events, observer.Qlog))
	if err != nil {
		return nil, err
	}
	defer closeAll(workers)
	defer workers[0].control.stopOnCancel(ctx, clock)()

	group := launch(workers)
	if err := group.meet(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", server.address, err)
	}
	timeline := newTimeline(plan, clock.Now().Add(observer.ahead()))
	host := watchHost(clock)
	usage := watchUsage(ctx, server.processes, timeline, clock)
	series := collect(feeds, plan.Window, observer.Row)
	if observer.Started != nil {
		observer.Started(server.address.String(), len(workers))
	}
	if observer.Timeline != nil {
		observer.Timeline(timeline)
	}
	group.start(timeline)
	group.sendHome()
	err = group.wait()
	done := finished{
		plan: plan, server: server, placement: placement, workers: workers, events: events, clock: clock, began: began,
		series: series.wait(), usage: usage.stop(), host: host.stop(), interrupted: ctx.Err() != nil,
	}
	if err != nil {
		return nil, err
	}
	return conclude(done)
}

func closeAll(workers []*worker) {
	for _, w := range workers {
		w.close()
	}
}

// group is the workers of a run as goroutines.
type group struct {
	workers []*worker
	control *control
	done    sync.WaitGroup
	errs    []error
	home    bool // the workers were told that there is no other timeline
}

// launch starts the workers; each opens its connections.
func launch(workers []*worker) *group {
	g := &group{workers: workers, control: workers[0].control, errs: make([]error, len(workers))}
	for i, w := range workers {
		g.done.Go(func() {
			if w.quic != nil { // its work is done by goroutines on any thread
				g.errs[i] = w.run()
			} else {
				onOwnThread(func() { g.errs[i] = w.run() })
			}
			w.recorder.end()
			close(w.ended)
		})
	}
	return g
}

// onOwnThread calls f on a thread that is locked to it and ends with it: the
// worker changes the thread's affinity and descriptors. The process's first
// thread cannot end, and others look at it to see the process, so a goroutine
// that finds itself there holds it while another calls f.
func onOwnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if !isFirstThread() {
			f()
			return
		}
		onOwnThread(f)
		runtime.UnlockOSThread()
	}()
	<-done
}

// meet waits until every worker has opened its connections. When none has a
// connection it sends them home and says why.
func (g *group) meet(ctx context.Context) error {
	up := 0
	for range g.workers {
		up += <-g.control.arrived
	}
	if up > 0 && ctx.Err() == nil {
		return nil
	}
	g.sendHome()
	if err := g.wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	for _, w := range g.workers {
		if why := reasonText(w.lastConnectError); why != "" {
			return fmt.Errorf("%w: %s", ErrUnreachable, why)
		}
	}
	return fmt.Errorf("%w: no connection within %v", ErrUnreachable, g.workers[0].plan.ConnectTimeout)
}

// start has every worker measure once.
func (g *group) start(t Timeline) {
	for _, w := range g.workers {
		w.timelines <- t
	}
}

// sendHome tells the workers that there is no other timeline. Calling it again does
// nothing.
func (g *group) sendHome() {
	if g.home {
		return
	}
	g.home = true
	for _, w := range g.workers {
		close(w.timelines)
	}
}

func (g *group) wait() error {
	g.done.Wait()
	return errors.Join(g.errs...)
}

const (
	// startAhead is how long after the meeting the first request is sent: enough
	// for every worker to have received the timeline.
	startAhead = 500 * time.Microsecond
	// startAheadTold is the same when another process has to receive it too.
	startAheadTold = 20 * time.Millisecond
)

// ahead is how long after the meeting the first request is sent.
func (o Observer) ahead() time.Duration {
	if o.Timeline != nil {
		return startAheadTold
	}
	return startAhead
}
