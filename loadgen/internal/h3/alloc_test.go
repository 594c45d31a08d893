package h3

import (
	"fmt"
	"testing"
)

// exchanged is one exchange whose response comes in these pieces.
func exchanged(t testing.TB, heads *Heads, r *Response, want uint16, pieces ...[]byte) {
	r.Begin(heads, false)
	for _, b := range pieces {
		if fault := r.Feed(b); fault.Bad() {
			t.Fatalf("%+v", fault)
		}
	}
	if fault := r.End(); fault.Bad() || r.Status() != want {
		t.Fatalf("%+v, status %d, want %d", fault, r.Status(), want)
	}
}

// smallResponse is about what servers answer small requests with.
func smallResponse() []byte {
	return join(headers(":status", "200", "server", "nginx", "date", "Thu, 01 Jan 1970 00:00:00 GMT",
		"content-type", "text/plain", "content-length", "14", "last-modified", "Thu, 01 Jan 1970 00:00:00 GMT", "etag", `"0-e"`), data(14))
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	small := smallResponse()
	// More different sections than are remembered: each is read anew.
	var different [][]byte
	for i := range 2 * knownHeadsMax {
		different = append(different, headers(":status", "200", "x-request-id", fmt.Sprintf("%08x", i), "content-length", "0"))
	}
	next := 0
	for _, test := range []struct {
		name string
		run  func(heads *Heads, r *Response)
	}{
		{"whole", func(heads *Heads, r *Response) { exchanged(t, heads, r, 200, small) }},
		{"in three", func(heads *Heads, r *Response) {
			exchanged(t, heads, r, 200, small[:1], small[1:20], small[20:])
		}},
		{"new sections", func(heads *Heads, r *Response) {
			exchanged(t, heads, r, 200, different[next%len(different)])
			next++
		}},
		{"fault", func(heads *Heads, r *Response) {
			r.Begin(heads, false)
			if fault := r.Feed(small[len(small)-16:]); fault.Text != faultDataFirst || fault.Code.String() == "" {
				t.Fatalf("%+v", fault)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var heads Heads
			var r Response
			for range 2 * len(different) { // the buffers come to be
				test.run(&heads, &r)
			}
			allocs := testing.AllocsPerRun(1, func() {
				for range 1000 {
					test.run(&heads, &r)
				}
			})
			if allocs != 0 {
				t.Errorf("1000 responses: %v allocations, want 0", allocs)
			}
		})
	}
}
