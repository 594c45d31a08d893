package loadgen

import (
	"strconv"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/schedule"
)

// openLoop is what a worker has in an open loop: a schedule instead of slots that
// begin anew when they are free. An exchange is intended when the schedule says,
// whatever the server does. When no connection has room it waits, and costs
// nothing until one has: those that wait are the part of the schedule between
// next and now.
type openLoop struct {
	schedule *schedule.Schedule
	deadline time.Duration // from intended; what cannot be sent before is shed; 0: none
	next     mono.Time     // intended time of the first request that has not begun; never: there is none
	room     []int32       // a ring of connections with room, in the order in which they got it
	first    int           // of room
	rooms    int           // in room
	pumped   mono.Time     // up to when what was due has been begun, or found no room
	spun     time.Duration // spent in looking at the clock, with nothing else to do
}

// Rate, Burst and Arrival say what an open loop offers; see the package schedule.
type (
	Rate     = schedule.Rate
	RateStep = schedule.Step
	Burst    = schedule.Burst
	Arrival  = schedule.Arrival
)

// Arrivals of an open loop: equally spaced, or those of a Poisson process.
const (
	Constant = schedule.Constant
	Poisson  = schedule.Poisson
)

// ParseRate reads "1000", "0.5", "1000..20000" (a ramp over the window) and
// "1000@10s,5000@10s" (steps).
func ParseRate(text string) (Rate, error) { return schedule.Parse(text) }

// IsOpen reports whether the plan's load is an open loop.
func (p Plan) IsOpen() bool { return p.offer().IsOpen() }

// offer is when the requests of the plan are intended, from its first moment on.
func (p Plan) offer() schedule.Spec {
	window := p.Measure
	if p.Requests > 0 { // as long as it takes
		window = 0
	}
	return schedule.Spec{Rate: p.Rate.Over(window).After(p.WarmUp), Burst: p.Burst, Arrival: p.Arrival, Seed: p.Seed}
}

// validateOpen returns the faults of what is only about an open loop.
func (p Plan) validateOpen() []error {
	var faults []error
	add := func(err error) { faults = append(faults, fault{err.Error()}) }
	for _, err := range p.Rate.Validate() {
		add(err)
	}
	for _, s := range p.Rate.Steps {
		if peak := max(s.From, s.To); peak > offeredMax {
			faults = append(faults, faultf("rate %s: want at most %d requests a second", p.Rate, int64(offeredMax)))
			break
		}
	}
	if b := p.Burst; b.Every > 0 && float64(b.Requests)/b.Every.Seconds() > offeredMax {
		faults = append(faults, faultf("bursts of %d every %v: want at most %d requests a second", b.Requests, b.Every, int64(offeredMax)))
	}
	if len(faults) > 0 {
		return faults
	}
	for _, err := range p.offer().Validate() {
		add(err)
	}
	switch {
	case p.IsOpen() && p.Requests == 0 && len(faults) == 0 && p.offer().Offered(p.WarmUp+p.Measure) == p.offer().Offered(p.WarmUp):
		faults = append(faults, faultf("rate %s: it offers no request within the window of %v", p.Rate, p.Measure))
	case p.Requests == 0 && len(faults) == 0 && p.closedLength() != p.Measure:
		faults = append(faults, faultf("rate %s: its steps last %v, and the window %v: want the same, or a last step without a duration", p.Rate, p.closedLength(), p.Measure))
	case p.Requests > 0 && len(faults) == 0 && p.endsBefore(p.Requests):
		faults = append(faults, faultf("rate %s: it offers %s before it ends, and %d are to be measured", p.Rate, requestsText(p.Rate.Offered(p.closedLength())), p.Requests))
	case !p.IsOpen() && p.Deadline != 0:
		faults = append(faults, faultf("deadline: %v, but without a rate nothing is due at any time", p.Deadline))
	}
	return faults
}

// endsBefore tells whether a rate that has an end offers fewer requests until then, of
// Poisson arrivals on average.
func (p Plan) endsBefore(requests int64) bool {
	length, open := p.Rate.Length()
	return !open && length > 0 && p.Rate.Offered(length) < float64(requests)-1e-6
}

// requestsText is a number of requests that may be a mean.
func requestsText(n float64) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.FormatFloat(n, 'g', 6, 64) + " requests"
}

// closedLength is how long the steps of a rate last that has an end; of any other it
// is the window.
func (p Plan) closedLength() time.Duration {
	if length, open := p.Rate.Length(); !open && length > 0 {
		return length
	}
	return p.Measure
}

// offeredMax is several times what a generator reaches. All that is due is accounted
// for, one by one, also when none of it could be sent.
const offeredMax = 1e7

// newOpenLoop makes the schedule of worker i of n; nil in a closed loop.
func newOpenLoop(p Plan, i, n, connections int) *openLoop {
	if !p.IsOpen() {
		return nil
	}
	return &openLoop{schedule: schedule.New(p.offer(), i, n), deadline: p.Deadline, next: never, room: make([]int32, connections)}
}

