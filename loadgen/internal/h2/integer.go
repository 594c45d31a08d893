package h2

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
