package h3

import (
	"slices"
	"testing"

	"github.com/quic-go/quic-go/quicvarint"
)

// piecesOf makes sizes of pieces of any bytes; zero is an empty Feed.
func piecesOf(cuts []byte) []int {
	pieces := make([]int, len(cuts))
	for i, cut := range cuts {
		pieces[i] = int(cut)
	}
	return pieces
}

// statusByDecoder is the status of the final response by qpack's decoder, 0 when
// there is none. sure is false when qpack cannot decode a section before, or
// accepts one that RFC 9204 does not.
func statusByDecoder(data []byte) (status uint16, sure bool) {
	const negativeBase = 0x80
	for len(data) > 0 {
		typ, n, err := quicvarint.Parse(data)
		if err != nil {
			return 0, true
		}
		length, m, err := quicvarint.Parse(data[n:])
		if err != nil || length > uint64(len(data)-n-m) {
			return 0, true
		}
		payload := data[n+m : n+m+int(length)]
		data = data[n+m+int(length):]
		if typ > frameMaxPushID {
			continue // unknown; smaller unknown ones are left to the tables
		}
		if typ != frameHeaders {
			return 0, false
		}
		a, ok := decoded(payload)
		switch {
		case !ok || payload[1]&negativeBase != 0 || len(payload) > maxSectionBytes:
			return 0, false
		case a.status == 0 || a.status == 101: // malformed
			return 0, true
		case a.status >= 200:
			return a.status, true
		}
	}
	return 0, true
}

// FuzzResponse holds any split of any bytes against the bytes in one piece, and
// the status against qpack's decoder.
func FuzzResponse(f *testing.F) {
	for i, row := range slices.Concat(goodResponses, hostileResponses) {
		if len(row.bytes) <= 1000 {
			f.Add(row.bytes, []byte{byte(i), 0, 1, byte(3 * i)}, row.head)
		}
	}
	f.Fuzz(func(t *testing.T, data, cuts []byte, head bool) {
		var heads Heads
		var r Response
		row := response{head: head, bytes: data}
		want := deliver(&heads, &r, row, nil)
		if got := deliver(&heads, &r, row, piecesOf(cuts)); got != want {
			t.Fatalf("% x: in pieces of %v %+v, whole %+v", data, cuts, got, want)
		}
		if status, sure := statusByDecoder(data); sure && status != want.status {
			t.Fatalf("% x: status %d, by qpack %d", data, want.status, status)
		}
		if want.feed.Bad() && want.end != want.feed || want.bodyBytes > int64(len(data)) || want.began != (len(data) > 0) {
			t.Fatalf("% x: %+v", data, want)
		}
		if n := cap(r.frames.payload); n > 2*maxSectionBytes {
			t.Fatalf("%d bytes are kept", n)
		}
	})
}

// FuzzUni does the same for two streams of one connection.
func FuzzUni(f *testing.F) {
	for i, row := range streams {
		f.Add(row.bytes, streams[(i+7)%len(streams)].bytes, []byte{byte(i), 0, 1, byte(3 * i)})
	}
	f.Fuzz(func(t *testing.T, first, second, cuts []byte) {
		type both struct {
			uni     [2]told
			control Control
		}
		run := func(pieces []int) (got both) {
			for i, b := range [][]byte{first, second} {
				var u Uni
				told := &got.uni[i]
				inPieces(b, pieces, func(b []byte) { told.feed = u.Feed(&got.control, b) })
				told.end, told.ignored = u.End(&got.control), u.Ignored()
				if n := cap(u.frames.payload); n > 2*maxSettingsBytes {
					t.Fatalf("%d bytes are kept", n)
				}
				if told.feed.Bad() && (!told.feed.Connection || told.end != told.feed || told.ignored) {
					t.Fatalf("% x: %+v", b, told)
				}
			}
			return got
		}
		want := run(nil)
		if got := run(piecesOf(cuts)); got != want {
			t.Fatalf("% x, % x: in pieces of %v %+v, whole %+v", first, second, cuts, got, want)
		}
		if id, said := want.control.GoAway(); id%4 != 0 || !said && id != 0 {
			t.Fatalf("GOAWAY %d, %v", id, said)
		}
	})
}
