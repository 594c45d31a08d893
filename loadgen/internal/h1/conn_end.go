package h1

import (
	"syscall"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// progress is how far a response has come.
type progress uint8

const (
	nothingYet progress = iota
	insideHead          // its first byte arrived, interim responses included
	insideBody          // its head is complete
)

func (c *Conn) progress() progress {
	switch {
	case c.x.FirstByte == 0:
		return nothingYet
	case c.phase <= phaseFields:
		return insideHead
	}
	return insideBody
}

// End takes the end of the transport connection: the peer's FIN (errno 0) or
// the error of recv. A FIN completes a body until close when it is clean: in
// TLS it could come from anybody and is only after a close_notify (RFC 9112
// section 9.8). Otherwise an
// exchange that is out ends as Reset when nothing came back and as ReadFailed
// when something did. An error of recv other than ECONNRESET is ReadFailed in
// either case: neither FIN nor RST arrived. An exchange whose request has not
// begun to leave is handed back pending, to be started on another connection.
func (c *Conn) End(now mono.Time, errno syscall.Errno, clean bool) {
	if c.x == nil {
		c.phase = phaseClosed
		return
	}
	if c.x.Sent == 0 { // it has not begun to leave: nothing has happened to it
		c.fail(now, exchange.Pending, exchange.Reason{})
		return
	}
	if c.phase == phaseUntilClose && errno == 0 && clean {
		c.complete(now)
		c.phase = phaseClosed
		return
	}
	how := c.progress()
	outcome := exchange.ReadFailed
	if how == nothingYet && (errno == 0 || errno == syscall.ECONNRESET) {
		outcome = exchange.Reset
	}
	reason := exchange.Reason{Text: textsClosed[how]}
	if errno != 0 {
		reason = exchange.Reason{Text: textsReceive[how], Errno: uint16(errno)}
	}
	c.fail(now, outcome, reason)
}

// Expire gives up the exchange that is out when its deadline has come; the
// connection goes with it, for the response may still arrive.
func (c *Conn) Expire(now mono.Time) {
	if deadline := c.Deadline(); deadline == 0 || now < deadline {
		return
	}
	if c.x.Sent == 0 { // its time has not begun
		c.x.Deadline = now.Add(c.cfg.Timeout)
		return
	}
	c.fail(now, exchange.Timeout, exchange.Reason{Text: textsTimeout[c.progress()]})
}

// Abort gives up the exchange that is out, and the connection, for a reason
// that the codec cannot see: a failed write, the end of the drain.
func (c *Conn) Abort(now mono.Time, outcome exchange.Outcome, reason exchange.Reason) {
	if c.x == nil {
		c.phase = phaseClosed
		return
	}
	c.fail(now, outcome, reason)
}

// complete ends the exchange with a complete response.
func (c *Conn) complete(now mono.Time) {
	x := c.x
	x.Outcome, x.Reason.Text = c.cfg.Expect.Judge(x.Status, x.BodyBytes)
	if c.hashing {
		x.Outcome, x.Reason.Text = c.digest.Judge(&c.cfg.Expect, x.Outcome, x.Reason.Text)
	}
	c.finish(now, phaseIdle)
}

// fail ends the exchange, and the connection, without one.
func (c *Conn) fail(now mono.Time, outcome exchange.Outcome, reason exchange.Reason) {
	c.x.Outcome, c.x.Reason = outcome, reason
	c.finish(now, phaseClosed)
}

// finish hands the exchange over to Done.
func (c *Conn) finish(now mono.Time, next phase) {
	c.x.Done = now
	c.done[0] = c.x
	c.finished = true
	c.x = nil
	c.out = nil
	c.phase = next
}
