package h2

// defaultTableBytes is the size of a dynamic table of which nobody has said
// anything (RFC 9113 section 6.5.2). We use no more than that of the server's,
// and give it as much.
const defaultTableBytes = 4096

// table is what we know of the server's dynamic table, which our blocks fill
// and refer to. It never grows again once the server has made it smaller: the
// fields of one request need little, or the connection goes without.
type table struct {
	limitBytes uint32
	lowered    bool // the next block has to say so, RFC 7541 section 4.2 and RFC 9113 section 4.3.1
	filled     bool // the request's fields are in it
}

// limit follows the server's SETTINGS_HEADER_TABLE_SIZE.
func (t *table) limit(bytes uint32) {
	if bytes < t.limitBytes {
		t.limitBytes = bytes
		t.lowered = true
	}
}

// next returns the block for the next stream, and the size update that has to
// stand before its fields; nil: none.
func (t *table) next(r *Request) (b *block, update []byte) {
	if t.lowered {
		t.lowered = false
		update = appendSizeUpdate(nil, t.limitBytes)
	}
	switch {
	case r.tableBytes > t.limitBytes:
		return &r.plain, update
	case t.filled:
		return &r.repeat, update
	}
	t.filled = true
	return &r.first, update
}

// appendSizeUpdate appends a dynamic table size update, RFC 7541 section 6.3:
// an integer with a prefix of five bits.
func appendSizeUpdate(b []byte, bytes uint32) []byte {
	const pattern, prefixMax = 1 << 5, 1<<5 - 1
	if bytes < prefixMax {
		return append(b, pattern|byte(bytes))
	}
	b = append(b, pattern|prefixMax)
	for bytes -= prefixMax; bytes >= 1<<7; bytes >>= 7 {
		b = append(b, byte(bytes)|1<<7)
	}
	return append(b, byte(bytes))
}
