package h2

import (
	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
)

// Feed takes bytes that arrived; now is when the read returned them. b is only
// used during the call. How the bytes are split over calls makes no difference
// but for the stamps.
func (c *Conn) Feed(now mono.Time, b []byte) {
	for c.phase != phaseClosed {
		if !c.inFrame {
			if b, c.inFrame = c.takeHeader(b); !c.inFrame {
				return
			}
			c.begin(now)
			continue
		}
		var whole bool
		switch {
		case c.frame.typ == http2.FrameData:
			b, whole = c.takeData(now, b)
		case c.frame.ignored():
			b, whole = c.takeIgnored(b)
		default:
			b, whole = c.takePayload(now, b)
		}
		if !whole {
			return
		}
		c.inFrame = false
	}
}

// takeHeader takes a frame's header; whole is false when b ends within it.
func (c *Conn) takeHeader(b []byte) (rest []byte, whole bool) {
	if c.headerBytes == 0 && len(b) >= frameHeaderBytes {
		c.frame = parseFrame(b)
		return b[frameHeaderBytes:], true
	}
	n := copy(c.header[c.headerBytes:], b)
	c.headerBytes += n
	if c.headerBytes < frameHeaderBytes {
		return nil, false
	}
	c.headerBytes = 0
	c.frame = parseFrame(c.header[:])
	return b[n:], true
}

// begin acts on a frame's header, before anything of its payload: what it alone
// shows to be wrong is told without waiting for the rest.
func (c *Conn) begin(now mono.Time) {
	f := &c.frame
	if fault, code := c.illegal(f); fault != "" {
		c.failConnection(now, code, fault)
		return
	}
	c.phase = phaseOpen
	c.toCome = f.length
	switch f.typ {
	case http2.FrameHeaders:
		c.firstByte(now)
	case http2.FrameData:
		c.firstByte(now)
		c.beginData(now)
	case http2.FramePriority:
		// A stream error in any case; only on an open stream there is one to fail.
		if s := c.streams.find(f.id); s != nil && f.length != priorityBytes {
			c.failStream(now, s, http2.ErrCodeFrameSize, faultFrameLength)
		}
	}
}

// firstByte notes that a response has begun.
func (c *Conn) firstByte(now mono.Time) {
	if s := c.streams.find(c.frame.id); s != nil && s.x.FirstByte == 0 {
		s.x.FirstByte = now
	}
}

// ignored reports whether nobody looks at the frame's payload: priorities, and
// frames that we do not know (RFC 9113 section 5.5).
func (f *frame) ignored() bool {
	return f.typ == http2.FramePriority || f.typ > http2.FrameContinuation
}

// takeIgnored passes over a payload.
func (c *Conn) takeIgnored(b []byte) (rest []byte, whole bool) {
	n := min(len(b), c.toCome)
	c.toCome -= n
	return b[n:], c.toCome == 0
}

// takePayload takes a payload and acts on it when it is complete. One that lies
// whole in b is used in place; only another is gathered, in a buffer of at most
// maxFrameBytes that is kept.
func (c *Conn) takePayload(now mono.Time, b []byte) (rest []byte, whole bool) {
	size := c.frame.length
	if len(c.payload) == 0 && len(b) >= size {
		c.act(now, b[:size])
		return b[size:], true
	}
	n := min(len(b), size-len(c.payload))
	c.payload = append(c.payload, b[:n]...)
	if len(c.payload) < size {
		return nil, false
	}
	c.act(now, c.payload)
	c.payload = c.payload[:0]
	return b[n:], true
}

// act acts on a complete frame, whose header was found legal.
func (c *Conn) act(now mono.Time, payload []byte) {
	switch c.frame.typ {
	case http2.FrameHeaders:
		c.takeHeaders(now, payload)
	case http2.FrameContinuation:
		c.takeContinuation(now, payload)
	case http2.FrameRSTStream:
		c.takeReset(now, payload)
	case http2.FrameSettings:
		c.takeSettings(now, payload)
	case http2.FramePing:
		c.takePing(now, payload)
	case http2.FrameGoAway:
		c.takeGoAway(now, payload)
	case http2.FrameWindowUpdate:
		c.takeWindowUpdate(now, payload)
	}
}

// Skippable returns 0: frames stand between the bytes of a body, so that all
// have to be looked at.
func (c *Conn) Skippable() int64 { return 0 }

// Skipped tells that n bytes were thrown away unseen. The framing is lost.
func (c *Conn) Skipped(now mono.Time, n int64) {
	if n > 0 && c.phase != phaseClosed {
		c.failConnection(now, http2.ErrCodeInternal, faultSkipped)
	}
}
