package h3

// Stream types, RFC 9114 section 6.2 and RFC 9204 section 4.2.
const (
	streamControl = 0x00
	streamPush    = 0x01
	streamEncoder = 0x02
	streamDecoder = 0x03
)

// Uni reads one unidirectional stream of the server's. The zero value is at its
// beginning.
type Uni struct {
	frames  frames // of the control stream; before, its header holds the stream's type
	kind    uniKind
	idBytes uint8 // decoder stream: of a stream ID, with the first one; 0: between instructions
	fault   Fault // the first one; nothing after it is looked at
}

// uniKind is what a stream is for.
type uniKind uint8

const (
	uniUntold uniKind = iota // its type has not come
	uniControl
	uniEncoder
	uniDecoder
	uniIgnored
)

// Feed takes the next bytes of the stream, which are only valid during the call,
// and enters in c what they say. How they are split changes nothing. A fault is
// returned again by each later call.
func (u *Uni) Feed(c *Control, b []byte) Fault {
	if u.fault.Bad() {
		return u.fault
	}
	if u.kind == uniUntold {
		view := u.frames.header.with(b)
		typ, size := varint(view)
		if size == 0 {
			u.frames.header.hold(view)
			return Fault{}
		}
		b = u.frames.header.release(b, size)
		u.fault = u.open(c, typ)
	}
	switch {
	case u.fault.Bad():
	case u.kind == uniControl:
		u.takeFrames(c, b)
	case u.kind == uniEncoder:
		u.fault = takeEncoder(b)
	case u.kind == uniDecoder:
		u.fault = u.takeDecoder(b)
	}
	return u.fault
}

// open begins a stream of a type. There may be one of each (RFC 9114 section
// 6.2.1, RFC 9204 section 4.2), and none for push, for we allow no push ID.
func (u *Uni) open(c *Control, typ uint64) Fault {
	var opened *bool
	var twice string
	switch typ {
	case streamControl:
		u.kind, opened, twice = uniControl, &c.control, faultTwoControl
	case streamEncoder:
		u.kind, opened, twice = uniEncoder, &c.encoder, faultTwoEncoder
	case streamDecoder:
		u.kind, opened, twice = uniDecoder, &c.decoder, faultTwoDecoder
	case streamPush:
		return connectionFault(IDError, faultPushStream)
	default:
		u.kind = uniIgnored
		return Fault{}
	}
	if *opened {
		return connectionFault(StreamCreationError, twice)
	}
	*opened = true
	return Fault{}
}

// takeFrames takes bytes of the control stream.
func (u *Uni) takeFrames(c *Control, b []byte) {
	for len(b) > 0 && !u.fault.Bad() {
		if u.frames.toCome == 0 {
			rest, ok := u.frames.begin(b)
			if !ok {
				return
			}
			b = rest
			if u.fault = c.checkFrame(u.frames.typ, u.frames.toCome); u.fault.Bad() {
				return
			}
		}
		b = u.takePayload(c, b)
	}
}

// takePayload takes what b has of a frame's payload. Only two frames are read;
// those of unknown types may be of any length.
func (u *Uni) takePayload(c *Control, b []byte) (rest []byte) {
	if typ := u.frames.typ; typ != frameSettings && typ != frameGoAway {
		_, rest = u.frames.pass(b)
		return rest
	}
	payload, rest, whole := u.frames.gather(b)
	switch {
	case !whole:
	case u.frames.typ == frameSettings:
		u.fault = c.takeSettings(payload)
	default:
		u.fault = c.takeGoAway(payload)
	}
	return rest
}

// takeEncoder takes bytes of the encoder stream, RFC 9204 section 4.3. All that
// can be done to a table of no size is to set its capacity to 0, in one byte.
func takeEncoder(b []byte) Fault {
	const capacity0 = 0x20
	for _, o := range b {
		if o != capacity0 {
			return connectionFault(QPACKEncoderStreamError, faultEncoder)
		}
	}
	return Fault{}
}

// takeDecoder takes bytes of the decoder stream, RFC 9204 section 4.4. Our
// encoder uses no table, so there is nothing to acknowledge. A Stream
// Cancellation says no more than that the server gave up a stream; it is an
// integer with a prefix of 6 bits, and passed over.
func (u *Uni) takeDecoder(b []byte) Fault {
	const cancellation, instruction, prefixMax, more = 0x40, 0xc0, 0x3f, 0x80
	for _, o := range b {
		switch {
		case u.idBytes == 0 && o&instruction != cancellation:
			return connectionFault(QPACKDecoderStreamError, faultDecoder)
		case u.idBytes == 0 && o&prefixMax < prefixMax: // the ID is in the prefix
		case u.idBytes > 0 && o&more == 0: // the ID is over
			u.idBytes = 0
		case u.idBytes == maxPrefixedBytes:
			return connectionFault(QPACKDecoderStreamError, faultDecoderInteger)
		default:
			u.idBytes++
		}
	}
	return Fault{}
}

// End takes the FIN. Control, encoder and decoder stream must not have one
// (RFC 9114 section 6.2.1, RFC 9204 section 4.2).
func (u *Uni) End(*Control) Fault { return u.close() }

// Reset takes a RESET_STREAM, which closes a stream as a FIN does.
func (u *Uni) Reset(*Control) Fault { return u.close() }

func (u *Uni) close() Fault {
	if u.fault.Bad() {
		return u.fault
	}
	switch u.kind {
	case uniControl:
		u.fault = connectionFault(ClosedCriticalStream, faultControlClosed)
	case uniEncoder:
		u.fault = connectionFault(ClosedCriticalStream, faultEncoderClosed)
	case uniDecoder:
		u.fault = connectionFault(ClosedCriticalStream, faultDecoderClosed)
	}
	return u.fault
}

// Ignored reports whether the stream is of a type that we do not know: whoever
// owns it should stop reading it, with StreamCreationError as the reason. It is
// no fault (RFC 9114 section 6.2), and fed bytes are passed over.
func (u *Uni) Ignored() bool { return u.kind == uniIgnored }
