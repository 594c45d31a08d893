package h2

import (
	"encoding/binary"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
)

// outBytesMax is where Out stops adding requests and bodies. It keeps the two
// buffers of a connection small, and the stamp of a request close to when its
// own bytes leave.
const outBytesMax = 64 << 10

// Out returns the bytes to hand to the kernel now; nil: there are none. more
// tells that another call would return something right away. It is to be called
// when all bytes of the call before have left, for these stay unchanged only
// until then.
//
// After a connection fault it returns, once, the GOAWAY that tells the server.
func (c *Conn) Out() (b []byte, more bool) {
	if c.phase != phaseClosed {
		c.sendBodies()
		c.openStreams()
		more = c.queued.size() > 0 && c.mayOpen() || c.senders.size() > 0 && c.sendWindow > 0
	}
	if len(c.out) == 0 {
		return nil, false
	}
	c.out, c.taken = c.taken[:0], c.out
	c.replyBytes = 0
	return c.taken, more
}

// mayOpen reports whether the server's limit leaves room for a stream.
func (c *Conn) mayOpen() bool { return int64(c.streams.open) < c.settings.maxStreams }

// openStreams gives queued exchanges a stream each.
func (c *Conn) openStreams() {
	request := c.cfg.Request
	for c.queued.size() > 0 && c.mayOpen() && len(c.out) < outBytesMax {
		s := c.streams.add(c.queued.front())
		if s == nil { // more identifiers were skipped than Free could know
			c.leaving = true
			c.handBackQueued()
			return
		}
		c.queued.pop()
		if c.hashNext {
			c.hashNext, c.hashed = false, s.id
		}
		s.sendWindow = c.settings.initialWindow
		c.appendHeaders(s.id)
		if len(request.body) > 0 {
			c.addSender(s)
			c.sendBodies()
		}
	}
}

// appendHeaders appends the request's HEADERS. Nearly always its frame is there
// as it is, but for the stream's identifier.
func (c *Conn) appendHeaders(id uint32) {
	block, update := c.table.next(c.cfg.Request)
	if update == nil && len(block.fields()) <= maxFrameBytes {
		at := len(c.out)
		c.out = append(c.out, block.frame...)
		binary.BigEndian.PutUint32(c.out[at+5:], id)
		return
	}
	fields := block.fields()
	if update != nil {
		fields = append(update, fields...)
	}
	typ, flags := http2.FrameHeaders, block.flags()&flagEndStream
	for {
		piece := fields[:min(len(fields), c.settings.maxFrameBytes)]
		fields = fields[len(piece):]
		if len(fields) == 0 {
			flags |= flagEndHeaders
		}
		c.out = appendFrame(c.out, len(piece), typ, flags, id)
		c.out = append(c.out, piece...)
		if len(fields) == 0 {
			return
		}
		typ, flags = http2.FrameContinuation, 0
	}
}

// addSender lets a stream send what its window allows of the body, if it can
// and does not do so already.
func (c *Conn) addSender(s *stream) {
	if s.sending || s.sendWindow <= 0 || s.sentBytes == len(c.cfg.Request.body) {
		return
	}
	if c.senders.size() > len(c.streams.cells) {
		// Most have ended, behind one that waits for the connection's window.
		c.senders.filter(func(id uint32) bool { return c.streams.find(id) != nil })
	}
	s.sending = true
	c.senders.push(s.id)
}

// sendBodies appends DATA as far as the windows and outBytesMax allow. The first
// sender goes on until it can no more: bodies arrive one after the other rather
// than all at the end.
func (c *Conn) sendBodies() {
	body := c.cfg.Request.body
	for c.senders.size() > 0 {
		s := c.streams.find(c.senders.front())
		if s == nil { // it has ended
			c.senders.pop()
			continue
		}
		left := len(body) - s.sentBytes
		if s.sendWindow <= 0 || left == 0 {
			s.sending = false // until addSender
			c.senders.pop()
			continue
		}
		room := outBytesMax - len(c.out)
		if room <= 0 || c.sendWindow <= 0 {
			return
		}
		n := min(left, room, c.settings.maxFrameBytes, int(min(s.sendWindow, c.sendWindow)))
		flags := http2.Flags(0)
		if n == left {
			flags = flagEndStream
		}
		c.out = appendFrame(c.out, n, http2.FrameData, flags, s.id)
		c.out = append(c.out, body[s.sentBytes:s.sentBytes+n]...)
		s.sentBytes += n
		s.sendWindow -= int64(n)
		c.sendWindow -= int64(n)
	}
}

// Stamp tells when the first byte of what Out returned last left: the exchanges
// whose HEADERS were in it were sent then, and their timeout counts from then.
// It has to be called before what arrived later is fed: a response to a request
// that is not known to have left is a fault.
func (c *Conn) Stamp(at mono.Time) {
	for s := c.streams.newest; s != nil && s.x.Sent == 0; s = s.older {
		s.x.Sent = at
		if c.cfg.Timeout > 0 {
			s.x.Deadline = at.Add(c.cfg.Timeout)
		}
	}
}
