package loadgen

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
	"github.com/scalws/scalbench/loadgen/internal/quicnet"
)

// worker puts its share of the load on the server. It is owned by one
// goroutine locked to one thread, or on HTTP/3 by who holds its engine's lock;
// nothing in it is safe for others before run has returned. The functions here, in connection.go,
// open.go and secure.go are the hot path: no allocation, no lock, no map, no time.Time.
type worker struct {
	plan       Plan
	cpu        int // -1: not pinned
	clock      mono.Clock
	server     netip.AddrPort
	address    netloop.Address   // likewise, as system calls want it
	sources    []netloop.Address // to connect from, in turn; none: the kernel chooses
	source     int
	workers    int          // there are in all
	agreed     *TLSFacts    // in the first handshake; nil: cleartext
	quicConfig *quic.Config // of HTTP/3
	control    *control
	// congestion is the TCP congestion control of its sockets; "": the host's.
	congestion string

	quic     *quicnet.Engine // of HTTP/3, which has no loop; nil elsewhere
	bell     *bell           // wakes its worker; nil elsewhere
	lastLook mono.Time       // at responses that do not end
	loop     *netloop.Loop
	waker    *netloop.Waker
	secrets  *secrets // of TLS; nil: cleartext
	event    netloop.Event
	conns    []conn
	slots    []exchange.Exchange // as many for each connection as it has streams
	touched  []int32             // connections that may have something to send
	rest     rest
	timers   timers
	expired  []int32 // scratch of the timers
	// overdueTurns counts the turns since a timer ran out and was not looked at.
	overdueTurns int
	recorder     *recorder

	connectQueue  []int32
	connectingNow int
	opened        int // connections that are up

	timelines   chan Timeline // to measure, one after the other; closed after the last
	stopped     mono.Time     // when the last window's drain was over
	ended       chan struct{} // told when a slice has ended; closed when the worker has
	timeline    Timeline
	open        *openLoop // nil: a closed loop
	quota       int64     // measured exchanges it may still begin; -1: no limit
	outstanding uint64    // measured exchanges that have not ended
	measuring   bool      // the window has begun
	ending      bool      // the window is over: nothing new begins
	edges       edges
	spent       threadUse // over the windows before this one; at is how long they were
	lateFrom    mono.Time // the latest that a window before this one began

	lastDone     mono.Time // when an exchange ended last
	longestStill mono.Time // the longest time in the window in which none did, with one out
	lastTurn     mono.Time // when the last turn's wait returned
	longestTurn  mono.Time // the longest time between two of them in the window

	lastConnectError exchange.Reason
	leftOpen         uint64    // connections that a server declared closed and did not close
	lastOut          mono.Time // when a request is known to have been out last
	gaveUp           uint64    // measured exchanges never sent, because none could be for too long
}

// edges is what a worker used up to the two edges of the window.
type edges struct {
	from, to threadUse
}

// threadUse is read at an edge of the window.
type threadUse struct {
	at       mono.Time
	cpu      time.Duration // of the worker's thread
	spun     time.Duration // of that, looking at the clock with nothing else to do
	waiting  time.Duration // it was ready to run and another had its CPU
	switches int64         // times the thread was taken off its CPU
	bytesIn  uint64
	bytesOut uint64
}

// used is what the worker used over its windows: at is how long they were together.
func (w *worker) used() threadUse { return w.spent.plus(w.edges.between()) }

// between is what was used between the two edges.
func (e edges) between() threadUse {
	return threadUse{
		at: e.to.at - e.from.at, cpu: e.to.cpu - e.from.cpu, spun: e.to.spun - e.from.spun, waiting: e.to.waiting - e.from.waiting,
		switches: e.to.switches - e.from.switches, bytesIn: e.to.bytesIn - e.from.bytesIn, bytesOut: e.to.bytesOut - e.from.bytesOut,
	}
}

func (u threadUse) plus(o threadUse) threadUse {
	return threadUse{
		at: u.at + o.at, cpu: u.cpu + o.cpu, spun: u.spun + o.spun, waiting: u.waiting + o.waiting,
		switches: u.switches + o.switches, bytesIn: u.bytesIn + o.bytesIn, bytesOut: u.bytesOut + o.bytesOut,
	}
}

// run is the life of a worker, on a thread of its own: open the connections,
// meet the others, put load on the server until the timeline ends.
func (w *worker) run() error {
	if w.quic != nil {
		return w.runQUIC()
	}
	if err := w.prepareThread(); err != nil {
		w.control.arrive(0)
		return err
	}
	loop, err := netloop.New(w.clock, netloop.Options{Slots: len(w.conns), Congestion: w.congestion, Waker: w.waker})
	if err != nil {
		w.control.arrive(0)
		return err
	}
	w.loop = loop
	defer loop.Shutdown()
	defer w.abandonHandshakes()

	err = w.openConnections()
	w.control.arrive(w.up())
	if err != nil {
		return err
	}
	return w.measureAll()
}

