package h3

import "encoding/binary"

// A variable-length integer of QUIC (RFC 9000 section 16) has its size in the
// two highest bits of its first byte: 1, 2, 4 or 8 bytes. Every size that holds
// the number is allowed.

const maxVarint = 1<<62 - 1

// varint reads an integer from the beginning of b. size is in bytes; 0: b ends
// inside the integer.
func varint(b []byte) (n uint64, size int) {
	if len(b) == 0 {
		return 0, 0
	}
	size = 1 << (b[0] >> 6)
	if len(b) < size {
		return 0, 0
	}
	switch size {
	case 1:
		return uint64(b[0]), 1
	case 2:
		return uint64(binary.BigEndian.Uint16(b)) & (1<<14 - 1), 2
	case 4:
		return uint64(binary.BigEndian.Uint32(b)) & (1<<30 - 1), 4
	}
	return binary.BigEndian.Uint64(b) & maxVarint, 8
}

// appendVarint appends n, at most maxVarint, in the fewest bytes.
func appendVarint(b []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(b, byte(n))
	case n < 1<<14:
		return binary.BigEndian.AppendUint16(b, 1<<14|uint16(n))
	case n < 1<<30:
		return binary.BigEndian.AppendUint32(b, 2<<30|uint32(n))
	}
	return binary.BigEndian.AppendUint64(b, 3<<62|n)
}
