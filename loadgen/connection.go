package loadgen

import (
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
	"github.com/scalws/scalbench/loadgen/internal/transport"
)

// connState is where a connection is in its life:
//
//	absent -> queued -> connecting -> (securing ->) open -> leaving -> absent …
//	             ^          |             |
//	             +- backing off <---------+   after an attempt that came to nothing
type connState uint8

const (
	absent     connState = iota // no socket, none wanted
	queued                      // wants to connect; waits for one of connectingMax places
	connecting                  // TCP handshake under way
	securing                    // TLS handshake under way
	backingOff                  // the last attempt came to nothing: not yet again
	open                        // up: idle, or with exchanges out
	leaving                     // its last exchange is done; waits for the peer's FIN
)

// conn is one connection of a worker, over all the sockets it has in its life.
type conn struct {
	carrier   carrier
	codec     codec           // the carrier, when it is one over bytes; nil on QUIC
	secure    *transport.Conn // nil: in cleartext, or no socket yet
	state     connState
	touched   bool                 // it may have something to send
	full      bool                 // exchanges wait although the connection is up
	useful    bool                 // an exchange has ended on this socket
	waiting   []*exchange.Exchange // intended, but the connection could not carry them yet; in order
	idle      []*exchange.Exchange // open loop: its slots that carry nothing
	inRoom    bool                 // open loop: it is among those with room
	roomSince mono.Time            // open loop: since when
	out       int                  // exchanges that are out on it
	sent      mono.Time            // when what was queued last began to leave; 0: it has not, or its codec knows
	unsealed  []byte               // what the codec has handed out and TLS has yet to seal
	carried   int                  // exchanges started on this socket
	served    uint64               // exchanges that ended ok inside the window
	since     mono.Time            // when the state was entered
	backOff   time.Duration        // how long the last attempt was put off
}

const (
	connectingMax = 128 // handshakes under way per worker: a listen queue is short
	backOffMin    = time.Millisecond
	backOffMax    = time.Second
	// leavingMax is how long a server may take to close a connection that it
	// or we have declared to be at its end. Then we close it.
	leavingMax = time.Second
)

// want asks for a connection; the worker starts it when there is a place.
func (w *worker) want(i int32, now mono.Time) {
	c := &w.conns[i]
	c.state, c.since = queued, now
	w.timers.set(int(i), 0)
	w.connectQueue = append(w.connectQueue, i)
}

// connectQueued starts handshakes while there are places for them.
func (w *worker) connectQueued(now mono.Time) {
	n := 0
	for n < len(w.connectQueue) && w.connectingNow < connectingMax {
		w.connect(w.connectQueue[n], now)
		n++
	}
	if n > 0 {
		w.connectQueue = w.connectQueue[:copy(w.connectQueue, w.connectQueue[n:])]
	}
}

func (w *worker) connect(i int32, now mono.Time) {
	c := &w.conns[i]
	c.state, c.since = connecting, now
	if w.quic != nil {
		w.connectingNow++
		w.timers.set(int(i), now.Add(w.plan.ConnectTimeout))
		w.quic.Connect(int(i))
		return
	}
	if failed, errno := w.loop.Connect(int(i), &w.address, w.nextSource()); errno != 0 {
		w.connectFailed(i, w.clock.Now(), exchange.Reason{Text: failed, Errno: uint16(errno)})
		return
	}
	w.connectingNow++
	w.timers.set(int(i), now.Add(w.plan.ConnectTimeout))
}

// nextSource takes turns over the plan's source addresses; nil when it has none.
func (w *worker) nextSource() *netloop.Address {
	if len(w.sources) == 0 {
		return nil
	}
	w.source++
	return &w.sources[w.source%len(w.sources)]
}

// connected is called when TCP is up.
func (w *worker) connected(i int32, at mono.Time) {
	c := &w.conns[i]
	w.recorder.connect.Record(int64(at - c.since))
	if w.secrets != nil {
		w.secure(i, at)
		return
	}
	w.opens(i, at)
}