// up counts the connections that can carry something.
func (w *worker) up() int {
	n := 0
	for i := range w.conns {
		if w.conns[i].state == open {
			n++
		}
	}
	return n
}

// openConnections brings all connections up before the clock starts. It ends
// when each is up or has failed once, or when the connect timeout is over.
func (w *worker) openConnections() error {
	now := w.clock.Now()
	for i := range w.conns {
		w.want(int32(i), now)
	}
	w.connectQueued(now)
	until := now.Add(w.plan.ConnectTimeout)
	for w.connectingNow > 0 && now < until && w.control.stopAt.Load() == 0 {
		var err error
		if now, err = w.turn(min(until, now+stopCheck)); err != nil {
			return err
		}
	}
	return nil
}

// measureAll puts its load on for each timeline: a run has one, pairs of slices have
// many. Between two nothing is out and the connections stay.
func (w *worker) measureAll() error {
	for {
		timeline, ok := w.nextTimeline()
		if !ok {
			return nil
		}
		if err := w.measure(timeline); err != nil {
			return err
		}
		if w.plan.Slices.On() {
			w.ended <- struct{}{}
		}
	}
}

// nextTimeline waits for one; false: there is none any more.
func (w *worker) nextTimeline() (t Timeline, ok bool) {
	if w.quic != nil {
		w.quic.Unlock()
		defer w.quic.Lock()
	}
	t, ok = <-w.timelines
	return t, ok
}

// measure runs the load through warm-up, window and drain.
func (w *worker) measure(timeline Timeline) error {
	if w.plan.Slices.On() {
		w.beginSlice(timeline.renewed)
	}
	w.timeline, w.recorder.timeline = timeline, timeline
	for now := w.clock.Now(); now < w.timeline.Start; {
		var err error
		if now, err = w.turn(w.timeline.Start); err != nil {
			return err
		}
	}
	w.lastOut = w.timeline.Start
	if w.pass(w.timeline.Start) { // without a warm-up the window opens here
		return nil
	}
	if w.open != nil {
		w.beginSchedule()
	} else {
		w.beginAll()
	}
	for {
		now, err := w.turn(w.nextEdge())
		if err != nil {
			return err
		}
		if w.pass(now) {
			return nil
		}
	}
}

// beginAll intends the first exchange of every slot.
func (w *worker) beginAll() {
	for i := range w.slots {
		x := &w.slots[i]
		x.Slot, x.Conn = int32(i), int32(i/w.plan.Streams)
		w.begin(x, w.timeline.Start)
	}
	for i := range w.conns {
		if w.conns[i].state == open {
			w.startWaiting(int32(i), w.timeline.Start)
			w.touch(int32(i))
		}
	}
}

// stopCheck is the longest a worker sleeps without looking whether the run is
// to be ended early.
const stopCheck = mono.Time(10 * time.Millisecond)

// nextEdge returns the next instant at which the worker has something to do
// even if nothing arrives.
func (w *worker) nextEdge() mono.Time {
	next := w.clock.Now() + stopCheck
	switch {
	case !w.measuring:
		next = min(next, w.timeline.From)
	case !w.ending:
		next = min(next, w.timeline.To)
	default:
		next = min(next, w.timeline.DrainTo)
	}
	return next
}

// turn lets everything queued leave, sleeps until something arrives or an
// instant is reached, and handles what there is.
func (w *worker) turn(until mono.Time) (mono.Time, error) {
	if w.quic != nil {
		return w.turnQUIC(until), nil
	}
	if w.flush() {
		until = 0 // there is more to send
	}
	until, spinning := w.open.wakeFor(w.lastTurn, min(until, w.timers.next))
	now, err := w.loop.Wait(until, w.rest.duration)
	if err != nil {
		return now, err
	}
	before := w.lastTurn
	w.resumed(before, now)
	if w.measuring && !w.ending {
		w.longestTurn = max(w.longestTurn, now-w.lastTurn)
	}
	w.lastTurn = now
	ev := &w.event
	idle := true
	for w.loop.Next(ev) {
		w.handle(int32(ev.Slot), ev)
		idle = false
	}
	if spinning && idle {
		w.open.spun += now.Sub(before)
	}
	if w.secrets != nil {
		w.advanceHandshakes(now)
	}
	if now >= w.timers.next && w.heardAll() {
		w.expired = w.timers.search(now, w.expired[:0])
		for _, i := range w.expired {
			w.due(i, now)
		}
	}
	if len(w.connectQueue) > 0 {
		w.connectQueued(now)
	}
	if w.open != nil {
		if now = w.clock.Now(); w.open.next <= now {
			w.pump(now)
		}
	}
	return now, nil
}