// beginSchedule fixes the schedule to the timeline's start; every slot is free.
func (w *worker) beginSchedule() {
	for i := range w.slots {
		x := &w.slots[i]
		x.Slot, x.Conn = int32(i), int32(i/w.plan.Streams)
		c := &w.conns[x.Conn]
		c.idle = append(c.idle, x)
	}
	for i := range w.conns {
		w.gotRoom(int32(i), w.timeline.Start)
	}
	w.open.advance(w.timeline.Start)
	w.pump(w.clock.Now())
}

// advance goes on to the next request of the schedule.
func (o *openLoop) advance(start mono.Time) {
	o.next = never
	if at, ok := o.schedule.Next(); ok {
		o.next = start.Add(at)
	}
}

// gotRoom notes that a connection may be able to carry one more.
func (w *worker) gotRoom(i int32, at mono.Time) {
	o, c := w.open, &w.conns[i]
	if o == nil || c.inRoom || c.state != open || len(c.idle) == 0 {
		return
	}
	c.inRoom, c.roomSince = true, at
	o.room[(o.first+o.rooms)%len(o.room)] = i
	o.rooms++
}

// withRoom takes the connection that has had room for longest; -1: none has.
func (w *worker) withRoom() int32 {
	o := w.open
	for o.rooms > 0 {
		i := o.room[o.first]
		o.first = (o.first + 1) % len(o.room)
		o.rooms--
		c := &w.conns[i]
		c.inRoom = false
		if c.state == open && len(c.idle) > 0 && len(c.waiting) == 0 && c.carrier.Free() > 0 {
			return i
		}
	}
	return -1
}

// pump begins what is due, as far as there is room.
func (w *worker) pump(now mono.Time) {
	o := w.open
	o.pumped = now
	for o.next <= now {
		if w.overFor(o.next) {
			o.next = never
			return
		}
		if o.deadline > 0 && now > o.next.Add(o.deadline) {
			w.neverBegun(now, exchange.Shed, exchange.Reason{})
			continue
		}
		i := w.withRoom()
		if i < 0 {
			return
		}
		c := &w.conns[i]
		x := c.idle[len(c.idle)-1]
		c.idle = c.idle[:len(c.idle)-1]
		*x = exchange.Exchange{Intended: o.next, Slot: x.Slot, Conn: x.Conn}
		w.intend(o.next)
		o.advance(w.timeline.Start)
		since := c.roomSince
		c.waiting = append(c.waiting, x)
		w.startWaiting(i, now)
		w.touch(i)
		w.gotRoom(i, since)
	}
}

// overFor reports whether what is intended at an instant is no part of the run.
func (w *worker) overFor(at mono.Time) bool {
	return at >= w.timeline.To || w.quota == 0 && at >= w.timeline.From
}

// neverBegun gives the next request of the schedule an outcome that it has
// without having been begun, at the age it has.
func (w *worker) neverBegun(now mono.Time, o exchange.Outcome, why exchange.Reason) {
	x := exchange.Exchange{Intended: w.open.next, Ready: now, Done: now, Outcome: o, Reason: why}
	w.intend(x.Intended)
	if x.Intended >= w.timeline.From {
		w.outstanding--
	}
	w.recorder.record(&x)
	w.open.advance(w.timeline.Start)
}

// backlog reports whether a request is due that has not begun.
func (w *worker) backlog(now mono.Time) bool {
	return w.open != nil && w.open.next <= now && !w.overFor(w.open.next)
}

// neverSent accounts for all that was intended until an instant and has not begun.
func (w *worker) neverSent(now mono.Time) {
	for w.backlog(now) {
		w.neverBegun(now, exchange.NeverSent, exchange.Reason{})
	}
}

// refuseDue ends as many of those that are due as a connection would have
// carried, when it could not be opened and there is no other.
func (w *worker) refuseDue(now mono.Time, why exchange.Reason) {
	for range w.plan.Streams {
		if w.opened > 0 || !w.backlog(now) {
			return
		}
		w.neverBegun(now, exchange.ConnectFailed, why)
	}
}

// spinMax is how long before an instant of the schedule a worker stops sleeping.
// The kernel wakes a sleeper some ten microseconds late, and on virtual machines
// several times that.
const spinMax = mono.Time(60 * time.Microsecond)

// before reports whether a worker that sleeps until an instant would sleep over its
// next request.
func (o *openLoop) before(until mono.Time) bool {
	return o != nil && o.next > o.pumped && o.next-spinMax < until
}

// wakeFor returns until when a worker may sleep that has to be awake at its next
// request, and whether it is so near that it must not sleep at all.
func (o *openLoop) wakeFor(now, until mono.Time) (mono.Time, bool) {
	switch {
	case o == nil || o.next <= o.pumped || o.next > until: // nothing, or what is due waits for room
		return until, false
	case o.next <= now+spinMax:
		return now, true
	}
	return o.next - spinMax, false
}
