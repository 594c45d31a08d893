package loadgen

import (
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/hdr"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/quicnet"
)

// finished is everything a run leaves behind.
type finished struct {
	plan        Plan
	server      server
	placement   placement
	workers     []*worker
	clock       mono.Clock
	began       mono.Time
	series      []Window
	usage       usage
	host        hostEvents
	events      *quicnet.Events // nil: not counted
	interrupted bool
	sliced      bool          // it is one of two targets that took turns
	start       mono.Time     // in the first of its slices,
	slices      time.Duration // of which so much was measured in all
}

// conclude merges what the workers saw into the result and judges it.
func conclude(f finished) (*Result, error) {
	from, to := f.window()
	if f.interrupted && !f.sliced && to <= from {
		return nil, ErrInterrupted
	}
	all := newRecorder(nil)
	for _, w := range f.workers {
		all.merge(w.recorder)
	}
	measured := to.Sub(from).Seconds()
	if f.sliced {
		measured = f.slices.Seconds()
	}
	r := &Result{
		Schema: Schema, Version: Version(), Plan: f.plan.Echo(), Protocol: f.plan.Protocol.String(), TLS: f.server.tls, Address: f.server.address.String(),
		StartedAt: f.clock.Wall(f.firstPlanned()), MeasuredS: measured,
		StartupMS: float64(f.firstRequest()-f.began) / 1e6, Interrupted: f.interrupted,
		RPS:    perSecond(all.completedInWindow, measured),
		Ledger: all.ledger.public(), CompletedInWindow: all.completedInWindow, AllPhases: AllPhases{Sent: all.sentInAllPhases},
		Status: map[string]uint64{}, FirstErrors: map[string]string{},
		Latency:     all.published(f.server.dns),
		BodyBytesIn: all.bodyBytesIn,
		Connections: Connections{Opened: all.connectionsOpened, ReusedRequests: all.reusedRequests, Resumed: all.resumed, RestartedRequests: all.restarted},
		Windows:     f.rows(measured),
		QUIC:        f.quicStats(),
		Warnings:    []Warning{},
	}
	for code, n := range all.status {
		if n > 0 {
			r.Status[strconv.Itoa(code)] = n
		}
	}
	for _, x := range all.firstErrors {
		if x.Outcome != exchange.Pending {
			r.FirstErrors[x.Outcome.String()] = errorText(&x, &f.plan.Targets[0])
		}
	}
	restUS := 0.0
	for _, w := range f.workers {
		r.Workers = append(r.Workers, w.result())
		restUS = max(restUS, float64(w.rest.longest)/1e3)
		used := w.used()
		r.BytesIn += used.bytesIn
		r.BytesOut += used.bytesOut
	}
	r.Server = f.usage.server(measured, all.completedInWindow, f.plan.CPUs)
	r.Generator = f.usage.generator(measured, all.completedInWindow, len(f.workers))
	r.Generator.RestUS = restUS
	r.Generator.leaveOutSpinning(r.Workers)
	r.Connections.Fairness = f.fairness()
	if f.plan.IsOpen() {
		r.OfferedRPS = ptr(perSecond(all.ledger.scheduled, measured))
		r.Waited = &all.waited
	}
	if f.plan.Protocol == HTTP3 {
		r.Generator.Engine = "quic-go"
	}
	r.Host = f.usage.host(f.plan.CPUs)
	r.Warnings = append(r.Warnings, f.warnings(r, all)...)
	r.Warnings = append(r.Warnings, r.hostWarnings()...)
	r.Validity = validity(r.Warnings)
	return r, nil
}

// rows returns the time series up to the end of the window: the last row is there
// also when nothing ended in it. Never null.
func (f finished) rows(measuredS float64) []Window {
	rows := append([]Window{}, f.series...)
	for !f.sliced {
		start := (time.Duration(len(rows)) * f.plan.Window).Seconds()
		if start >= measuredS-1e-6 {
			return rows
		}
		rows = append(rows, Window{StartS: start})
	}
	return rows
}

// window returns the edges of the measure window as it was. A run of a number
// of requests ends with the last of them.
func (f finished) window() (from, to mono.Time) {
	t := f.workers[0].timeline
	from, to = t.From, t.To
	if to != never {
		return from, to
	}
	to = from
	for _, w := range f.workers {
		to = max(to, w.recorder.lastEnd)
	}
	return from, to
}

