package quicnet

import (
	"context"
	"errors"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/h3"
)

// Conn carries the exchanges of one connection. The engine's lock is held in
// all its methods.
type Conn struct {
	e      *Engine
	index  int
	socket *socket

	q          *quic.Conn // nil: down
	generation uint64     // of Connect and Disconnect
	giveUp     context.CancelCauseFunc
	early      bool       // it carries exchanges, and its handshake has not come to its end
	began      mono.Time  // its handshake
	control    h3.Control // what the server has said
	leaving    bool       // no further exchange
	fault      string     // why we gave it up; "": we did not

	next    *quic.Stream  // opened, and not used yet
	opening bool          // it is waited for that the server allows one more
	opener  chan struct{} // wakes who waits for it; nil: not started
	limited bool          // the server has not allowed as many as were asked for
	most    int           // exchanges that were out at a time

	fresh  bool            // no exchange was started on this QUIC connection
	digest exchange.Digest // of the first body

	streams []stream
	free    []*stream
	unsent  []*stream // started, and not handed to the kernel yet
	out     int
	due     mono.Time // no exchange that is out has an earlier deadline; 0: none has one

	done     []*exchange.Exchange // for the next Done
	returned []*exchange.Exchange // what the last Done returned
}

func (c *Conn) init(e *Engine, i int) {
	*c = Conn{e: e, index: i, socket: e.sockets[i%len(e.sockets)]}
	c.streams = make([]stream, e.cfg.Streams)
	c.free = make([]*stream, 0, e.cfg.Streams)
	for k := range c.streams {
		s := &c.streams[k]
		s.c = c
		s.ended = s.finalSizeKnown
		c.free = append(c.free, s)
	}
}

// reset forgets the last QUIC connection.
func (c *Conn) reset() {
	c.control, c.leaving, c.fault = h3.Control{}, false, ""
	c.drop()
}

// drop forgets what belongs to a QUIC connection that is over or begins anew.
func (c *Conn) drop() {
	c.next, c.opening, c.opener, c.fresh = nil, false, nil, true
	c.unsent = c.unsent[:0]
}

// StreamsMax returns how many exchanges the connection has been seen to carry at
// a time, when the server allowed no more.
func (c *Conn) StreamsMax() int {
	if c.limited {
		return c.most
	}
	return c.e.cfg.Streams
}

// Free returns how many exchanges Start would take now: one or none, because a
// QUIC stream is opened for it here. Only that tells whether the server allows
// one (RFC 9000 section 4.6).
func (c *Conn) Free() int {
	if c.q == nil || c.leaving || c.fault != "" || len(c.free) == 0 || c.opening {
		return 0
	}
	if c.next != nil {
		return 1
	}
	s, err := c.q.OpenStream()
	if err == nil {
		c.next = s
		return 1
	}
	var limit *quic.StreamLimitReachedError
	if errors.As(err, &limit) {
		c.most, c.limited, c.opening = max(c.most, c.out), true, true
		if c.opener == nil {
			c.opener = make(chan struct{}, 1)
			q, wanted := c.q, c.opener
			c.e.running.Go(func() { c.openLoop(q, wanted) })
		}
		wake(c.opener)
	}
	return 0
}

// openLoop opens a stream whenever the server allows one more, as often as the
// connection is found full. It ends with the QUIC connection.
func (c *Conn) openLoop(q *quic.Conn, wanted <-chan struct{}) {
	for {
		select {
		case <-wanted:
		case <-q.Context().Done():
			return
		}
		s, err := q.OpenStreamSync(q.Context())
		at := c.e.cfg.Clock.Now()
		c.e.mu.Lock()
		if err == nil && c.q == q && c.opening {
			c.opening, c.next = false, s
			c.e.cfg.Handler.Progress(c.index, at)
		}
		c.e.mu.Unlock()
	}
}

// Start begins an exchange; last asks that it be the connection's last.
func (c *Conn) Start(x *exchange.Exchange, now mono.Time, last bool) bool {
	if c.Free() == 0 {
		return false
	}
	s := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	c.leaving = last
	c.out++
	c.most = max(c.most, c.out)
	c.unsent = append(c.unsent, s)
	qs := c.next
	c.next = nil
	if c.out == 1 {
		c.due = 0
	}
	s.start(qs, x, now)
	return true
}

