package h2

import (
	"golang.org/x/net/http2/hpack"
)

// answer is what the fields of one block say.
type answer struct {
	lengthBytes int64  // content-length; -1: none
	status      uint16 // 0: there is no :status, as in trailers
}

// head reads the fields of one block as the decoder hands them out. What it
// gets at is a pure function of the fields, which is what [knownBlocks] rests on.
type head struct {
	answer
	listBytes uint32 // of the header list, as RFC 9113 section 6.5.2 counts them
	regular   bool   // a field that is no pseudo-header has come
	fault     string // the first one; fields after it are ignored
}

func (h *head) begin() { *h = head{answer: answer{lengthBytes: -1}} }

// field takes one field. A fault makes the message malformed, which is an error
// of its stream (RFC 9113 section 8.1.1).
func (h *head) field(f hpack.HeaderField) {
	if h.fault != "" {
		return
	}
	h.listBytes += f.Size()
	switch {
	case h.listBytes > maxListBytes:
		h.fault = faultListSize
	case f.IsPseudo():
		h.fault = h.pseudo(f)
	default:
		h.regular = true
		h.fault = h.regularField(f)
	}
}

// pseudo takes a pseudo-header, of which a response has one, ahead of the
// regular fields (RFC 9113 section 8.3).
func (h *head) pseudo(f hpack.HeaderField) (fault string) {
	switch {
	case h.regular:
		return faultPseudoLate
	case f.Name != ":status":
		return faultPseudo
	case h.status != 0:
		return faultTwoStatus
	}
	status := uint16(0)
	for i := range len(f.Value) {
		digit := f.Value[i] - '0'
		if digit > 9 || len(f.Value) != len("200") {
			return faultStatus
		}
		status = status*10 + uint16(digit)
	}
	if status < 100 { // empty values too
		return faultStatus
	}
	h.status = status
	return ""
}

// regularField takes a field that is no pseudo-header.
func (h *head) regularField(f hpack.HeaderField) (fault string) {
	if fault = nameFault(f.Name); fault != "" {
		return fault
	}
	if !validValue(f.Value) {
		return faultValue
	}
	switch f.Name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return faultConnectionField
	case "content-length":
		return h.contentLength(f.Value)
	}
	return ""
}

// contentLength takes a content-length, which may be repeated when the values
// are equal.
func (h *head) contentLength(value string) (fault string) {
	length := int64(0)
	for i := range len(value) {
		digit := value[i] - '0'
		if digit > 9 {
			return faultLength
		}
		if length > (1<<63-1-int64(digit))/10 {
			return faultLengthOverflow
		}
		length = length*10 + int64(digit)
	}
	switch {
	case value == "":
		return faultLength
	case h.lengthBytes >= 0 && h.lengthBytes != length:
		return faultTwoLengths
	}
	h.lengthBytes = length
	return ""
}

// nameFault looks at a field's name, RFC 9113 section 8.2.1: visible ASCII
// without upper case and, as pseudo-headers stand apart, without colons.
func nameFault(name string) string {
	if name == "" {
		return faultEmptyName
	}
	for i := range len(name) {
		switch o := name[i]; {
		case o >= 'A' && o <= 'Z':
			return faultUpperCase
		case o <= ' ' || o >= 0x7f || o == ':':
			return faultName
		}
	}
	return ""
}

// validValue looks at a field's value, RFC 9113 section 8.2.1: no NUL, LF or CR
// anywhere, no whitespace at either end.
func validValue(value string) bool {
	for i := range len(value) {
		switch value[i] {
		case 0, '\n', '\r':
			return false
		case ' ', '\t':
			if i == 0 || i == len(value)-1 {
				return false
			}
		}
	}
	return true
}
