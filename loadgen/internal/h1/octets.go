package h1

import "encoding/binary"

// token marks the octets of a token, RFC 9110 section 5.6.2.
var token = markOctets("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

// control marks the octets that no field value, reason phrase or chunk
// extension may hold (RFC 9110 section 5.5): all below SP except HTAB, and DEL.
var control = markOctets("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0a\x0b\x0c\x0d\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f")

func markOctets(octets string) (table [256]bool) {
	for i := range len(octets) {
		table[octets[i]] = true
	}
	return table
}

// hasControl reports whether b holds a control octet. It looks at eight octets
// at a time; only words with something below SP, which may be a mere HTAB, or
// with DEL are looked at singly.
func hasControl(b []byte) bool {
	for len(b) >= 8 {
		if suspicious(binary.LittleEndian.Uint64(b)) && anyControl(b[:8]) {
			return true
		}
		b = b[8:]
	}
	return anyControl(b)
}

func anyControl(b []byte) bool {
	for _, o := range b {
		if control[o] {
			return true
		}
	}
	return false
}

// suspicious reports whether one of the eight octets of w is below SP or DEL.
// A subtraction borrows into an octet's top bit only if the octet was smaller
// (or the one beneath it was, which is an answer too); octets that had the top
// bit set before are masked out.
func suspicious(w uint64) bool {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	belowSP := (w - ' '*ones) &^ w
	d := w ^ 0x7f*ones
	isDEL := (d - ones) &^ d
	return (belowSP|isDEL)&tops != 0
}

// equalFold reports whether b is word in any case. word is lower case, of
// letters and hyphens; b must be free of control octets, for CR with the case
// bit set would pass for a hyphen.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, o := range b {
		if o|0x20 != word[i] {
			return false
		}
	}
	return true
}

// trimSpace cuts SP and HTAB (OWS, RFC 9110 section 5.6.3) off both ends.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(o byte) bool { return o == ' ' || o == '\t' }

// cutItem splits a comma-separated list (RFC 9110 section 5.6.1) into its
// first item, without the whitespace around it, and the rest. more is false
// after the last item.
func cutItem(list []byte) (item, rest []byte, more bool) {
	for i, o := range list {
		if o == ',' {
			return trimSpace(list[:i]), list[i+1:], true
		}
	}
	return trimSpace(list), nil, false
}