// stamp is told when so many bytes of the connection are handed to the kernel. What
// is in them is sealed, but requests leave in the order in which they were started,
// and only as many can be among them as there is room for: an acknowledgement, or
// the probe of a connection whose server does not answer, is none.
func (c *Conn) stamp(at mono.Time, bytes int) {
	n := 0
	for cost := c.e.requestBytes(); n < len(c.unsent) && bytes >= cost; bytes -= cost {
		s := c.unsent[n]
		n++
		s.x.Sent = at
		if c.e.cfg.Timeout > 0 {
			s.x.Deadline = at.Add(c.e.cfg.Timeout)
		}
	}
	c.unsent = append(c.unsent[:0], c.unsent[n:]...)
}

// Done returns the exchanges that have ended since the last call; those that are
// pending the server has not looked at.
func (c *Conn) Done() []*exchange.Exchange {
	c.done, c.returned = c.returned[:0], c.done
	return c.returned
}

// Reusable reports whether there is a reason to keep the connection.
func (c *Conn) Reusable() bool { return c.q != nil && (c.out > 0 || !c.leaving && c.fault == "") }

// Fault returns what went wrong while there was no exchange to tell it.
func (c *Conn) Fault() string { return c.fault }

// Deadline returns when Expire has to be called; zero: never. The exchange that it
// is of may have ended meanwhile: looking for the next each time would cost more
// than to be called in vain.
func (c *Conn) Deadline() mono.Time {
	if c.out == 0 {
		return 0
	}
	return c.due
}

// Expire ends the exchanges whose deadline has passed.
func (c *Conn) Expire(now mono.Time) {
	c.due = 0
	for k := range c.streams {
		s := &c.streams[k]
		switch {
		case s.x == nil || s.x.Deadline == 0:
		case s.x.Deadline <= now:
			s.cancel()
			s.end(now, exchange.Timeout, exchange.Reason{})
		default:
			c.dueBy(s.x.Deadline)
		}
	}
}

// dueBy makes Deadline no later than an instant.
func (c *Conn) dueBy(at mono.Time) {
	if c.due == 0 || at < c.due {
		c.due = at
	}
}

// Abort ends the exchanges that are out with an outcome of the worker's.
func (c *Conn) Abort(now mono.Time, o exchange.Outcome, why exchange.Reason) {
	for k := range c.streams {
		if s := &c.streams[k]; s.x != nil {
			s.cancel()
			s.end(now, o, why)
		}
	}
}

// endAll ends the exchanges of a connection that has ended by err.
func (c *Conn) endAll(now mono.Time, err error) {
	for k := range c.streams {
		if s := &c.streams[k]; s.x != nil {
			s.cut(now, connectionReason(err))
		}
	}
	if c.fault == "" {
		c.fault = connectionReason(err)
	}
}

// handBackAll gives back what the server has not looked at.
func (c *Conn) handBackAll(now mono.Time) {
	for k := range c.streams {
		if s := &c.streams[k]; s.x != nil {
			s.end(now, exchange.Pending, exchange.Reason{})
		}
	}
}

// fail gives the connection up for a fault of the server's.
func (c *Conn) fail(now mono.Time, f h3.Fault) {
	c.fault = f.Text
	for k := range c.streams {
		if s := &c.streams[k]; s.x != nil {
			s.end(now, exchange.ProtocolError, exchange.Reason{Text: f.Text})
		}
	}
	c.close(quic.ApplicationErrorCode(f.Code), f.Text)
}

// goAway acts on a GOAWAY: the streams from id on the server does not look at
// (RFC 9114 section 5.2), and no further one may be opened.
func (c *Conn) goAway(now mono.Time, id uint64) {
	c.leaving = true
	for k := range c.streams {
		if s := &c.streams[k]; s.x != nil && uint64(s.quic.StreamID()) >= id {
			s.cancel()
			s.end(now, exchange.Pending, exchange.Reason{})
		}
	}
}

// look moves responses to requests sent before an instant, whose end has not
// come, to those that are read as they arrive.
func (c *Conn) look(before mono.Time) {
	for k := range c.streams {
		if s := &c.streams[k]; s.x != nil && !s.patient && s.x.Sent != 0 && s.x.Sent < before {
			s.quic.SetReceiveFinalSizeCallback(nil)
			s.bePatient()
		}
	}
}
