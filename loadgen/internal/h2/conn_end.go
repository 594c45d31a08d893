package h2

import (
	"syscall"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// complete ends a stream's exchange with the response that END_STREAM closed.
// The rest of a request's body that the server did not wait for is not sent.
func (c *Conn) complete(now mono.Time, s *stream) {
	s.ended = true
	x := s.x
	if s.lengthBytes >= 0 && x.BodyBytes != s.lengthBytes {
		c.failStream(now, s, http2.ErrCodeProtocol, faultShorter)
		return
	}
	if s.sentBytes < len(c.cfg.Request.body) {
		c.out = appendReset(c.out, s.id, http2.ErrCodeNo)
	}
	c.answered = true
	outcome, text := c.cfg.Expect.Judge(x.Status, x.BodyBytes)
	if s.id == c.hashed {
		outcome, text = c.digest.Judge(&c.cfg.Expect, outcome, text)
	}
	c.finish(now, s, outcome, exchange.Reason{Text: text})
}

// failStream ends one stream because of what the server did on it.
func (c *Conn) failStream(now mono.Time, s *stream, code http2.ErrCode, fault string) {
	c.reset(s, code)
	c.finish(now, s, exchange.ProtocolError, exchange.Reason{Text: fault})
}

// reset tells the server that a stream is given up, unless both sides have said
// all already.
func (c *Conn) reset(s *stream, code http2.ErrCode) {
	if s.ended && s.sentBytes == len(c.cfg.Request.body) {
		return
	}
	c.out = appendReset(c.out, s.id, code)
	if !s.ended { // frames of it may be on their way
		c.resetMax = max(c.resetMax, s.id)
	}
}

// finish ends a stream and hands its exchange over to Done.
func (c *Conn) finish(now mono.Time, s *stream, outcome exchange.Outcome, reason exchange.Reason) {
	x := s.x
	c.streams.remove(s)
	c.handOver(now, x, outcome, reason)
}

func (c *Conn) handOver(now mono.Time, x *exchange.Exchange, outcome exchange.Outcome, reason exchange.Reason) {
	x.Outcome, x.Reason = outcome, reason
	if outcome != exchange.Pending {
		x.Done = now
	}
	c.done = append(c.done, x)
}

// handBackQueued hands back what has no stream: nothing has happened to it.
func (c *Conn) handBackQueued() {
	for ; c.queued.size() > 0; c.queued.pop() {
		c.handOver(0, c.queued.front(), exchange.Pending, exchange.Reason{})
	}
}

// handBackUnsent hands back what has not begun to leave, with a stream or
// without.
func (c *Conn) handBackUnsent() {
	for s := c.streams.newest; s != nil && s.x.Sent == 0; s = c.streams.newest {
		c.finish(0, s, exchange.Pending, exchange.Reason{})
	}
	c.handBackQueued()
}

// failConnection gives the connection up because of what the server did, and
// with it all exchanges that are out. What has not begun to leave is handed
// back.
func (c *Conn) failConnection(now mono.Time, code http2.ErrCode, fault string) {
	c.fault = fault
	c.out = appendGoAway(c.out, code)
	c.handBackUnsent()
	for s := c.streams.oldest; s != nil; s = c.streams.oldest {
		c.finish(now, s, exchange.ProtocolError, exchange.Reason{Text: fault})
	}
	c.phase = phaseClosed
}

// End takes the end of the transport connection: the peer's FIN (errno 0) or
// the error of recv. An exchange that is out ends as Reset when nothing came
// back and as ReadFailed when something did. An error of recv other than
// ECONNRESET is ReadFailed in either case: neither FIN nor RST arrived. One that
// has not begun to leave is handed back. That a FIN is clean, which in TLS it is
// after a close_notify, makes no difference: the end of a stream is a flag, never
// the FIN.
func (c *Conn) End(now mono.Time, errno syscall.Errno, _ bool) {
	if c.phase == phaseClosed {
		return
	}
	c.handBackUnsent()
	for s := c.streams.oldest; s != nil; s = c.streams.oldest {
		how := s.progress()
		outcome := exchange.ReadFailed
		if how == nothingYet && (errno == 0 || errno == syscall.ECONNRESET) {
			outcome = exchange.Reset
		}
		reason := exchange.Reason{Text: textsClosed[how]}
		switch {
		case c.goAway != "":
			reason = exchange.Reason{Text: c.goAway, Errno: uint16(errno)}
		case errno != 0:
			reason = exchange.Reason{Text: textsReceive[how], Errno: uint16(errno)}
		}
		c.finish(now, s, outcome, reason)
	}
	c.close()
}

// close forgets what was to leave.
func (c *Conn) close() {
	c.phase = phaseClosed
	c.out = c.out[:0]
}

// progress is how far a response has come.
type progress uint8

const (
	nothingYet progress = iota
	insideHead          // its first frame's header arrived, interim responses included
	insideBody          // its head is complete
)

func (s *stream) progress() progress {
	switch {
	case s.x.FirstByte == 0:
		return nothingYet
	case !s.inBody:
		return insideHead
	}
	return insideBody
}

// Expire gives up the exchanges whose deadline has come, and tells the server.
// The connection lives on: what arrives of them later is ignored. The time of
// one that has not begun to leave has not begun either: its deadline moves on.
func (c *Conn) Expire(now mono.Time) {
	for s := c.streams.oldest; s != nil; {
		x, newer := s.x, s.newer
		if x.Deadline == 0 || now < x.Deadline {
			break
		}
		if x.Sent == 0 {
			x.Deadline = now.Add(c.cfg.Timeout)
		} else {
			c.reset(s, http2.ErrCodeCancel)
			c.finish(now, s, exchange.Timeout, exchange.Reason{Text: textsTimeout[s.progress()]})
		}
		s = newer
	}
	for _, x := range c.queued.all() {
		if x.Deadline == 0 || now < x.Deadline {
			break
		}
		x.Deadline = now.Add(c.cfg.Timeout)
	}
}

// Abort gives up the connection with all exchanges, those that have not begun
// to leave included, for a reason that the codec cannot see: a failed write, the
// end of the drain.
func (c *Conn) Abort(now mono.Time, outcome exchange.Outcome, reason exchange.Reason) {
	for s := c.streams.oldest; s != nil; s = c.streams.oldest {
		c.finish(now, s, outcome, reason)
	}
	for ; c.queued.size() > 0; c.queued.pop() {
		c.handOver(now, c.queued.front(), outcome, reason)
	}
	c.close()
}
