package h3

// checkFrame looks whether a frame may come, by its header alone and by what
// came before it. It is asked before the payload is taken, so that what counts
// does not depend on how the bytes are split.
func (r *Response) checkFrame() Fault {
	switch typ := r.frames.typ; {
	case typ == frameData:
		return r.checkData()
	case typ == frameHeaders:
		return r.checkHeaders()
	case typ == framePushPromise: // we have allowed no push ID at all, RFC 9114 section 7.2.5
		return connectionFault(IDError, faultPushPromise)
	case typ == frameCancelPush || typ == frameSettings || typ == frameGoAway || typ == frameMaxPushID:
		return connectionFault(FrameUnexpected, faultOnRequest)
	case reservedFrame(typ):
		return connectionFault(FrameUnexpected, faultHTTP2)
	}
	return Fault{} // an unknown type is ignored anywhere, RFC 9114 section 9
}

// checkData looks at a DATA frame. The body must not become longer than the
// content-length; whether it is too short is seen at the end.
func (r *Response) checkData() Fault {
	n := int64(r.frames.toCome) // below 2^62, so that no sum overflows
	switch {
	case r.phase == inHead:
		return connectionFault(FrameUnexpected, faultDataFirst)
	case r.phase == afterTrailers:
		return connectionFault(FrameUnexpected, faultAfterTrailers)
	case r.bodiless && n > 0:
		return malformed(faultBodiless)
	case r.lengthBytes >= 0 && n > r.lengthBytes-r.bodyBytes:
		return malformed(faultLonger)
	}
	return Fault{}
}

// checkHeaders looks at a HEADERS frame.
func (r *Response) checkHeaders() Fault {
	switch {
	case r.phase == afterTrailers:
		return connectionFault(FrameUnexpected, faultAfterTrailers)
	case r.frames.toCome > maxSectionBytes:
		return streamFault(ExcessiveLoad, faultSectionSize)
	}
	return Fault{}
}
