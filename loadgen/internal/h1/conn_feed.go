package h1

import (
	"math"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// Feed takes bytes that arrived; now is when the read returned them. b is only
// used during the call. How a response is split over calls makes no difference.
// Bytes behind its end are a fault of the exchange until Done has returned it;
// after that they cost the connection.
func (c *Conn) Feed(now mono.Time, b []byte) {
	if len(b) == 0 {
		return
	}
	if c.x == nil {
		c.strayBytes()
		return
	}
	if c.x.Sent == 0 { // whatever this is, it is no response: FirstByte stays unset
		c.fail(now, exchange.ProtocolError, exchange.Reason{Text: faultUnsent})
		return
	}
	if c.x.FirstByte == 0 {
		c.x.FirstByte = now
	}
	for len(b) > 0 {
		var fault string
		b, fault = c.step(b)
		if c.phase == phaseComplete && len(b) > 0 {
			fault = faultExcess
		}
		if fault != "" {
			c.fail(now, exchange.ProtocolError, exchange.Reason{Text: fault})
			return
		}
	}
	if c.phase == phaseComplete {
		c.complete(now)
	}
}

// step takes as much of b as belongs to the present phase and returns the
// rest.
func (c *Conn) step(b []byte) (rest []byte, fault string) {
	switch c.phase {
	case phaseVersion, phaseStatus, phaseFields:
		return c.feedHead(b)
	case phaseSized, phaseUntilClose, phaseChunkData:
		n := min(int64(len(b)), c.remaining)
		if c.hashing {
			c.digest.Write(b[:n])
		}
		c.takeBody(n)
		return b[n:], ""
	case phaseChunkLine:
		return c.feedChunkLine(b)
	case phaseChunkEnd:
		return c.feedChunkEnd(b)
	case phaseTrailers:
		return c.feedTrailers(b)
	}
	return b, faultExcess // no other phase has an exchange out
}

// expectHead awaits a response's first byte.
func (c *Conn) expectHead() {
	c.phase = phaseVersion
	c.matched = 0
	c.lines.begin(len(versionPrefix))
}

// feedHead takes bytes of a head. A head that lies whole in b is looked up
// first, and remembered when it was not known.
func (c *Conn) feedHead(b []byte) (rest []byte, fault string) {
	var whole []byte // what the head begins with, when that is here
	if c.phase == phaseVersion && c.matched == 0 {
		if a, size := c.cfg.Heads.find(b); size > 0 {
			return b[size:], c.begin(a)
		}
		whole = b
	}
	if c.phase == phaseVersion {
		if b, fault = c.feedVersion(b); c.phase == phaseVersion {
			return b, fault
		}
	}
	for {
		var line []byte
		var fits bool
		line, b, fits = c.lines.next(b, maxHeadBytes)
		if !fits {
			return nil, faultHeadSize
		}
		if line == nil {
			return nil, ""
		}
		text := trimLineEnd(line)
		switch {
		case c.phase == phaseStatus:
			fault = c.head.statusLine(text)
			c.phase = phaseFields
		case len(text) > 0:
			fault = c.head.field(text)
		default:
			a, fault := c.head.answer()
			if fault != "" {
				return nil, fault
			}
			if whole != nil {
				c.cfg.Heads.remember(whole[:len(whole)-len(b)], a)
			}
			return b, c.begin(a)
		}
		if fault != "" {
			return nil, fault
		}
	}
}

// feedVersion matches what has arrived of versionPrefix.
func (c *Conn) feedVersion(b []byte) (rest []byte, fault string) {
	for len(b) > 0 && int(c.matched) < len(versionPrefix) {
		if b[0] != versionPrefix[c.matched] {
			return nil, faultNotHTTP
		}
		b = b[1:]
		c.matched++
	}
	if int(c.matched) == len(versionPrefix) {
		c.phase = phaseStatus
	}
	return b, ""
}

// begin acts upon a complete head: the body comes next, or another head when
// this one was an interim response (RFC 9110 section 15.2).
func (c *Conn) begin(a answer) (fault string) {
	if a.status < 200 {
		if c.interims == maxInterims {
			return faultInterims
		}
		c.interims++
		c.expectHead()
		return ""
	}
	c.x.Status = a.status
	c.keeps = a.keeps && !c.last
	if c.cfg.Request.Head {
		a.framing = noBody
	}
	switch a.framing {
	case sized:
		c.remaining = a.length
		c.phase = phaseSized
		if a.length == 0 {
			c.phase = phaseComplete
		}
	case chunked:
		c.lines.begin(0)
		c.phase = phaseChunkLine
	case untilClose:
		c.remaining = math.MaxInt64
		c.phase = phaseUntilClose
	case noBody:
		c.phase = phaseComplete
	}
	return ""
}

// takeBody accounts for n <= c.remaining bytes of payload.
func (c *Conn) takeBody(n int64) {
	c.x.BodyBytes += n
	c.remaining -= n
	if c.remaining > 0 {
		return
	}
	if c.phase == phaseChunkData {
		c.phase = phaseChunkEnd
		c.remaining = int64(len("\r\n"))
		return
	}
	c.phase = phaseComplete
}

// Skippable returns how many of the next bytes are payload that nobody needs to
// see: the rest of a body of known length or of a chunk, or a boundless number
// for a body until close. Elsewhere, and in a body that is hashed, it is 0.
func (c *Conn) Skippable() int64 {
	if c.hashing {
		return 0
	}
	switch c.phase {
	case phaseSized, phaseUntilClose, phaseChunkData:
		return c.remaining
	}
	return 0
}

// Skipped tells that n bytes arrived and were thrown away unseen; it does what
// Feed of them would have done. More than Skippable are a fault, as the framing
// is lost.
func (c *Conn) Skipped(now mono.Time, n int64) {
	if c.x == nil || n <= 0 {
		return
	}
	if n > c.Skippable() {
		c.fail(now, exchange.ProtocolError, exchange.Reason{Text: faultExcess})
		return
	}
	c.takeBody(n)
	if c.phase == phaseComplete {
		c.complete(now)
	}
}

// strayBytes notes bytes that no request asked for. The connection is given up:
// they would pass for the beginning of the next response.
func (c *Conn) strayBytes() {
	if c.finished && c.phase == phaseIdle {
		// In another piece than the end, and before anybody has seen it.
		c.done[0].Outcome, c.done[0].Reason = exchange.ProtocolError, exchange.Reason{Text: faultExcess}
		c.phase = phaseClosed
	}
	if c.phase == phaseIdle {
		c.keeps = false
	}
}
