package h1

import (
	"testing"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

const (
	smallResponse = "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
		"Content-Type: text/plain\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"
	chunkedResponse = "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
		"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n"
)

// ring runs exchanges over one connection, one after the other.
type ring struct {
	c   Conn
	x   exchange.Exchange
	now mono.Time
}

func newRing(t testing.TB, heads *Heads) *ring {
	cfg := testConfig(t)
	cfg.Heads = heads
	r := new(ring)
	r.c.Init(cfg)
	r.c.Open()
	return r
}

// exchange runs one with its response in pieces of size bytes and returns its
// outcome.
func (r *ring) exchange(response []byte, size int) exchange.Outcome {
	r.now++
	r.c.Start(&r.x, r.now, false)
	leave(&r.c, r.now)
	for len(response) > size {
		r.c.Feed(r.now, response[:size])
		response = response[size:]
	}
	r.c.Feed(r.now, response)
	for _, x := range r.c.Done() {
		return x.Outcome
	}
	return exchange.Pending
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, test := range []struct {
		name     string
		heads    *Heads
		response string
		size     int
	}{
		{"remembered head", new(Heads), smallResponse, 1 << 20},
		{"parsed head", nil, smallResponse, 1 << 20},
		{"split head", new(Heads), smallResponse, 7},
		{"chunked", new(Heads), chunkedResponse, 1 << 20},
		{"chunked byte by byte", new(Heads), chunkedResponse, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRing(t, test.heads)
			response := []byte(test.response)
			failed := 0
			// AllocsPerRun runs the function once before it counts: that is the
			// set-up in which the buffer for split lines comes to be.
			allocs := testing.AllocsPerRun(1, func() {
				for range 1000 {
					if r.exchange(response, test.size) != exchange.OK {
						failed++
					}
				}
			})
			if allocs != 0 || failed != 0 {
				t.Errorf("1000 exchanges: %v allocations, %d failed; want 0, 0", allocs, failed)
			}
		})
	}
}