// resumed looks whether the worker itself stood still. What it finds answered then
// is no sign that the server did.
func (w *worker) resumed(before, now mono.Time) {
	if now-before > stopCheck+stillMin {
		w.lastDone = now
	}
}

// stillMin is what a sleep is late by on a host that is merely busy.
const stillMin = mono.Time(5 * time.Millisecond)

// heardAll reports whether every socket that had something to say has been
// heard since a timer ran out: an answer that lies in a socket is no timeout.
// The kernel hands ready sockets out in turn, so after as many turns as it takes
// to go round none has been passed over, also when there is always more.
func (w *worker) heardAll() bool {
	w.overdueTurns++
	if !w.loop.Drained() && w.overdueTurns*netloop.EventsMax < 2*len(w.conns) {
		return false
	}
	w.overdueTurns = 0
	return true
}

func (w *worker) handle(i int32, ev *netloop.Event) {
	switch ev.Kind {
	case netloop.Data:
		w.received(i, ev)
	case netloop.Connected:
		w.connected(i, ev.At)
	case netloop.ConnectFailed:
		w.connectingNow--
		w.connectFailed(i, ev.At, exchange.Reason{Text: "connect", Errno: uint16(ev.Errno)})
	case netloop.End, netloop.Failed, netloop.WriteFailed:
		w.closed(i, ev)
	case netloop.Sent:
		w.touch(i)
	}
}

// touch notes that a connection may have something to send. It leaves at the
// end of the turn, whatever has come together until then in one piece.
func (w *worker) touch(i int32) {
	if c := &w.conns[i]; !c.touched {
		c.touched = true
		w.touched = append(w.touched, i)
	}
}

// flush gives the loop what the connections have to send and reports whether
// one has more than that.
func (w *worker) flush() (more bool) {
	kept := w.touched[:0]
	for _, i := range w.touched {
		c := &w.conns[i]
		c.touched = false
		if c.state != open && c.state != securing || w.loop.Blocked(int(i)) {
			continue // when the socket takes more, Sent touches it
		}
		b, again := w.outgoing(c)
		if len(b) > 0 {
			w.loop.Send(int(i), b, &c.sent)
		}
		if again {
			c.touched = true
			kept = append(kept, i)
		}
	}
	w.touched = kept
	return len(kept) > 0
}

// outgoing returns what a connection has to send now, and whether there is more.
func (w *worker) outgoing(c *conn) (b []byte, more bool) {
	switch {
	case c.state == securing: // what its handshake has to say
		return c.secure.Take(), false
	case len(c.unsealed) > 0: // first the rest of what the codec gave
		more = true
	default:
		c.stamp()
		b, more = c.codec.Out()
	}
	if c.secure != nil {
		return c.sealed(b, more)
	}
	return b, more
}

// begin intends a slot's next exchange, unless the run is over for it. It then
// waits until its connection can carry it.
func (w *worker) begin(x *exchange.Exchange, at mono.Time) {
	if w.open != nil { // the schedule begins
		c := &w.conns[x.Conn]
		c.idle = append(c.idle, x)
		return
	}
	if w.ending || at >= w.timeline.To {
		return
	}
	if at >= w.timeline.From && w.quota == 0 {
		return
	}
	w.intend(at)
	*x = exchange.Exchange{Intended: at, Slot: x.Slot, Conn: x.Conn}
	c := &w.conns[x.Conn]
	c.waiting = append(c.waiting, x)
}

// intend accounts for an exchange that is intended at an instant.
func (w *worker) intend(at mono.Time) {
	if at < w.timeline.From {
		return
	}
	w.quota-- // from -1 it never gets to 0
	w.outstanding++
	w.recorder.intend(at)
}

// startWaiting gives an open connection as many of the exchanges that wait for
// it as it can carry.
func (w *worker) startWaiting(i int32, now mono.Time) {
	c := &w.conns[i]
	for len(c.waiting) > 0 && c.carrier.Free() > 0 {
		x := c.next()
		if o := w.open; o != nil && o.deadline > 0 && now > x.Intended.Add(o.deadline) { // handed back
			x.Ready, x.Done, x.Outcome = now, now, exchange.Shed
			w.finish(x)
			continue
		}
		c.carried++
		last := w.plan.RequestsPerConn > 0 && c.carried >= w.plan.RequestsPerConn
		x.Ready = max(x.Intended, c.since, c.roomSince)
		if c.full {
			x.Ready = now
		}
		x.Reused = c.carried > 1
		if !c.carrier.Start(x, now, last) {
			panic(fmt.Sprintf("BUG: connection %d, state %d, does not take an exchange", i, c.state))
		}
		c.out++
	}
	c.full = len(c.waiting) > 0
	w.timers.set(int(i), c.carrier.Deadline())
}