// opens makes the connection carry what has waited for it.
func (w *worker) opens(i int32, at mono.Time) {
	c := &w.conns[i]
	w.connectingNow--
	w.opened++
	w.recorder.connectionsOpened++
	w.timers.set(int(i), 0)
	*c = conn{
		carrier: c.carrier, codec: c.codec, secure: c.secure, state: open, touched: c.touched,
		waiting: c.waiting, idle: c.idle, inRoom: c.inRoom, served: c.served, since: at, backOff: c.backOff,
	}
	if c.codec != nil {
		c.codec.Open()
	}
	w.startWaiting(i, at)
	w.touch(i)
	w.gotRoom(i, at)
}

// connectFailed ends the exchanges that waited for the connection, which is tried
// again later.
func (w *worker) connectFailed(i int32, at mono.Time, why exchange.Reason) {
	c := &w.conns[i]
	w.lastConnectError = why
	w.backOff(i, at)
	for n := len(c.waiting); n > 0; n-- { // each that ends begins another, which waits again
		x := c.next()
		x.Done, x.Outcome, x.Reason = at, exchange.ConnectFailed, why
		w.finish(x)
	}
	w.refuseDue(at, why)
}

// backOff puts the next attempt off, for twice as long each time.
func (w *worker) backOff(i int32, at mono.Time) {
	c := &w.conns[i]
	c.backOff = min(max(2*c.backOff, backOffMin), backOffMax)
	c.state, c.since = backingOff, at
	w.timers.set(int(i), at.Add(c.backOff))
}

// due is called when a connection's timer has run out.
func (w *worker) due(i int32, now mono.Time) {
	c := &w.conns[i]
	switch c.state {
	case connecting, securing:
		what := "connect"
		if w.quic != nil {
			what = quicHandshakeText
		}
		if c.state == securing {
			what = handshakeText
			w.abandonHandshake(c)
		}
		w.hangUp(i, true)
		w.connectingNow--
		w.connectFailed(i, now, exchange.Reason{Text: what, Errno: uint16(syscall.ETIMEDOUT)})
	case backingOff:
		if w.needs(c) {
			w.want(i, now)
		}
	case open:
		w.expire(i, now)
	case leaving:
		w.leftOpen++
		w.leave(i, now, true)
	}
}

// expire gives up the exchanges whose time since sending is over.
func (w *worker) expire(i int32, now mono.Time) {
	c := &w.conns[i]
	c.stamp()
	c.carrier.Expire(now)
	w.settle(i, now, false)
}

// stamp passes on when the last bytes left. Before their codec sees an answer to
// them, or is asked for more, it knows.
func (c *conn) stamp() {
	if c.sent != 0 {
		c.codec.Stamp(c.sent)
		c.sent = 0
	}
}

// received feeds what arrived, and settles what has ended by it.
func (w *worker) received(i int32, ev *netloop.Event) {
	c := &w.conns[i]
	if c.secure != nil {
		w.receivedSecure(i, ev)
		return
	}
	c.stamp()
	if ev.Discarded > 0 {
		c.codec.Skipped(ev.At, ev.Discarded)
	} else {
		c.codec.Feed(ev.At, ev.Bytes)
	}
	if n := c.codec.Skippable(); n >= discardMin {
		w.loop.Discard(int(i), n)
	}
	w.settle(i, ev.At, ev.Last)
}

// discardMin is how much body must be left for it to be dropped inside the
// kernel: a small rest is cheaper to read along than to ask for.
const discardMin = 32 << 10

// settle takes the exchanges that have ended and decides what becomes of the
// connection. When its end is known to follow, the end decides.
func (w *worker) settle(i int32, at mono.Time, endFollows bool) {
	ended, broken := w.collect(i, at)
	c := &w.conns[i]
	if c.state != open || endFollows {
		return
	}
	peerCloses := c.codec != nil && c.codec.PeerCloses()
	switch {
	case c.out == 0 && peerCloses && (w.loop.Blocked(int(i)) || len(c.unsealed) > 0):
		w.leave(i, at, true) // answered before it had read the whole request
	case c.carrier.Reusable():
		w.startWaiting(i, at)
		w.touch(i)
		w.gotRoom(i, at)
	case ended && !broken && peerCloses:
		w.awaitClose(i, at)
	default:
		w.leave(i, at, true)
	}
}

