package h2

import (
	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
)

// padUnread is the padding of a DATA frame whose first byte, the length of its
// padding, has not arrived.
const padUnread = -1

// beginData accounts for a DATA frame by its header. All of its payload counts
// for flow control, padding and closed streams included (RFC 9113 section 6.9).
func (c *Conn) beginData(now mono.Time) {
	size := int64(c.frame.length)
	c.unacked += size
	if c.unacked >= receiveWindow/2 {
		c.out = appendWindowUpdate(c.out, 0, c.unacked)
		c.unacked = 0
	}
	if s := c.streams.find(c.frame.id); s != nil && !c.frame.flags.Has(flagEndStream) {
		s.unacked += size
		if s.unacked >= receiveWindow/2 {
			c.out = appendWindowUpdate(c.out, s.id, s.unacked)
			s.unacked = 0
		}
	}
	c.padding = padUnread
	if !c.frame.flags.Has(flagPadded) {
		c.padding = 0
		c.expectData(now, size)
	}
}

// expectData looks whether n bytes of body may come. It is asked before they
// do, so that what counts does not depend on how they are split.
func (c *Conn) expectData(now mono.Time, n int64) {
	s := c.streams.find(c.frame.id)
	switch {
	case s == nil: // reset by us
	case !s.inBody:
		c.failStream(now, s, http2.ErrCodeProtocol, faultDataFirst)
	case s.bodiless && n > 0:
		c.failStream(now, s, http2.ErrCodeProtocol, faultBodiless)
	case s.lengthBytes >= 0 && s.x.BodyBytes+n > s.lengthBytes:
		c.failStream(now, s, http2.ErrCodeProtocol, faultLonger)
	}
}

// takeData counts body bytes as they pass by.
func (c *Conn) takeData(now mono.Time, b []byte) (rest []byte, whole bool) {
	if c.padding == padUnread {
		if len(b) == 0 {
			return nil, false
		}
		c.padding = int(b[0])
		c.toCome--
		b = b[1:]
		if c.padding > c.toCome {
			c.failConnection(now, http2.ErrCodeProtocol, faultPadding)
			return nil, false
		}
		c.expectData(now, int64(c.toCome-c.padding))
	}
	n := min(len(b), c.toCome)
	data := min(n, max(0, c.toCome-c.padding))
	c.toCome -= n
	s := c.streams.find(c.frame.id)
	if s != nil {
		s.x.BodyBytes += int64(data)
		if s.id == c.hashed {
			c.digest.Write(b[:data])
		}
	}
	if c.toCome > 0 {
		return nil, false
	}
	if s != nil && c.frame.flags.Has(flagEndStream) {
		c.complete(now, s)
	}
	return b[n:], true
}
