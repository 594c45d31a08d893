package measure

import (
	"context"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/loadgen"
)

// edges reads what processes have used at both edges of the window.
type edges struct {
	clock  mono.Clock
	server []*serverproc.Meter // of each instance
	app    []*serverproc.Meter // of each helper

	own        time.Duration // CPU time of this process at the first edge
	from       mono.Time     // when it was read
	ownCPUFrac record.Value
	clocks     clocks       // at the first edge
	change     *ClockChange // of them, at the second
	err        error        // the first of a meter's
}

func (b *Bench) newEdges(r *Running) *edges {
	e := &edges{clock: b.clock}
	for _, i := range r.instances {
		e.server = append(e.server, i.meter())
	}
	for _, h := range r.helpers {
		e.app = append(e.app, h.server.Meter())
	}
	return e
}

// meters are all of them.
func (e *edges) meters() []*serverproc.Meter {
	return append(e.server[:len(e.server):len(e.server)], e.app...)
}

// begin reads at the first edge.
func (e *edges) begin() {
	e.from, e.own, e.clocks = e.clock.Now(), ownCPU(), readClocks()
	for _, m := range e.meters() {
		e.note(m.Begin(e.clock.Now()))
	}
}

func (e *edges) note(err error) {
	if e.err == nil {
		e.err = err
	}
}

// needSamples reports whether memory has to be looked at between the edges.
func (e *edges) needSamples() bool {
	for _, m := range e.meters() {
		if m.NeedsSamples() {
			return true
		}
	}
	return false
}

// sample looks at the memory.
func (e *edges) sample() {
	for _, m := range e.meters() {
		if m.NeedsSamples() {
			m.Sample()
		}
	}
}

// end reads at the second edge. A usage is nil where nobody could be read.
func (e *edges) end() (server, app *serverproc.Usage) {
	if e.err != nil {
		return nil, nil
	}
	if server = e.sum(e.server); len(e.app) > 0 {
		app = e.sum(e.app)
	}
	e.change = readClocks().since(e.clocks)
	if elapsed := e.clock.Now().Sub(e.from); elapsed > 0 {
		e.ownCPUFrac = record.Of(float64(ownCPU()-e.own) / float64(elapsed))
	}
	return server, app
}

// sum adds up what several trees used.
func (e *edges) sum(meters []*serverproc.Meter) *serverproc.Usage {
	var sum serverproc.Usage
	for n, m := range meters {
		u, err := m.End(e.clock.Now())
		if err != nil {
			e.note(err)
			return nil
		}
		if n == 0 {
			sum = u
			continue
		}
		sum = together(sum, u)
	}
	if len(meters) == 0 {
		return nil
	}
	return &sum
}

// together is what two trees used over the same time. Memory that is added up is an upper
// bound, since they need not have had their peaks at the same time; where one was only
// looked at now and then, all is what was seen so.
func together(a, b serverproc.Usage) serverproc.Usage {
	a.CPU, a.User, a.System = a.CPU+b.CPU, a.User+b.User, a.System+b.System
	a.Lost = a.Lost || b.Lost
	a.Started, a.Ended = append(a.Started, b.Started...), append(a.Ended, b.Ended...)
	a.Switches.Voluntary += b.Switches.Voluntary
	a.Switches.Involuntary += b.Switches.Involuntary
	a.RunQueueWait, a.MajorFaults = a.RunQueueWait+b.RunQueueWait, a.MajorFaults+b.MajorFaults
	a.Workers = append(a.Workers, b.Workers...)
	a.PeakRSSBytes, a.SampledRSSBytes = a.PeakRSSBytes+b.PeakRSSBytes, a.SampledRSSBytes+b.SampledRSSBytes
	a.PeakMethod = max(a.PeakMethod, b.PeakMethod, serverproc.PeakResetSum)
	return a
}

// ownCPU is the CPU time that this process has used, without its children.
func ownCPU() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// follow waits for the timeline, reads at both edges and returns when the window is over.
// It ends early, with the reason, when going on is of no use: the generator has ended, or
// somebody who should run, or who runs is not who was meant.
func (m *measurement) follow(ctx context.Context) (reason string, err error) {
	var t loadgen.Timeline
	select {
	case t = <-m.generator.announced.timeline:
	case <-m.generator.ended:
		return "", nil // its result says why
	case <-time.After(announceMax + m.plan.ConnectTimeout + m.warmUpBefore()):
		return "the generator did not begin: its connections did not come up", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	for _, one := range m.both() {
		one.evidence.From, one.evidence.To = t.From, t.To
	}
	if reason, err = m.until(ctx, t.From, nil); reason != "" || err != nil {
		return reason, err
	}
	if m.onlooker != nil {
		m.onlooker.begin(ctx)
	}
	var samples []func()
	for _, one := range m.both() {
		one.edges.begin()
		one.evidence.EdgeLate = m.bench.clock.Now().Sub(t.From)
		if one.edges.needSamples() {
			samples = append(samples, one.edges.sample)
		}
	}
	var sample func()
	if len(samples) > 0 {
		sample = func() {
			for _, look := range samples {
				look()
			}
		}
	}
	if reason, err = m.until(ctx, t.To, sample); reason != "" || err != nil {
		return reason, err
	}
	if m.onlooker != nil {
		m.onlooker.finish(ctx)
	}
	for _, one := range m.both() {
		one.evidence.Server, one.evidence.App = one.edges.end()
		one.evidence.OwnCPUFrac, one.evidence.Clocks = one.edges.ownCPUFrac, one.edges.change
	}
	return "", nil
}

// warmUpBefore is the load before the timeline is announced: two that take turns are
// warmed up first, one after the other.
func (m *measurement) warmUpBefore() time.Duration {
	if !m.turns {
		return 0
	}
	return 2 * m.plan.WarmUp
}

const (
	// announceMax is how long a generator may take to begin, beside connecting.
	announceMax = 30 * time.Second
	// lookEvery is how often is looked whether going on is of use.
	lookEvery = 500 * time.Millisecond
	// sampleBudget is how often the time that a look at the memory took has to pass before
	// the next: a five-hundredth of a CPU, which matters with many processes.
	sampleBudget = 500
)

// until lets time pass until an instant, and calls sample, which may be nil, as often as
// memory has to be looked at.
func (m *measurement) until(ctx context.Context, instant mono.Time, sample func()) (reason string, err error) {
	every := lookEvery
	if sample != nil {
		every = serverproc.RSSEvery
	}
	for {
		left := instant.Sub(m.bench.clock.Now())
		if left <= 0 {
			return "", nil
		}
		timer := time.NewTimer(min(left, every))
		select {
		case <-timer.C:
		case <-m.generator.ended:
			timer.Stop()
			return "", nil
		case <-ctx.Done():
			timer.Stop()
			return "", context.Cause(ctx)
		}
		if left <= every {
			continue
		}
		if sample != nil {
			began := m.bench.clock.Now()
			sample()
			every = min(lookEvery, max(serverproc.RSSEvery, sampleBudget*m.bench.clock.Now().Sub(began)))
		}
		for _, one := range m.both() {
			if reason := one.running.ended(); reason != "" {
				return reason, nil
			}
			if one.watch.violated() {
				return violatedReason, nil
			}
		}
	}
}

// violatedReason stands for the violation until the samplers have told which it was.
const violatedReason = "a process is not what was meant"
