package h1

import "bytes"

// lines cuts one section of a response (a head, a chunk line, the trailers)
// into lines, however its bytes are split over calls. Its zero value is ready.
//
// A line that lies whole in one call is returned in place. Only one that does
// not is gathered in partial, which is allocated by the first such line and
// kept, so that a connection of a well-behaved server never has a buffer.
type lines struct {
	partial []byte // the beginning of a line whose end has not arrived
	taken   int    // bytes of the section so far, without partial
}

// begin starts a new section of which taken bytes were consumed elsewhere.
func (l *lines) begin(taken int) {
	l.partial = l.partial[:0]
	l.taken = taken
}

// next returns the next line with its LF, and what follows it in b. A nil line
// with fits set means that b was consumed and ended within a line. fits is
// false as soon as the section is known to be longer than limit bytes: the
// answer depends on the bytes alone, never on where they were split.
//
// The line is valid until the next call, and no longer than b.
func (l *lines) next(b []byte, limit int) (line, rest []byte, fits bool) {
	size := bytes.IndexByte(b, '\n') + 1
	if size == 0 {
		if l.taken+len(l.partial)+len(b) > limit {
			return nil, nil, false
		}
		l.partial = append(l.partial, b...)
		return nil, nil, true
	}
	line, rest = b[:size], b[size:]
	if len(l.partial) > 0 {
		l.partial = append(l.partial, line...)
		line = l.partial
		l.partial = l.partial[:0] // line still shows the bytes
	}
	l.taken += len(line)
	return line, rest, l.taken <= limit
}

// trimLineEnd cuts LF or CR LF off a line of a head (RFC 9112 section 2.2).
func trimLineEnd(line []byte) []byte {
	n := len(line) - 1
	if n > 0 && line[n-1] == '\r' {
		n--
	}
	return line[:n]
}

// trimCRLF cuts CR LF off a line of the chunk framing; ok is false when the
// line ends in LF alone.
func trimCRLF(line []byte) (text []byte, ok bool) {
	n := len(line) - 2
	if n < 0 || line[n] != '\r' {
		return nil, false
	}
	return line[:n], true
}
