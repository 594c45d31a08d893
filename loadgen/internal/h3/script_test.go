package h3

import (
	"bytes"
	"slices"
	"testing"

	"github.com/quic-go/qpack"
)

// What a server would send, as bytes.

// section encodes fields, given as names and values in turn, as a server with
// qpack would.
func section(pairs ...string) []byte {
	var out bytes.Buffer
	encoder := qpack.NewEncoder(&out)
	for i := 0; i < len(pairs); i += 2 {
		encoder.WriteField(qpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	if len(pairs) == 0 {
		return []byte{0, 0} // the encoder writes its prefix with the first field
	}
	return out.Bytes()
}

// plain encodes fields without Huffman and without the static table.
func plain(pairs ...string) []byte {
	b := []byte{0, 0}
	for i := 0; i < len(pairs); i += 2 {
		name, value := pairs[i], pairs[i+1]
		b = append(appendPrefixed(b, 0x20, 3, uint64(len(name))), name...)
		b = append(appendPrefixed(b, 0, 7, uint64(len(value))), value...)
	}
	return b
}

// appendPrefixed is the other side of cutPrefixed; high are the bits above the
// prefix.
func appendPrefixed(b []byte, high byte, prefixBits uint, n uint64) []byte {
	prefixMax := uint64(1)<<prefixBits - 1
	if n < prefixMax {
		return append(b, high|byte(n))
	}
	b = append(b, high|byte(prefixMax))
	for n -= prefixMax; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// frame is one frame.
func frame(typ uint64, payload ...byte) []byte {
	return append(appendFrameHeader(nil, typ, len(payload)), payload...)
}

// announced is the header of a frame whose payload does not follow.
func announced(typ, payloadBytes uint64) []byte {
	return appendVarint(appendVarint(nil, typ), payloadBytes)
}

func headers(pairs ...string) []byte { return frame(frameHeaders, section(pairs...)...) }

// raw is a HEADERS frame of a section's lines as they are.
func raw(lines ...byte) []byte { return frame(frameHeaders, append([]byte{0, 0}, lines...)...) }

func data(n int) []byte { return frame(frameData, bytes.Repeat([]byte{'d'}, n)...) }

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// inPieces hands data out in pieces of these sizes; what is left comes as the
// last one. The receiver sees each only during its call.
func inPieces(data []byte, pieces []int, feed func(b []byte)) {
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if i < len(pieces) {
			n = min(n, pieces[i])
		}
		piece := slices.Clone(data[:n])
		feed(piece)
		clear(piece)
		data = data[n:]
	}
}

// splits runs check for each way to split so many bytes that tests look at: byte
// by byte, and each cut in two; of long ones only every 997th (a prime, so that
// it meets no period of the bytes).
func splits(n int, check func(way string, pieces []int)) {
	check("byte by byte", slices.Repeat([]int{1}, n))
	stride := 1
	if n > 2000 {
		stride = 997
	}
	for at := 1; at < n; at += stride {
		check("split", []int{at})
	}
}

// sectionOf is what a fresh Heads reads.
func sectionOf(b []byte) (answer, Fault) { return new(Heads).read(b) }

// wantAnswer holds a section against what it should say.
func wantAnswer(t *testing.T, b []byte, want answer) {
	t.Helper()
	if got, fault := sectionOf(b); got != want || fault.Bad() {
		t.Errorf("% x: %+v, %+v, want %+v", b, got, fault, want)
	}
}

// wantFault holds a section against the fault that it should be.
func wantFault(t *testing.T, b []byte, want Fault) {
	t.Helper()
	if got, fault := sectionOf(b); got != (answer{}) || fault != want {
		t.Errorf("% x: %+v, %+v, want %+v", b, got, fault, want)
	}
}
