package h2

// isNeutral reports whether a block leaves the dynamic table as it is: it holds
// neither a literal with incremental indexing nor a size update. Of a block that
// does not parse it is false.
//
// RFC 7541 section 6 tells the representations apart by their first bits:
//
//	1…     indexed field                          integer of 7 bits
//	01…    literal with incremental indexing      not neutral
//	001…   dynamic table size update              not neutral
//	0001…  literal never indexed                  index of 4 bits, strings
//	0000…  literal without indexing               index of 4 bits, strings
func isNeutral(block []byte) bool {
	for len(block) > 0 {
		ok := false
		switch first := block[0]; {
		case first&0x80 != 0:
			_, block, ok = cutInteger(block, 7)
		case first&0x60 != 0:
			return false
		default:
			var index uint64
			if index, block, ok = cutInteger(block, 4); ok && index == 0 {
				block, ok = cutString(block)
			}
			if ok {
				block, ok = cutString(block)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// cutInteger takes an integer off b, whose first byte holds the prefix in its
// low bits (RFC 7541 section 5.1). ok is false when b ends within it, and when
// it is longer than any size here can be.
func cutInteger(b []byte, prefixBits uint) (n uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	prefixMax := uint64(1)<<prefixBits - 1
	n = uint64(b[0]) & prefixMax
	b = b[1:]
	if n < prefixMax {
		return n, b, true
	}
	for shift := 0; shift < 56 && len(b) > 0; shift += 7 {
		o := b[0]
		b = b[1:]
		n += uint64(o&0x7f) << shift
		if o&0x80 == 0 {
			return n, b, true
		}
	}
	return 0, nil, false
}

// cutString takes a string off b (RFC 7541 section 5.2), be it Huffman-coded or
// not.
func cutString(b []byte) (rest []byte, ok bool) {
	size, b, ok := cutInteger(b, 7)
	if !ok || size > uint64(len(b)) {
		return nil, false
	}
	return b[size:], true
}
