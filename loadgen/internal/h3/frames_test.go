package h3

import (
	"bytes"
	"testing"

	"github.com/quic-go/quic-go/quicvarint"
)

func TestVarint(t *testing.T) {
	for _, n := range []uint64{0, 1, 63, 64, 16383, 16384, 1<<30 - 1, 1 << 30, 1<<62 - 1} {
		b := appendVarint(nil, n)
		if want := quicvarint.Append(nil, n); !bytes.Equal(b, want) {
			t.Errorf("%d: % x, want % x", n, b, want)
		}
		for _, size := range []int{1, 2, 4, 8} {
			if size < len(b) {
				continue
			}
			b := quicvarint.AppendWithLen(nil, n, size)
			if got, used := varint(append(b, 0xff)); got != n || used != size {
				t.Errorf("% x: %d in %d bytes, want %d in %d", b, got, used, n, size)
			}
			if got, used := varint(b[:size-1]); got != 0 || used != 0 {
				t.Errorf("% x: %d in %d bytes, but it is cut", b[:size-1], got, used)
			}
		}
	}
}

// A frame's header at each of its sizes, cut at each place in up to three.
func TestFrameHeaderSplits(t *testing.T) {
	for _, typeBytes := range []int{1, 2, 4, 8} {
		for _, lengthBytes := range []int{1, 2, 4, 8} {
			b := quicvarint.AppendWithLen(nil, 9, typeBytes)
			b = quicvarint.AppendWithLen(b, 3, lengthBytes)
			size := len(b)
			b = append(b, "abcd"...)
			for first := range len(b) {
				for second := range len(b) - first {
					var f frames
					var got []byte
					take := func(piece []byte) {
						for len(piece) > 0 {
							if f.toCome == 0 {
								rest, ok := f.begin(piece)
								if !ok {
									return
								}
								piece = rest
							}
							payload, rest, whole := f.gather(piece)
							if piece = rest; whole {
								got = append(append(got, byte(f.typ)), payload...)
							}
						}
					}
					inPieces(b, []int{first, second}, take)
					if string(got) != "\x09abc" || !f.inside() || f.header.n != 1 { // d is the next one's type
						t.Errorf("% x, a header of %d, cut at %d and %d: %q, %+v", b, size, first, second, got, f)
					}
				}
			}
		}
	}
}
