package h3

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// response is a row of the response tables: what comes on a request stream, up
// to its FIN.
type response struct {
	name  string
	head  bool // answers HEAD
	bytes []byte
	want  result
}

// result is all that a Response tells.
type result struct {
	status    uint16
	bodyBytes int64
	began     bool
	feed      Fault // of the last Feed
	end       Fault // of End
}

// ok is a complete response.
func ok(status uint16, bodyBytes int64) result {
	return result{status: status, bodyBytes: bodyBytes, began: true}
}

// goodResponses are those that RFC 9114 allows or lets a client accept.
var goodResponses = []response{
	{name: "length", bytes: join(headers(":status", "200", "content-length", "5"), data(5)), want: ok(200, 5)},
	{name: "no-length", bytes: join(headers(":status", "200"), data(7)), want: ok(200, 7)},
	{name: "no-body", bytes: headers(":status", "200", "content-length", "0"), want: ok(200, 0)},
	{name: "no-body-no-length", bytes: headers(":status", "200"), want: ok(200, 0)},
	{name: "length-twice", bytes: join(headers(":status", "200", "content-length", "2", "content-length", "02"), data(2)), want: ok(200, 2)},
	{name: "frames", bytes: join(headers(":status", "200", "content-length", "1001"), data(0), data(1), data(1000), data(0)), want: ok(200, 1001)},
	{name: "long-frame", bytes: join(headers(":status", "200"), data(16384)), want: ok(200, 16384)}, // 4 bytes of length
	{name: "long-integers", bytes: join(
		// type and length in 8 bytes each
		[]byte{0xc0, 0, 0, 0, 0, 0, 0, 1, 0xc0, 0, 0, 0, 0, 0, 0, 3}, []byte{0, 0, 0xc0 | 25},
		[]byte{0x40, 0, 0x80, 0, 0, 2}, []byte("ab"),
	), want: ok(200, 2)},
	{name: "trailers", bytes: join(headers(":status", "200"), data(5), headers("x-sum", "1", "content-length", "77")), want: ok(200, 5)},
	{name: "trailers-no-body", bytes: join(headers(":status", "200"), headers("x-sum", "1")), want: ok(200, 0)},
	{name: "trailers-empty", bytes: join(headers(":status", "200"), data(1), headers()), want: ok(200, 1)},
	{name: "interim", bytes: join(
		headers(":status", "100"), headers(":status", "103", "link", "</a>", "content-length", "9"),
		headers(":status", "200", "content-length", "5"), data(5),
	), want: ok(200, 5)},
	{name: "interim-100", bytes: join(bytes.Repeat(headers(":status", "103"), 100), headers(":status", "200")), want: ok(200, 0)},
	{name: "other-frames", bytes: join(
		frame(0x21), frame(0x21+0x1f, 1, 2, 3), frame(0x0f0700, make([]byte, 300)...), // two that are reserved to be ignored, PRIORITY_UPDATE
		headers(":status", "200"), frame(0x0a, 1), data(1), frame(1<<62-1, make([]byte, 70)...), data(1),
		headers("x", "y"), frame(0x0c), frame(0x40, 9),
	), want: ok(200, 2)},
	{name: "pieces-of-plain", bytes: join(frame(frameHeaders, plain(":status", "200", "content-length", "3", "x", strings.Repeat("~", 300))...), data(3)), want: ok(200, 3)},
	{name: "section-64-KiB", bytes: frame(frameHeaders, sectionOfBytes(65536)...), want: ok(200, 0)},

	{name: "status-404", bytes: join(headers(":status", "404"), data(3)), want: ok(404, 3)},
	{name: "status-999", bytes: headers(":status", "999"), want: ok(999, 0)},
	{name: "no-content", bytes: headers(":status", "204"), want: ok(204, 0)},
	{name: "no-content-empty-data", bytes: join(headers(":status", "204"), data(0)), want: ok(204, 0)},
	{name: "no-content-with-length", bytes: headers(":status", "204", "content-length", "3"), want: ok(204, 0)},
	{name: "not-modified-with-length", bytes: headers(":status", "304", "content-length", "1234"), want: ok(304, 0)},
	{name: "head", head: true, bytes: headers(":status", "200", "content-length", "1234"), want: ok(200, 0)},
	{name: "head-empty-data", head: true, bytes: join(headers(":status", "200", "content-length", "1234"), data(0)), want: ok(200, 0)},
	{name: "head-trailers", head: true, bytes: join(headers(":status", "200"), headers("x", "y")), want: ok(200, 0)},
}

