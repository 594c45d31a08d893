package h3

// Frame types, RFC 9114 section 7.2.
const (
	frameData        = 0x00
	frameHeaders     = 0x01
	frameCancelPush  = 0x03
	frameSettings    = 0x04
	framePushPromise = 0x05
	frameGoAway      = 0x07
	frameMaxPushID   = 0x0d
)

// reservedFrame reports whether a type is one that HTTP/2 uses and HTTP/3 never
// does (RFC 9114 section 7.2.8): PRIORITY, PING, WINDOW_UPDATE, CONTINUATION.
func reservedFrame(typ uint64) bool {
	return typ == 0x02 || typ == 0x06 || typ == 0x08 || typ == 0x09
}

// maxHeaderBytes is a frame's header at its longest: two integers of 8 bytes.
const maxHeaderBytes = 16

// appendFrameHeader begins a frame whose payload has so many bytes.
func appendFrameHeader(b []byte, typ uint64, payloadBytes int) []byte {
	return appendVarint(appendVarint(b, typ), uint64(payloadBytes))
}

// frameHeader reads a frame's header from the beginning of b. size is the
// header's in bytes; 0: b ends inside it.
func frameHeader(b []byte) (typ, payloadBytes uint64, size int) {
	typ, n := varint(b)
	if n == 0 {
		return 0, 0, 0
	}
	payloadBytes, m := varint(b[n:])
	if m == 0 {
		return 0, 0, 0
	}
	return typ, payloadBytes, n + m
}

// frames cuts the bytes of a stream into frames. The zero value is at the
// beginning of one.
type frames struct {
	header  held
	typ     uint64 // of the frame whose header came last
	toCome  uint64 // bytes of its payload
	payload []byte // what has come of it, when it is gathered
}

// begin takes a frame's header. When it is complete typ and toCome tell of it,
// and the payload has to be taken at once, also when it is empty or rest is. If
// the header goes on in the next piece ok is false.
func (f *frames) begin(b []byte) (rest []byte, ok bool) {
	view := f.header.with(b)
	typ, payloadBytes, size := frameHeader(view)
	if size == 0 {
		f.header.hold(view)
		return nil, false
	}
	f.typ, f.toCome = typ, payloadBytes
	f.payload = f.payload[:0]
	return f.header.release(b, size), true
}

// pass takes what b has of the payload and keeps nothing of it.
func (f *frames) pass(b []byte) (passedBytes int64, rest []byte) {
	n := min(uint64(len(b)), f.toCome)
	f.toCome -= n
	return int64(n), b[n:]
}

// gather takes what b has of the payload. When it is whole, payload is valid
// until the next call and as long as b is: it is copied only if it came in
// pieces.
func (f *frames) gather(b []byte) (payload, rest []byte, whole bool) {
	n := min(uint64(len(b)), f.toCome)
	piece := b[:n]
	f.toCome -= n
	whole = f.toCome == 0
	if whole && len(f.payload) == 0 {
		return piece, b[n:], true
	}
	f.payload = append(f.payload, piece...)
	return f.payload, b[n:], whole
}

// inside reports whether a frame has begun and is not complete.
func (f *frames) inside() bool { return f.header.n > 0 || f.toCome > 0 }

// held keeps the beginning of something short, a frame's header or a stream's
// type, whose end is in a later piece. The zero value holds nothing.
type held struct {
	bytes [maxHeaderBytes]byte
	n     uint8 // how many of bytes are held
}

// with returns what is held followed by what may belong to it: b itself when
// nothing is held.
func (h *held) with(b []byte) []byte {
	if h.n == 0 {
		return b
	}
	return h.bytes[:int(h.n)+copy(h.bytes[h.n:], b)]
}

// hold keeps a view that with has returned and that is not complete, so that it
// is shorter than maxHeaderBytes.
func (h *held) hold(view []byte) { h.n = uint8(copy(h.bytes[:], view)) }

// release forgets what is held, because the first so many bytes of the view of
// b are complete, and returns what follows them.
func (h *held) release(b []byte, size int) (rest []byte) {
	rest = b[size-int(h.n):]
	h.n = 0
	return rest
}
