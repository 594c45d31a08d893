package h2

import (
	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
)

// fields gathers a block that comes in a HEADERS and CONTINUATION frames. No
// other frame may come in between (RFC 9113 section 4.3), so that one is enough.
type fields struct {
	bytes     []byte
	id        uint32 // of the stream; 0: no block is open
	frames    int    // CONTINUATION frames
	endStream bool   // the HEADERS had the flag
}

func (f *fields) begin(id uint32, endStream bool) {
	*f = fields{bytes: f.bytes[:0], id: id, endStream: endStream}
}

func (f *fields) end() { f.id = 0 }

// takeHeaders takes a HEADERS frame, RFC 9113 section 6.2.
func (c *Conn) takeHeaders(now mono.Time, payload []byte) {
	f := &c.frame
	padding := 0
	if f.flags.Has(flagPadded) {
		if len(payload) == 0 {
			c.failConnection(now, http2.ErrCodeFrameSize, faultFrameLength)
			return
		}
		padding = int(payload[0])
		payload = payload[1:]
	}
	if f.flags.Has(flagPriority) {
		if len(payload) < priorityBytes {
			c.failConnection(now, http2.ErrCodeFrameSize, faultFrameLength)
			return
		}
		payload = payload[priorityBytes:]
	}
	if padding > len(payload) {
		c.failConnection(now, http2.ErrCodeProtocol, faultPadding)
		return
	}
	fragment := payload[:len(payload)-padding]
	endStream := f.flags.Has(flagEndStream)
	if f.flags.Has(flagEndHeaders) {
		c.takeBlock(now, f.id, endStream, fragment)
		return
	}
	c.fields.begin(f.id, endStream)
	c.fields.bytes = append(c.fields.bytes, fragment...)
}

// takeContinuation takes more of a block. Its size and the number of frames are
// bounded: a server may send as many as it likes, empty ones included.
func (c *Conn) takeContinuation(now mono.Time, fragment []byte) {
	c.fields.frames++
	switch {
	case c.fields.frames > maxContinuations:
		c.failConnection(now, http2.ErrCodeEnhanceYourCalm, faultContinuations)
		return
	case len(c.fields.bytes)+len(fragment) > maxBlockBytes:
		c.failConnection(now, http2.ErrCodeEnhanceYourCalm, faultBlockSize)
		return
	}
	c.fields.bytes = append(c.fields.bytes, fragment...)
	if c.frame.flags.Has(flagEndHeaders) {
		id, endStream := c.fields.id, c.fields.endStream
		c.fields.end()
		c.takeBlock(now, id, endStream, c.fields.bytes)
	}
}

// takeBlock acts on a complete block. It is read whatever becomes of its
// stream, for it may change the dynamic table.
func (c *Conn) takeBlock(now mono.Time, id uint32, endStream bool, block []byte) {
	a, fault, err := c.decoder.decode(block)
	if err != nil {
		code, text := http2.ErrCodeCompression, faultCompression
		if err == errStringSize {
			code, text = http2.ErrCodeEnhanceYourCalm, faultListSize
		}
		c.failConnection(now, code, text)
		return
	}
	s := c.streams.find(id)
	if s == nil { // reset by us
		return
	}
	s.ended = endStream
	if fault == "" {
		fault = c.respond(s, a)
	}
	switch {
	case fault != "":
		c.failStream(now, s, http2.ErrCodeProtocol, fault)
	case endStream:
		c.complete(now, s)
	}
}

// respond takes what the fields of a stream's next block say: an interim
// response, the final one, or trailers (RFC 9113 section 8.1).
func (c *Conn) respond(s *stream, a answer) (fault string) {
	switch {
	case s.inBody && a.status != 0:
		return faultTrailerStatus
	case s.inBody && !s.ended:
		return faultTrailers
	case s.inBody:
		return ""
	case a.status == 0:
		return faultNoStatus
	case a.status == 101:
		return faultSwitching
	case a.status < 200 && s.ended:
		return faultInterimEnd
	case a.status < 200 && s.interims == maxInterims:
		return faultInterims
	case a.status < 200:
		s.interims++
		return ""
	}
	s.x.Status = a.status
	s.inBody = true
	s.bodiless = c.cfg.Request.head || a.status == 204 || a.status == 304
	if !s.bodiless { // else it tells of another response's body, section 8.1.1
		s.lengthBytes = a.lengthBytes
	}
	return ""
}