// sectionOfBytes is a section of a 200 that has so many bytes.
func sectionOfBytes(n int) []byte {
	// 2 of prefix, 1 of status, 2 of the name x, those of a length, the value
	valueBytes := n - 5 - len(appendPrefixed(nil, 0, 7, uint64(n)))
	b := append([]byte{0, 0, 0xc0 | 25, 0x21, 'x'}, appendPrefixed(nil, 0, 7, uint64(valueBytes))...)
	return append(b, strings.Repeat("~", valueBytes)...)
}

// deliver feeds a response in pieces and ends it.
func deliver(heads *Heads, r *Response, row response, pieces []int) result {
	r.Begin(heads, row.head)
	var got result
	inPieces(row.bytes, pieces, func(b []byte) { got.feed = r.Feed(b) })
	got.end = r.End()
	got.status, got.bodyBytes, got.began = r.Status(), r.BodyBytes(), r.Began()
	return got
}

func TestResponses(t *testing.T) {
	// One Response and one Heads for all rows: nothing of one may show in another.
	var r Response
	var heads Heads
	for _, row := range slices.Concat(goodResponses, hostileResponses) {
		t.Run(row.name, func(t *testing.T) {
			if got := deliver(new(Heads), new(Response), row, nil); got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
			splits(len(row.bytes), func(way string, pieces []int) {
				if got := deliver(&heads, &r, row, pieces); got != row.want {
					t.Errorf("%s %d: got %+v, want %+v", way, pieces[0], got, row.want)
				}
			})
		})
	}
}

// Nothing changes a fault once it is told, and an empty Feed is no byte.
func TestFaultStays(t *testing.T) {
	var r Response
	r.Begin(new(Heads), false)
	if fault := r.Feed(nil); fault.Bad() || r.Began() {
		t.Errorf("an empty Feed: %+v, Began %v", fault, r.Began())
	}
	want := connectionFault(FrameUnexpected, faultDataFirst)
	for _, b := range [][]byte{data(1), headers(":status", "200"), nil, frame(0x21)} {
		if fault := r.Feed(b); fault != want {
			t.Errorf("% x: %+v, want %+v", b, fault, want)
		}
	}
	if fault := r.End(); fault != want || r.Status() != 0 || r.BodyBytes() != 0 {
		t.Errorf("End: %+v, status %d, %d bytes", fault, r.Status(), r.BodyBytes())
	}
	r.Begin(new(Heads), false)
	if fault := r.Feed(headers(":status", "200")); fault.Bad() || r.Status() != 200 {
		t.Errorf("after Begin: %+v, status %d", fault, r.Status())
	}
}

// What a server announces is not allocated, and what it made us keep is let go.
func TestResponseMemory(t *testing.T) {
	var r Response
	r.Begin(new(Heads), false)
	r.Feed(headers(":status", "200"))
	for range 100 {
		if fault := r.Feed(join(announced(0x21, 1<<40)[:], make([]byte, 1000))); fault.Bad() {
			t.Fatalf("%+v", fault)
		}
	}
	if n := cap(r.frames.payload); n != 0 {
		t.Errorf("%d bytes are kept of what is ignored", n)
	}
	r.Begin(new(Heads), false)
	long := frame(frameHeaders, sectionOfBytes(65536)...)
	for len(long) > 0 {
		n := min(len(long), 1200)
		if fault := r.Feed(long[:n]); fault.Bad() {
			t.Fatalf("%+v", fault)
		}
		long = long[n:]
	}
	if n := cap(r.frames.payload); r.Status() != 200 || n < 65536 || n > 2*65536 {
		t.Errorf("status %d, %d bytes are kept of 65536", r.Status(), n)
	}
	r.Begin(new(Heads), false)
	if n := cap(r.frames.payload); n > keptSectionBytes {
		t.Errorf("%d bytes are kept for the next response", n)
	}
}
