package h2

import "golang.org/x/net/http2"

// Sizes of payloads that RFC 9113 section 6 fixes.
const (
	priorityBytes     = 5
	resetBytes        = 4
	settingBytes      = 6
	pingBytes         = 8
	goAwayMinBytes    = 8
	windowUpdateBytes = 4
)

// illegal returns what is wrong with a frame by its header alone and by what
// came before it; "": nothing. Whatever it is, it is a connection error.
func (c *Conn) illegal(f *frame) (fault string, code http2.ErrCode) {
	code = http2.ErrCodeProtocol
	if c.phase == phasePreface {
		switch {
		case f.looksLikeHTTP1():
			return faultHTTP1, code
		case f.typ != http2.FrameSettings || f.flags.Has(flagAck):
			return faultPreface, code
		}
	}
	switch open := c.fields.id; {
	case f.length > maxFrameBytes:
		return faultFrameSize, http2.ErrCodeFrameSize
	case open != 0 && (f.typ != http2.FrameContinuation || f.id != open):
		return faultInterrupted, code
	case open == 0 && f.typ == http2.FrameContinuation:
		return faultContinuation, code
	}
	if fault, code = c.illegalStream(f); fault != "" {
		return fault, code
	}
	if f.illegalLength() {
		return faultFrameLength, http2.ErrCodeFrameSize
	}
	return "", code
}

// illegalStream looks at the frame's stream, by the rules of RFC 9113 section
// 5.1 and of each type in section 6.
func (c *Conn) illegalStream(f *frame) (fault string, code http2.ErrCode) {
	code = http2.ErrCodeProtocol
	switch f.typ {
	case http2.FrameSettings, http2.FramePing, http2.FrameGoAway:
		if f.id != 0 {
			return faultOnStream, code
		}
		return "", code
	case http2.FramePushPromise:
		return faultPush, code
	case http2.FramePriority:
		if f.id == 0 {
			return faultOnConnection, code
		}
		return "", code
	case http2.FrameData, http2.FrameHeaders, http2.FrameRSTStream:
		if f.id == 0 {
			return faultOnConnection, code
		}
	case http2.FrameWindowUpdate:
		if f.id == 0 {
			return "", code
		}
	default: // CONTINUATION has been looked at; others are ignored anywhere
		return "", code
	}
	if f.id%2 == 0 || f.id >= c.streams.next {
		return faultIdle, code
	}
	s := c.streams.find(f.id)
	if s != nil && s.x.Sent == 0 { // for the server it is idle
		return faultUnsent, code
	}
	if s == nil && f.id > c.resetMax && (f.typ == http2.FrameData || f.typ == http2.FrameHeaders) {
		return faultClosed, http2.ErrCodeStreamClosed
	}
	return "", code
}

// illegalLength looks at the payload's length. PRIORITY is missing: its length
// is an error of the stream.
func (f *frame) illegalLength() bool {
	switch f.typ {
	case http2.FrameRSTStream:
		return f.length != resetBytes
	case http2.FrameSettings:
		return f.length%settingBytes != 0 || f.flags.Has(flagAck) && f.length > 0
	case http2.FramePing:
		return f.length != pingBytes
	case http2.FrameGoAway:
		return f.length < goAwayMinBytes
	case http2.FrameWindowUpdate:
		return f.length != windowUpdateBytes
	case http2.FrameData:
		return f.flags.Has(flagPadded) && f.length == 0
	}
	return false
}
