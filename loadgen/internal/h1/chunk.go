package h1

import "math"

// maxChunkDigits bounds the digits of a chunk size, leading zeros included.
const maxChunkDigits = 16

// chunkSize reads a chunk line without its CR LF (RFC 9112 section 7.1): a
// hexadecimal size and extensions, which say nothing to this client and are
// only checked for control octets.
func chunkSize(text []byte) (size int64, fault string) {
	value, digits := uint64(0), 0
	for digits < len(text) {
		digit := hexDigit(text[digits])
		if digit > 15 {
			break
		}
		if digits == maxChunkDigits {
			return 0, faultChunkOverflow
		}
		value = value<<4 | uint64(digit)
		digits++
	}
	if digits == 0 {
		return 0, faultChunkSize
	}
	// Whitespace is bad here, but a recipient has to remove it before an
	// extension; some old servers also pad the size with it.
	extensions := trimSpace(text[digits:])
	if len(extensions) > 0 && extensions[0] != ';' {
		return 0, faultChunkSize
	}
	if hasControl(extensions) {
		return 0, controlFault(extensions, faultChunkExtension)
	}
	if value > math.MaxInt64 {
		return 0, faultChunkOverflow
	}
	return int64(value), ""
}

// hexDigit returns the value of a hexadecimal digit; above 15: it is none.
func hexDigit(o byte) byte {
	switch {
	case o >= '0' && o <= '9':
		return o - '0'
	case o|0x20 >= 'a' && o|0x20 <= 'f':
		return o | 0x20 - 'a' + 10
	}
	return 0xff
}

// feedChunkLine takes bytes of the line before a chunk's data.
func (c *Conn) feedChunkLine(b []byte) (rest []byte, fault string) {
	line, rest, fits := c.lines.next(b, maxChunkLineBytes)
	if !fits {
		return nil, faultChunkLine
	}
	if line == nil {
		return nil, ""
	}
	text, ok := trimCRLF(line)
	if !ok {
		return nil, faultChunkLineEnd
	}
	size, fault := chunkSize(text)
	if fault != "" {
		return nil, fault
	}
	c.lines.begin(0)
	c.remaining = size
	c.phase = phaseChunkData
	if size == 0 {
		c.phase = phaseTrailers
	}
	return rest, ""
}

// feedChunkEnd takes bytes of the CR LF behind a chunk's data, of which
// c.remaining are still to come.
func (c *Conn) feedChunkEnd(b []byte) (rest []byte, fault string) {
	const end = "\r\n"
	for len(b) > 0 && c.remaining > 0 {
		if b[0] != end[len(end)-int(c.remaining)] {
			return nil, faultChunkEnd
		}
		b = b[1:]
		c.remaining--
	}
	if c.remaining == 0 {
		c.phase = phaseChunkLine
	}
	return b, ""
}

// feedTrailers takes bytes of the trailers (RFC 9112 section 7.1.2) and the
// empty line that ends the response. They are checked as fields are; what they
// say is discarded, framing fields included (RFC 9110 section 6.5.1).
func (c *Conn) feedTrailers(b []byte) (rest []byte, fault string) {
	for {
		var line []byte
		var fits bool
		line, b, fits = c.lines.next(b, maxTrailerBytes)
		if !fits {
			return nil, faultTrailers
		}
		if line == nil {
			return nil, ""
		}
		text, ok := trimCRLF(line)
		if !ok {
			return nil, faultTrailerEnd
		}
		if len(text) == 0 {
			c.phase = phaseComplete
			return b, ""
		}
		size, fault := fieldName(text)
		if fault != "" {
			return nil, fault
		}
		if value := text[size+1:]; hasControl(value) {
			return nil, controlFault(value, faultFieldValue)
		}
	}
}