// awaitClose leaves it to the peer to close, for a while.
func (w *worker) awaitClose(i int32, at mono.Time) {
	c := &w.conns[i]
	c.state, c.since = leaving, at
	w.timers.set(int(i), at.Add(leavingMax))
}

// collect records the exchanges that have ended, each of which makes room for
// the next of its slot; those that are handed back wait for the next connection.
// broken says that one ended so that what follows on the connection would mean
// nothing.
func (w *worker) collect(i int32, at mono.Time) (ended, broken bool) {
	c := &w.conns[i]
	for _, x := range c.carrier.Done() {
		c.out--
		ended = true
		switch x.Outcome {
		case exchange.Pending:
			w.handBack(c, x, at)
			continue
		case exchange.OK, exchange.BadStatus, exchange.BadBody:
		default:
			broken = true
		}
		c.useful, c.backOff = true, 0
		w.finish(x)
	}
	return ended, broken
}

// handBack lets an exchange wait for another connection, which the server has
// not seen, or has said not to have looked at. A server that says so on one
// connection after the other does not answer.
func (w *worker) handBack(c *conn, x *exchange.Exchange, at mono.Time) {
	switch {
	case c.useful || x.Restarts < restartsMax:
		if x.Sent != 0 {
			w.recorder.restarted++
			w.lastOut = at
		}
		if !c.useful {
			x.Restarts++
		}
		x.Sent, x.FirstByte = 0, 0
		c.carried-- // it was not, also where the connection stays
		c.waiting = append(c.waiting, x)
		return
	case x.Sent != 0:
		x.Outcome, x.Reason = exchange.Reset, exchange.Reason{Text: "handed back by the server again and again"}
	default:
		x.Outcome, x.Reason = exchange.ConnectFailed, exchange.Reason{Text: "the connection ended before the request could leave, again and again"}
	}
	x.Done = at
	w.finish(x)
}

// restartsMax is how often an exchange is started again after connections on which
// none ended.
const restartsMax = 5

// closed is called when the peer or an error has ended a connection.
func (w *worker) closed(i int32, ev *netloop.Event) {
	c := &w.conns[i]
	switch {
	case c.state == securing:
		w.handshakeCut(i, ev)
		return
	case c.state != open:
	case ev.Kind == netloop.WriteFailed:
		c.stamp()
		c.carrier.Abort(ev.At, exchange.WriteFailed, exchange.Reason{Text: "send", Errno: uint16(ev.Errno)})
		w.collect(i, ev.At)
	default:
		c.stamp()
		c.codec.End(ev.At, ev.Errno, c.secure == nil)
		w.collect(i, ev.At)
	}
	w.leave(i, ev.At, false)
}

// leave closes the socket. When an exchange waits for the connection, or the
// run will need it again, it connects anew.
func (w *worker) leave(i int32, now mono.Time, reset bool) {
	c := &w.conns[i]
	w.letGo(i, now, reset)
	switch {
	case !w.needs(c):
	case c.useful:
		w.want(i, now)
	default: // nothing has come of it: the next one is no hurry
		w.lastConnectError = exchange.Reason{Text: c.carrier.Fault()}
		if w.lastConnectError.Text == "" {
			w.lastConnectError.Text = "the server ended the connection before anything was asked"
		}
		w.backOff(i, now)
	}
}

// letGo closes the socket of a connection that is up.
func (w *worker) letGo(i int32, now mono.Time, reset bool) {
	c := &w.conns[i]
	w.hangUp(i, reset)
	w.opened--
	w.timers.set(int(i), 0)
	c.state, c.since, c.secure, c.unsealed = absent, now, nil, nil
}

// hangUp closes what connection i is carried by.
func (w *worker) hangUp(i int32, reset bool) {
	if w.quic != nil {
		w.quic.Disconnect(int(i))
		return
	}
	w.loop.Close(int(i), reset)
}

// needs reports whether a connection that is down is to be opened again.
func (w *worker) needs(c *conn) bool {
	return !w.ending || len(c.waiting) > 0 || w.backlog(w.lastTurn)
}

// next takes the exchange that has waited longest.
func (c *conn) next() *exchange.Exchange {
	x := c.waiting[0]
	c.waiting = c.waiting[:copy(c.waiting, c.waiting[1:])]
	return x
}
