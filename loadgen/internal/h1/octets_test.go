package h1

import "testing"

// Every octet at every place of a word and of a tail, against RFC 9110 section
// 5.5: field values hold HTAB, SP, VCHAR and obs-text.
func TestHasControl(t *testing.T) {
	for size := 1; size <= 19; size++ { // two words and a tail of three
		for at := range size {
			for octet := range 256 {
				b := make([]byte, size)
				for i := range b {
					b[i] = "\t ~\x80\xff"[i%5] // the neighbours at which a subtraction could go wrong
				}
				b[at] = byte(octet)
				want := octet < ' ' && octet != '\t' || octet == 0x7f
				if got := hasControl(b); got != want {
					t.Fatalf("hasControl(%q) = %v, want %v", b, got, want)
				}
			}
		}
	}
}

func TestToken(t *testing.T) {
	count := 0
	for octet := range 256 {
		if token[octet] {
			count++
		}
	}
	// tchar: 15 marks, 10 digits, 2 x 26 letters
	if count != 77 {
		t.Errorf("%d octets are token characters, want 77", count)
	}
	for _, o := range "\x00\t\r\n \x7f\"(),/:;<=>?@[\\]{}" {
		if token[o] {
			t.Errorf("%q counts as a token character", o)
		}
	}
}
