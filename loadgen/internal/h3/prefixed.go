package h3

// maxPrefixedBytes is how many bytes may follow the first one of a prefixed
// integer: 62 bits, the most that has to be read, in parts of 7.
const maxPrefixedBytes = 9

// cutPrefixed takes an integer off b, whose first byte holds the prefix in its
// low bits (RFC 9204 section 4.1.1). ok is false when b ends within it, and when
// it has more than 62 bits.
func cutPrefixed(b []byte, prefixBits uint) (n uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	prefixMax := uint64(1)<<prefixBits - 1
	n = uint64(b[0]) & prefixMax
	b = b[1:]
	if n < prefixMax {
		return n, b, true
	}
	for i := 0; i < maxPrefixedBytes && i < len(b); i++ {
		n += uint64(b[i]&0x7f) << (7 * i) // below 2^63 + 2^8, so that it does not overflow
		if b[i]&0x80 == 0 {
			return n, b[i+1:], n <= maxVarint
		}
	}
	return 0, nil, false
}

// cutString takes a string off b (RFC 9204 section 4.1.2): a bit that says
// whether it is Huffman-coded, a length with a prefix of so many bits behind
// that bit, and the bytes as they are. ok is false when b ends within it.
func cutString(b []byte, prefixBits uint) (raw []byte, huffman bool, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, false, nil, false
	}
	huffman = b[0]>>prefixBits&1 != 0
	size, b, ok := cutPrefixed(b, prefixBits)
	if !ok || size > uint64(len(b)) {
		return nil, false, nil, false
	}
	return b[:size], huffman, b[size:], true
}
