package h1

// head is what the lines of one head have said so far. It is a pure function
// of the lines: the same bytes always give the same answer, which is what
// [Heads] rests on.
type head struct {
	length     int64 // value of Content-Length; -1: none
	status     uint16
	minor      uint8 // HTTP/1.minor: 0 or 1
	codings    uint8 // Transfer-Encoding fields seen: 0 or 1
	closes     bool  // Connection: close
	keepsAlive bool  // Connection: keep-alive
}

// answer is what a complete head says about the response.
type answer struct {
	length  int64 // bytes of the body, framing sized only
	status  uint16
	framing framing
	keeps   bool // the server keeps the connection open after a body that ends by itself
}

// framing says where the body ends, RFC 9112 section 6.3.
type framing uint8

const (
	noBody     framing = iota // with the head
	sized                     // after Content-Length bytes
	chunked                   // with the last chunk
	untilClose                // with the peer's FIN
)

// versionPrefix begins every response. It is matched octet by octet as it
// arrives, so that a peer that speaks something else is told at once rather
// than at the deadline.
const versionPrefix = "HTTP/1."

// statusLine reads a status line (RFC 9112 section 4) without versionPrefix
// and line end: minor, SP, three digits, and maybe SP and a reason phrase.
func (h *head) statusLine(text []byte) (fault string) {
	if len(text) == 0 || text[0] != '0' && text[0] != '1' {
		return faultVersion
	}
	if len(text) < len("1 200") || text[1] != ' ' {
		return faultStatusLine
	}
	code := uint16(0)
	for _, digit := range text[2:5] {
		if digit < '0' || digit > '9' {
			return faultStatusLine
		}
		code = code*10 + uint16(digit-'0')
	}
	if len(text) > 5 && text[5] != ' ' {
		return faultStatusLine
	}
	if code < 100 {
		return faultStatusBelow100
	}
	if hasControl(text[5:]) {
		return controlFault(text[5:], faultReasonPhrase)
	}
	*h = head{length: -1, status: code, minor: text[0] - '0'}
	return ""
}

// field reads a header field line (RFC 9112 section 5) without its line end.
func (h *head) field(text []byte) (fault string) {
	size, fault := fieldName(text)
	if fault != "" {
		return fault
	}
	name, value := text[:size], text[size+1:]
	if hasControl(value) {
		return controlFault(value, faultFieldValue)
	}
	// Few fields have a name as long as one of the three that matter.
	switch size {
	case len("connection"):
		if equalFold(name, "connection") {
			h.connection(value)
		}
	case len("content-length"):
		if equalFold(name, "content-length") {
			return h.contentLength(value)
		}
	case len("transfer-encoding"):
		if equalFold(name, "transfer-encoding") {
			return h.transferEncoding(value)
		}
	}
	return ""
}

// fieldName returns the length of the field's name; the colon follows it.
func fieldName(text []byte) (size int, fault string) {
	for size < len(text) && token[text[size]] {
		size++
	}
	switch {
	case size == len(text):
		return 0, faultNoColon
	case text[size] == ':' && size > 0:
		return size, ""
	case text[size] == ':':
		return 0, faultEmptyName
	case isSpace(text[size]) && size == 0:
		// RFC 9112 section 5.2 lets a client unfold; what a server has no
		// business to send since 2014 is told instead.
		return 0, faultFolded
	case isSpace(text[size]):
		return 0, faultSpaceBeforeName
	}
	return 0, controlFault(text[size:], faultFieldName)
}

// controlFault names the fault of bytes that are known to be bad: a CR has a
// text of its own, for it tells of a broken line end.
func controlFault(b []byte, otherwise string) string {
	for _, o := range b {
		if o == '\r' {
			return faultBareCR
		}
		if control[o] {
			break
		}
	}
	return otherwise
}