// finish records an exchange that has ended and begins the next of its slot,
// which is intended the moment this one was done.
func (w *worker) finish(x *exchange.Exchange) {
	w.recorder.record(x)
	if x.Intended >= w.timeline.From {
		w.outstanding--
	}
	if x.Sent != 0 {
		w.lastOut = x.Done
		if still := x.Done - max(w.lastDone, x.Sent); still > w.longestStill && w.timeline.measures(x.Done) {
			w.longestStill = still
		}
		w.lastDone = x.Done
	}
	if x.Outcome == exchange.OK {
		w.rest.served(x.Done.Sub(x.Sent))
		if w.timeline.measures(x.Done) {
			w.conns[x.Conn].served++
		}
	}
	w.begin(x, x.Done)
}

// pass acts on the edges of the timeline and reports whether the run is over.
func (w *worker) pass(now mono.Time) (over bool) {
	if at := w.control.stopAt.Load(); at != 0 {
		w.timeline = w.timeline.cut(mono.Time(at), w.plan)
		w.recorder.timeline = w.timeline
	}
	if !w.measuring && now >= w.timeline.From {
		w.measuring = true
		w.edges.from = w.use()
	}
	w.giveUp(now)
	if !w.ending && (now >= w.timeline.To || w.quota == 0 && w.outstanding == 0) {
		w.endWindow(now)
	}
	if w.ending && (now >= w.timeline.DrainTo || !w.anyOut() && !w.backlog(now)) {
		w.abandon(now)
		return true
	}
	if w.measuring && !w.ending {
		w.recorder.turnWindow(now)
	}
	return false
}

// giveUp ends a run of a number of requests when nothing has been out for so long
// that nothing will be: it has no other end. The requests that were to come are in
// the ledger as never sent.
func (w *worker) giveUp(now mono.Time) {
	if w.quota < 0 || w.ending || now <= w.lastOut.Add(w.plan.ConnectTimeout+backOffMax) {
		return
	}
	if w.anySent() || w.open != nil && !w.backlog(now) { // or nothing is due
		w.lastOut = now
		return
	}
	w.gaveUp = uint64(w.quota)
	w.recorder.ledger.scheduled += w.gaveUp
	w.recorder.ledger.outcomes[exchange.NeverSent].Unsent += w.gaveUp
	w.gaveUp += uint64(w.outstanding) // those that wait are never sent either
	w.quota = 0
	if w.open != nil {
		w.open.next = never
	}
	w.timeline.DrainTo = now // nothing to wait for
	w.endWindow(now)
}

// anySent reports whether a request is out of which a byte has left.
func (w *worker) anySent() bool {
	for i := range w.conns {
		w.conns[i].stamp()
	}
	for i := range w.slots {
		if x := &w.slots[i]; x.Sent != 0 && x.Outcome == exchange.Pending {
			return true
		}
	}
	return false
}

// endWindow lets nothing new begin. What has been intended and waits for its
// connection may still leave in the drain: in a run with a connection for each
// request some always do, and to call them lost would be wrong.
func (w *worker) endWindow(now mono.Time) {
	w.ending = true
	if w.anyOut() || w.backlog(now) {
		// The last answer may have come long ago.
		w.longestStill = max(w.longestStill, min(now, w.timeline.To)-max(w.lastDone, w.timeline.From))
	}
	w.edges.to = w.use()
}

func (w *worker) anyOut() bool {
	for i := range w.conns {
		if w.conns[i].out > 0 || len(w.conns[i].waiting) > 0 {
			return true
		}
	}
	return false
}

// abandon ends what the drain has not: what is out is unfinished, what still
// waits or has not begun to leave was never sent, each at the age it has.
func (w *worker) abandon(now mono.Time) {
	w.stopped = now
	w.neverSent(now)
	for i := range w.conns {
		c := &w.conns[i]
		c.stamp()
		for len(c.waiting) > 0 {
			x := c.next()
			x.Done, x.Outcome = now, exchange.NeverSent
			w.finish(x)
		}
		if c.out == 0 {
			continue
		}
		c.carrier.Abort(now, exchange.Unfinished, exchange.Reason{})
		for _, x := range c.carrier.Done() {
			c.out--
			if x.Sent == 0 {
				x.Outcome = exchange.NeverSent
			}
			w.finish(x)
		}
		if w.plan.Slices.On() { // what answers it still would be taken for the next one's
			w.leave(int32(i), now, true)
		}
	}
}
