package h1

import "math"

// contentLength reads the value of a Content-Length field. RFC 9112 section
// 6.3 allows a list of equal values in one field or several.
func (h *head) contentLength(value []byte) (fault string) {
	for more := true; more; {
		var item []byte
		item, value, more = cutItem(value)
		length, fault := decimal(item)
		if fault != "" {
			return fault
		}
		if h.length >= 0 && h.length != length {
			return faultTwoLengths
		}
		h.length = length
	}
	return ""
}

func decimal(digits []byte) (n int64, fault string) {
	if len(digits) == 0 {
		return 0, faultLengthNumber
	}
	overflow := false
	for _, o := range digits {
		if o < '0' || o > '9' {
			return 0, faultLengthNumber
		}
		digit := int64(o - '0')
		if n > (math.MaxInt64-digit)/10 {
			overflow = true // read on: "not a number" says more
		} else {
			n = n*10 + digit
		}
	}
	if overflow {
		return 0, faultLengthOverflow
	}
	return n, ""
}

// transferEncoding reads the value of a Transfer-Encoding field. This client
// sends no TE, so that chunked is the only coding a server may use (RFC 9112
// section 7.4), and it may be applied only once (6.1).
func (h *head) transferEncoding(value []byte) (fault string) {
	if h.minor == 0 {
		return faultCodingIn10 // 6.1: "MUST treat the message as if the framing is faulty"
	}
	if h.codings > 0 {
		return faultTwoCodings
	}
	if !equalFold(trimSpace(value), "chunked") {
		return faultCoding
	}
	h.codings = 1
	return ""
}

// connection reads the value of a Connection field, RFC 9110 section 7.6.1.
// Options other than the two that decide about persistence are of no concern.
func (h *head) connection(value []byte) {
	for more := true; more; {
		var option []byte
		option, value, more = cutItem(value)
		if equalFold(option, "close") {
			h.closes = true
		}
		if equalFold(option, "keep-alive") {
			h.keepsAlive = true
		}
	}
}

// answer concludes a head at its empty line. That a response to HEAD has no
// body is left to the caller: it is not in the bytes.
func (h *head) answer() (a answer, fault string) {
	if h.codings > 0 && h.length >= 0 {
		return answer{}, faultLengthCoding
	}
	if h.status == 101 {
		return answer{}, faultSwitching
	}
	a = answer{status: h.status}
	// RFC 9112 section 9.3: close wins; HTTP/1.1 persists unless told
	// otherwise, HTTP/1.0 does not unless told to.
	a.keeps = !h.closes && (h.minor == 1 || h.keepsAlive)
	// Section 6.3, in its order.
	switch {
	case h.status < 200 || h.status == 204 || h.status == 304:
		a.framing = noBody
	case h.codings > 0:
		a.framing = chunked
	case h.length >= 0:
		a.framing, a.length = sized, h.length
	default:
		a.framing = untilClose
	}
	return a, ""
}
