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
//	             +- resting <-------------+   after a failed attempt
type connState uint8

const (
	absent     connState = iota // no socket, none wanted
	queued                      // wants to connect; waits for one of connectingMax places
	connecting                  // TCP handshake under way
	securing                    // TLS handshake under way
	resting                     // the last attempt failed; waits out its back-off
	open                        // up: idle, or with exchanges out
	leaving                     // its last exchange is done; waits for the peer's FIN
)

// conn is one connection of a worker, over all the sockets it has in its life.
type conn struct {
	codec   codec
	secure  *transport.Conn // nil: in cleartext, or no socket yet
	state   connState
	touched bool                 // it may have something to send
	full    bool                 // exchanges wait although the connection is up
	waiting []*exchange.Exchange // intended, but the connection could not carry them yet; in order
	out     int                  // exchanges that are out on it
	sent    mono.Time            // when what was queued last began to leave; 0: it has not, or its codec knows
	carried int                  // exchanges started on this socket
	served  uint64               // exchanges that ended ok inside the window
	since   mono.Time            // when the state was entered
	backOff time.Duration        // how long to rest after the next failure
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
		codec: c.codec, secure: c.secure, state: open, touched: c.touched,
		waiting: c.waiting, served: c.served, since: at,
	}
	c.codec.Open()
	w.startWaiting(i, at)
	w.touch(i)
}

// connectFailed ends the exchanges that waited for the connection, and lets the
// connection rest before it is tried again.
func (w *worker) connectFailed(i int32, at mono.Time, why exchange.Reason) {
	c := &w.conns[i]
	w.lastConnectError = why
	c.backOff = min(max(2*c.backOff, backOffMin), backOffMax)
	c.state, c.since = resting, at
	w.timers.set(int(i), at.Add(c.backOff))
	for n := len(c.waiting); n > 0; n-- { // each that ends begins another, which waits again
		x := c.next()
		x.Done, x.Outcome, x.Reason = at, exchange.ConnectFailed, why
		w.finish(x)
	}
}

// due is called when a connection's timer has run out.
func (w *worker) due(i int32, now mono.Time) {
	c := &w.conns[i]
	switch c.state {
	case connecting, securing:
		what := "connect"
		if c.state == securing {
			what = handshakeText
			w.abandonHandshake(c)
		}
		w.loop.Close(int(i), true)
		w.connectingNow--
		w.connectFailed(i, now, exchange.Reason{Text: what, Errno: uint16(syscall.ETIMEDOUT)})
	case resting:
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
	c.codec.Expire(now)
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
	switch {
	case c.out == 0 && w.plan.Protocol == HTTP1 && w.loop.Blocked(int(i)):
		w.leave(i, at, true) // answered before it had read the whole request
	case c.codec.Reusable():
		w.startWaiting(i, at)
		w.touch(i)
	case ended && !broken && w.plan.Protocol == HTTP1: // who was told, or said, that this was the last, closes
		c.state, c.since = leaving, at
		w.timers.set(int(i), at.Add(leavingMax))
	default:
		w.leave(i, at, true)
	}
}

// collect records the exchanges that have ended, each of which makes room for
// the next of its slot; those that are handed back wait for the next connection.
// broken says that one ended so that what follows on the connection would mean
// nothing.
func (w *worker) collect(i int32, at mono.Time) (ended, broken bool) {
	c := &w.conns[i]
	for _, x := range c.codec.Done() {
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
		w.finish(x)
	}
	return ended, broken
}

// handBack lets an exchange wait for another connection, which the server has
// not seen, or has said not to have looked at. A server that says so again and
// again does not answer.
func (w *worker) handBack(c *conn, x *exchange.Exchange, at mono.Time) {
	if x.Sent != 0 {
		if x.Restarts == restartsMax {
			x.Done, x.Outcome, x.Reason = at, exchange.Reset, exchange.Reason{Text: "handed back by the server again and again"}
			w.finish(x)
			return
		}
		w.recorder.restarted++
		x.Restarts++
		x.Sent = 0
	}
	c.waiting = append(c.waiting, x)
}

// restartsMax is how often an exchange is started again.
const restartsMax = 10

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
		c.codec.Abort(ev.At, exchange.WriteFailed, exchange.Reason{Text: "send", Errno: uint16(ev.Errno)})
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
	w.loop.Close(int(i), reset)
	w.opened--
	w.timers.set(int(i), 0)
	c.state, c.since, c.secure = absent, now, nil
	if w.needs(c) {
		w.want(i, now)
	}
}

// needs reports whether a connection that is down is to be opened again.
func (w *worker) needs(c *conn) bool { return !w.ending || len(c.waiting) > 0 }

// next takes the exchange that has waited longest.
func (c *conn) next() *exchange.Exchange {
	x := c.waiting[0]
	c.waiting = c.waiting[:copy(c.waiting, c.waiting[1:])]
	return x
}
