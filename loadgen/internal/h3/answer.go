package h3

// answer is what a field section says to us.
type answer struct {
	lengthBytes int64  // content-length; -1: none
	status      uint16 // 0: there is no :status, as in trailers
}

// lineKind is what a field line is to a response, by its name.
type lineKind uint8

const (
	kindRegular    lineKind = iota // of no concern
	kindStatus                     // :status
	kindLength                     // content-length
	kindPseudo                     // a pseudo-header that no response has
	kindConnection                 // about a connection of HTTP/1.1
	kindEmpty                      // no name
	kindUpperCase                  // a name with upper case
	kindInvalid                    // a name with characters that no name has
)

// hasValue reports whether the value of such a line is looked at.
func (k lineKind) hasValue() bool { return k == kindStatus || k == kindLength }

// kindOf looks at a field name, RFC 9114 sections 4.2 and 4.3: visible ASCII
// without upper case and, as pseudo-headers stand apart, without colons.
func kindOf(name []byte) lineKind {
	switch {
	case len(name) == 0:
		return kindEmpty
	case string(name) == ":status":
		return kindStatus
	case name[0] == ':':
		return kindPseudo
	}
	for _, o := range name {
		switch {
		case o >= 'A' && o <= 'Z':
			return kindUpperCase
		case o <= ' ' || o >= 0x7f || o == ':':
			return kindInvalid
		}
	}
	switch string(name) {
	case "content-length":
		return kindLength
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return kindConnection
	}
	return kindRegular
}

// answerReader makes an answer of the lines of one section.
type answerReader struct {
	answer
	regular bool   // a field that is no pseudo-header has come
	fault   string // the first one; lines after it are ignored
}

func (a *answerReader) begin() { *a = answerReader{answer: answer{lengthBytes: -1}} }

// take takes a line. A fault makes the message malformed.
func (a *answerReader) take(kind lineKind, value []byte) {
	if a.fault != "" {
		return
	}
	if kind == kindStatus || kind == kindPseudo {
		a.fault = a.pseudo(kind, value)
		return
	}
	a.regular = true
	switch kind {
	case kindLength:
		a.fault = a.contentLength(value)
	case kindConnection:
		a.fault = faultConnectionField
	case kindEmpty:
		a.fault = faultEmptyName
	case kindUpperCase:
		a.fault = faultUpperCase
	case kindInvalid:
		a.fault = faultName
	}
}

// pseudo takes a pseudo-header, of which a response has one, ahead of the
// regular fields (RFC 9114 section 4.3).
func (a *answerReader) pseudo(kind lineKind, value []byte) (fault string) {
	switch {
	case a.regular:
		return faultPseudoLate
	case kind == kindPseudo:
		return faultPseudo
	case a.status != 0:
		return faultTwoStatus
	}
	status := uint16(0)
	for _, o := range value {
		digit := o - '0'
		if digit > 9 || len(value) != len("200") {
			return faultStatus
		}
		status = status*10 + uint16(digit)
	}
	if status < 100 { // empty values too
		return faultStatus
	}
	a.status = status
	return ""
}

// contentLength takes a content-length, which may be repeated when the values
// are equal.
func (a *answerReader) contentLength(value []byte) (fault string) {
	length := int64(0)
	for _, o := range value {
		digit := o - '0'
		if digit > 9 {
			return faultLength
		}
		if length > (1<<63-1-int64(digit))/10 {
			return faultLengthOverflow
		}
		length = length*10 + int64(digit)
	}
	switch {
	case len(value) == 0:
		return faultLength
	case a.lengthBytes >= 0 && a.lengthBytes != length:
		return faultTwoLengths
	}
	a.lengthBytes = length
	return ""
}
