package h3

import "github.com/scalws/scalbench/loadgen/internal/exchange"

// Response reads what comes back on one request stream. It is owned by whoever
// feeds it, and of use after Begin, for one exchange after the other.
//
// Feed is on the hot path: it allocates nothing unless a field section is new
// or comes in pieces.
type Response struct {
	heads  *Heads
	frames frames

	phase       phase
	head        bool             // the request was HEAD
	bodiless    bool             // the final response has no body, whatever it says
	began       bool             // a byte has arrived
	interim     bool             // an interim response has
	status      uint16           // of the final response; 0: it has not come
	lengthBytes int64            // that DATA has to add up to; -1: nothing is known
	bodyBytes   int64            // of DATA so far
	digest      *exchange.Digest // takes the body; nil: nobody does
	fault       Fault            // the first one; nothing after it is looked at
}

// phase is how far a response has come.
type phase uint8

const (
	inHead        phase = iota // the final HEADERS is to come
	inBody                     // DATA, trailers or the end are to come
	afterTrailers              // the end is to come
)

// Begin forgets everything of the exchange before. heads remembers field
// sections and is shared by all Responses of one thread; head says that the
// request's method is HEAD.
func (r *Response) Begin(heads *Heads, head bool) {
	kept := r.frames.payload[:0]
	if cap(kept) > keptSectionBytes {
		kept = nil // ten thousand streams would keep what one hostile response took
	}
	*r = Response{heads: heads, head: head, lengthBytes: -1, frames: frames{payload: kept}}
}

// Hash lets the body of the present exchange be hashed, too.
func (r *Response) Hash(d *exchange.Digest) { r.digest = d }

// Feed takes the next bytes of the stream, which are only valid during the call.
// How they are split changes nothing. A fault is returned again by each later
// call.
func (r *Response) Feed(b []byte) Fault {
	if len(b) > 0 {
		r.began = true
	}
	for len(b) > 0 && !r.fault.Bad() {
		if r.frames.toCome == 0 {
			rest, ok := r.frames.begin(b)
			if !ok {
				break
			}
			b = rest
			if r.fault = r.checkFrame(); r.fault.Bad() {
				break
			}
		}
		b = r.takePayload(b)
	}
	return r.fault
}

// takePayload takes what b has of a frame's payload.
func (r *Response) takePayload(b []byte) (rest []byte) {
	switch r.frames.typ {
	case frameData:
		n, rest := r.frames.pass(b)
		r.bodyBytes += n
		if r.digest != nil {
			r.digest.Write(b[:n])
		}
		return rest
	case frameHeaders:
		section, rest, whole := r.frames.gather(b)
		if whole {
			r.fault = r.takeSection(section)
		}
		return rest
	}
	_, rest = r.frames.pass(b)
	return rest
}

// takeSection acts on a complete field section: that of an interim response, of
// the final one, or trailers (RFC 9114 section 4.1).
func (r *Response) takeSection(section []byte) Fault {
	a, fault := r.heads.read(section)
	switch {
	case fault.Bad():
		return fault
	case r.phase == inBody && a.status != 0:
		return malformed(faultTrailerStatus)
	case r.phase == inBody:
		r.phase = afterTrailers
		return Fault{}
	case a.status == 0:
		return malformed(faultNoStatus)
	case a.status == 101:
		return malformed(faultSwitching)
	case a.status < 200:
		r.interim = true
		return Fault{}
	}
	r.phase = inBody
	r.status = a.status
	r.bodiless = r.head || a.status == 204 || a.status == 304
	if !r.bodiless { // else it tells of another response's body, RFC 9114 section 4.1.2
		r.lengthBytes = a.lengthBytes
	}
	return Fault{}
}

// End takes the FIN, and returns what keeps the response from being complete
// and well formed, or the fault that Feed has returned.
func (r *Response) End() Fault {
	switch {
	case r.fault.Bad():
	case r.frames.inside(): // RFC 9114 section 7.1
		r.fault = connectionFault(FrameError, faultCutFrame)
	case r.phase == inHead && r.interim:
		r.fault = malformed(faultInterimEnd)
	case r.phase == inHead:
		r.fault = malformed(faultNoResponse)
	case r.lengthBytes >= 0 && r.bodyBytes != r.lengthBytes:
		r.fault = malformed(faultShorter) // a longer one did not get this far
	}
	return r.fault
}

// Status returns the status of the final response, from 200 to 999; 0: its
// field section has not come.
func (r *Response) Status() uint16 { return r.status }

// BodyBytes returns how many bytes of body have come in DATA frames.
func (r *Response) BodyBytes() int64 { return r.bodyBytes }

// Began reports whether a byte of the stream has arrived, whatever it was.
func (r *Response) Began() bool { return r.began }
