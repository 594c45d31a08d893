package h2

import (
	"encoding/binary"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// takeReset ends a stream that the server gave up. One that it refused because
// it was over a limit that could not be known when it was opened is handed back:
// RFC 9113 section 8.7 promises that it was not processed. Any other refusal is
// the server's answer, and counts.
func (c *Conn) takeReset(now mono.Time, payload []byte) {
	s := c.streams.find(c.frame.id)
	if s == nil { // its response is complete, or we gave it up ourselves
		return
	}
	code := http2.ErrCode(binary.BigEndian.Uint32(payload))
	outcome, reason := exchange.ReadFailed, exchange.Reason{Text: textOf(&textsReset, code)}
	switch {
	case code == http2.ErrCodeRefusedStream && s.surplus && s.x.FirstByte == 0:
		outcome, reason = exchange.Pending, exchange.Reason{}
	case s.x.FirstByte == 0:
		outcome = exchange.Reset
	}
	c.finish(now, s, outcome, reason)
}

// takeWindowUpdate lets more be sent, RFC 9113 section 6.9.
func (c *Conn) takeWindowUpdate(now mono.Time, payload []byte) {
	increment := int64(binary.BigEndian.Uint32(payload) & idMask)
	if c.frame.id == 0 {
		c.sendWindow += increment
		switch {
		case increment == 0:
			c.failConnection(now, http2.ErrCodeProtocol, faultNoIncrement)
		case c.sendWindow > maxWindow:
			c.failConnection(now, http2.ErrCodeFlowControl, faultWindow)
		}
		return
	}
	s := c.streams.find(c.frame.id)
	if s == nil {
		return
	}
	s.sendWindow += increment
	switch {
	case increment == 0:
		c.failStream(now, s, http2.ErrCodeProtocol, faultNoIncrement)
	case s.sendWindow > maxWindow:
		c.failStream(now, s, http2.ErrCodeFlowControl, faultWindow)
	default:
		c.addSender(s)
	}
}

// takeGoAway ends the taking of exchanges (RFC 9113 section 6.8). Streams above
// the last one that the server looked at are handed back; the others may finish.
// The server may say it again, with a lower one.
//
// An error before the first response of a connection would meet the next
// connection too, again and again, and nobody would be told. So it fails what it
// could have handed back.
func (c *Conn) takeGoAway(now mono.Time, payload []byte) {
	last := binary.BigEndian.Uint32(payload) & idMask
	code := http2.ErrCode(binary.BigEndian.Uint32(payload[4:]))
	c.leaving = true
	outcome, reason := exchange.Pending, exchange.Reason{}
	if code != http2.ErrCodeNo {
		c.goAway = textOf(&textsGoAway, code)
		if !c.answered {
			outcome, reason = exchange.Reset, exchange.Reason{Text: c.goAway}
		}
	}
	for s := c.streams.newest; s != nil && s.id > last; {
		older := s.older
		if s.x.Sent == 0 {
			c.finish(now, s, exchange.Pending, exchange.Reason{})
		} else {
			c.finish(now, s, outcome, reason)
		}
		s = older
	}
	c.handBackQueued()
}