func perSecond(n uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// firstRequest is when the first request left: the timeline's start if none did.
func (f finished) firstRequest() mono.Time {
	first := never
	for _, w := range f.workers {
		if w.recorder.firstSent != 0 {
			first = min(first, w.recorder.firstSent)
		}
	}
	if first == never {
		return f.firstPlanned()
	}
	return first
}

// firstPlanned is when the first request was to leave.
func (f finished) firstPlanned() mono.Time {
	if f.sliced {
		return f.start
	}
	return f.workers[0].timeline.Start
}

// result is the worker's own line.
func (w *worker) result() WorkerResult {
	r := WorkerResult{CPU: w.cpu, Connections: len(w.conns), OK: w.recorder.completedInWindow}
	if used := w.used(); used.at > 0 {
		r.Busy = max(0, float64(used.cpu-used.spun)/float64(used.at))
		r.Spinning = float64(used.spun) / float64(used.at)
		r.Preempted = used.switches
	}
	return r
}

// published turns the histograms into distributions.
func (r *recorder) published(dns time.Duration) Latency {
	l := Latency{
		Service: distribution(r.service), Response: distribution(r.response), SendDelay: distribution(r.sendDelay),
		Lateness: distribution(r.lateness), FirstByte: distribution(r.firstByte), Failed: distribution(r.failed),
		Connect: distribution(r.connect), TLS: distribution(r.tls), QUIC: distribution(r.quic),
	}
	if dns > 0 {
		h := hdr.New(hdr.Fine)
		h.Record(int64(dns))
		l.DNS = distribution(h)
	}
	return l
}

// Thresholds of the warnings.
const (
	saturatedBusy     = 0.95                              // thread CPU / window
	shortWindow       = time.Second                       // shorter windows hold too few of the host's own rhythms
	lateMin           = 20 * time.Millisecond             // a thread may have to wait for its CPU so long
	contendedShare    = 0.10                              // of the window
	lateShare         = 0.05                              // of the window
	leftOpenShare     = 0.01                              // of the connections opened
	burstMax          = mono.Time(100 * time.Millisecond) // lateness of the first requests of many connections
	latePercentileMin = time.Millisecond                  // a server's latency is seldom looked at more closely
	stallMin          = 50 * time.Millisecond             // less is what a busy host does to anybody
	stallShare        = 10                                // of the median service time
)

// warnings finds what has to be known of the result.
func (f finished) warnings(r *Result, all *recorder) []Warning {
	ws := append([]Warning{}, f.placement.warnings...)
	ws = append(ws, f.server.tls.certificateWarning(f.clock.Wall(f.began))...)
	add := func(when bool, code WarningCode, format string, args ...any) {
		if when {
			ws = append(ws, warningf(code, format, args...))
		}
	}
	if f.server.warning != nil {
		ws = append(ws, *f.server.warning)
	}
	if err := r.Ledger.Check(); err != nil {
		add(true, LedgerBroken, "%v", err)
	}
	refused := syscall.Errno(all.firstErrors[exchange.ConnectFailed].Reason.Errno)
	add(refused == syscall.EMFILE || refused == syscall.ENFILE, FDLimit, "a connection could not be opened: %v", refused)
	late := f.late(all)
	add(late > lateMin && late.Seconds() > lateShare*r.MeasuredS, LateSends, "a worker had no CPU for %s of the window of %.3g s", units.Duration(late), r.MeasuredS)
	lateP99 := f.lateInSchedule(all)
	add(lateP99 > 0, LateSends, "1 %% of the requests left %s or more after they could have, by the generator's own fault", units.Duration(lateP99))
	still, usual := f.stall(all)
	add(still > 0, StallSeen, "the server answered nothing for %v, although requests were out; half of them take no more than %s", units.Duration(still), units.Duration(usual))
	unsent := all.ledger.outcomes[exchange.OK].Unsent
	add(unsent > 0, LedgerBroken, "%s requests ended ok without having been sent", grouped(unsent))
	add(len(f.usage.processes.roots) > 0 && r.Server == nil, ServerUnknown, "what the server used is not known: its processes have changed, or could not be read over the whole window")
	add(f.host.suspended > 0, Suspended, "the host was suspended for %s during the run", units.Duration(f.host.suspended))
	busiest := r.Busiest()
	add(max(busiest, f.neverIdle()) >= saturatedBusy && r.MeasuredS > busyWindowMin.Seconds(), GeneratorSaturated, "the generator was %.0f %% busy: the server may be faster than this", 100*busiest)
	unserved, connections := f.unserved(all.ledger.scheduled)
	add(unserved > 0, NotAllConnectionsServed, "on %s of %s connections no request ended ok inside the window", grouped(unserved), grouped(connections))
	streams := f.streamsMax()
	add(streams < f.plan.Streams, StreamsLimited, "the server allows %d streams on a connection, not %d: the other requests wait for one", streams, f.plan.Streams)
	notOK := r.Ledger.NotOK()
	add(notOK > 0, ErrorsPresent, "%s of %s requests did not end ok", grouped(notOK), grouped(r.Ledger.Scheduled))
	add(r.MeasuredS < shortWindow.Seconds() && f.plan.Requests == 0, ShortWindow, "the window of %.3g s is short", r.MeasuredS)
	clamped := all.response.Clamped() + all.service.Clamped() + all.failed.Clamped()
	add(clamped > 0, ClampedLatency, "%s latencies were longer than an hour", grouped(clamped))
	var leftOpen, gaveUp uint64
	for _, w := range f.workers {
		leftOpen += w.leftOpen
		gaveUp += w.gaveUp
	}
	add(float64(leftOpen) > leftOpenShare*float64(all.connectionsOpened), ServerLeftOpen,
		"%s connections that were to end were not closed by the server within %s", grouped(leftOpen), units.Duration(leavingMax))
	add(gaveUp > 0, ServerGone, "given up with %s requests to go: none could be sent any more", grouped(gaveUp))
	tooLate := late > lateMin && late.Seconds() > lateShare*r.MeasuredS || lateP99 > 0
	add(late > lateMin && !tooLate, GeneratorStalled, "the generator stood still for %s: what came meanwhile seems so late", units.Duration(late))
	contended := f.contended()
	add(contended >= contendedShare && r.MeasuredS > busyWindowMin.Seconds(), CPUContended, "for %.0f %% of the window a worker was ready to run while others had its CPU: answers were found late, and seem the server's slowness", 100*contended)
	return ws
}

// streamsMax is the fewest streams that a connection of the run carries at a time.
func (f finished) streamsMax() int {
	least := f.plan.Streams
	for _, w := range f.workers {
		for i := range w.conns {
			least = min(least, w.conns[i].carrier.StreamsMax())
		}
	}
	return least
}

// late is the longest time for which a worker did not do what it had to: after
// the window's beginning, for a single request, or between two turns, which are
// never more than stopCheck apart. A thread that is off its CPU puts no load on
// a server, and what arrives meanwhile looks like the server's slowness.
func (f finished) late(all *recorder) time.Duration {
	late := time.Duration(0)
	if l := mono.Time(all.lateness.MaxNS()); l > burstMax { // less is the burst of the first requests of many connections
		late = time.Duration(l)
	}
	for _, w := range f.workers {
		late = max(late, time.Duration(w.lateFrom), w.edges.from.at.Sub(w.timeline.From), time.Duration(w.longestTurn-stopCheck))
	}
	return late
}

// neverIdle is the largest share of the window in which a worker had something to do,
// whether it was given a CPU for it or not.
func (f finished) neverIdle() float64 {
	share := 0.0
	for _, w := range f.workers {
		if used := w.used(); used.at > 0 {
			share = max(share, w.result().Busy+float64(used.waiting)/float64(used.at))
		}
	}
	return share
}

// contended is the largest share of the window in which a worker was ready to run
// and did not.
func (f finished) contended() float64 {
	share := 0.0
	for _, w := range f.workers {
		if used := w.used(); used.at > 0 {
			share = max(share, float64(used.waiting)/float64(used.at))
		}
	}
	return share
}

// lateInSchedule is the lateness that one request in a hundred of an open loop
// exceeds, when that is enough to be seen in a percentile; else 0.
func (f finished) lateInSchedule(all *recorder) time.Duration {
	p99, ok := all.lateness.QuantileNS(0.99)
	p50, _ := all.response.QuantileNS(0.50)
	late := time.Duration(p99)
	if !f.plan.IsOpen() || !ok || late < latePercentileMin || late < time.Duration(p50)/10 {
		return 0
	}
	return late
}

// stall is the longest time in which a worker got no answer with requests out,
// when that is so much more than the usual service time that it is no slow
// request; else 0.
func (f finished) stall(all *recorder) (still, usual time.Duration) {
	p50, ok := all.service.QuantileNS(0.50)
	if !ok {
		return 0, 0
	}
	for _, w := range f.workers {
		still = max(still, time.Duration(w.longestStill))
	}
	usual = time.Duration(p50)
	if still < stallMin || still < stallShare*usual {
		return 0, usual
	}
	return still, usual
}

// unserved counts the connections that carried nothing ok inside the window.
// With a connection for each request, or fewer requests than connections, that
// says nothing.
func (f finished) unserved(scheduled uint64) (unserved, connections int) {
	if f.plan.Requests > 0 && f.plan.Requests < 10*int64(f.plan.Connections) {
		return 0, 0
	}
	if f.plan.IsOpen() && scheduled < 10*uint64(f.plan.Connections) {
		return 0, 0
	}
	for _, w := range f.workers {
		connections += len(w.conns)
		for i := range w.conns {
			if w.conns[i].served == 0 {
				unserved++
			}
		}
	}
	return unserved, connections
}

// Version is that of the module, as the build recorded it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
