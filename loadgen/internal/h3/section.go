package h3

import (
	"bytes"

	"golang.org/x/net/http2/hpack"
)

// sectionReader walks the lines of a field section (RFC 9204 section 4.5). Of a
// line it decodes the name, and the value when that is of interest. Its only
// state between sections is a buffer.
type sectionReader struct {
	answer answerReader
	text   bytes.Buffer // a Huffman-coded string that has been decoded
}

// read returns what an encoded field section says. A section that cannot be
// decoded is a fault of the connection, even if a line before is malformed,
// which is one of the stream.
func (r *sectionReader) read(section []byte) (answer, Fault) {
	lines, fault := cutSectionPrefix(section)
	r.answer.begin()
	for fault == "" && len(lines) > 0 {
		lines, fault = r.line(lines)
	}
	switch {
	case fault != "":
		return answer{}, connectionFault(QPACKDecompressionFailed, fault)
	case r.answer.fault != "":
		return answer{}, malformed(r.answer.fault)
	}
	return r.answer.answer, Fault{}
}

// cutSectionPrefix takes the prefix off a section, RFC 9204 section 4.5.1. It
// must not require entries of the dynamic table; then its Base, which lines
// would count from, may be anything that is not negative.
func cutSectionPrefix(section []byte) (lines []byte, fault string) {
	const negative = 0x80 // the sign bit of Delta Base
	insertCount, b, ok := cutPrefixed(section, 8)
	switch {
	case !ok:
		return nil, faultSection
	case insertCount != 0:
		return nil, faultDynamic
	case len(b) == 0 || b[0]&negative != 0:
		return nil, faultSection
	}
	if _, b, ok = cutPrefixed(b, 7); !ok {
		return nil, faultSection
	}
	return b, ""
}

// line takes one field line off b, by the bits that it begins with (RFC 9204
// sections 4.5.2 to 4.5.6). T says that an index is of the static table, N, that
// is of no concern here, that the line must not go into a table.
func (r *sectionReader) line(b []byte) (rest []byte, fault string) {
	switch first := b[0]; {
	case first&0xc0 == 0xc0: // 1 T=1, index
		return r.indexed(b)
	case first&0xd0 == 0x50: // 01 N T=1, index, value
		return r.namedByIndex(b)
	case first&0xe0 == 0x20: // 001 N H, name, value
		return r.named(b)
	}
	return nil, faultDynamic // T=0, or relative to a Base
}

// indexed takes a line that is in the static table.
func (r *sectionReader) indexed(b []byte) (rest []byte, fault string) {
	index, b, ok := cutPrefixed(b, 6)
	if !ok {
		return nil, faultSection
	}
	kind, value, ok := staticLine(index)
	if !ok {
		return nil, faultSection
	}
	r.answer.take(kind, []byte(value))
	return b, ""
}

// namedByIndex takes a line whose name is in the static table.
func (r *sectionReader) namedByIndex(b []byte) (rest []byte, fault string) {
	index, b, ok := cutPrefixed(b, 4)
	if !ok {
		return nil, faultSection
	}
	kind, _, ok := staticLine(index)
	if !ok {
		return nil, faultSection
	}
	return r.value(kind, b)
}

// named takes a line whose name is written out.
func (r *sectionReader) named(b []byte) (rest []byte, fault string) {
	name, huffman, b, ok := cutString(b, 3)
	if ok && huffman {
		name, ok = r.decode(name)
	}
	if !ok {
		return nil, faultSection
	}
	return r.value(kindOf(name), b)
}

// value takes a line's value, and with it the line.
func (r *sectionReader) value(kind lineKind, b []byte) (rest []byte, fault string) {
	value, huffman, b, ok := cutString(b, 7)
	if ok && huffman && kind.hasValue() {
		value, ok = r.decode(value)
	}
	if !ok {
		return nil, faultSection
	}
	r.answer.take(kind, value)
	return b, ""
}

// decode decodes a Huffman-coded string; what it returns is valid until the next
// call. ok is false when it is none.
func (r *sectionReader) decode(coded []byte) (text []byte, ok bool) {
	r.text.Reset()
	if _, err := hpack.HuffmanDecode(&r.text, coded); err != nil {
		return nil, false
	}
	return r.text.Bytes(), true
}
