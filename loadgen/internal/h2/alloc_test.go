package h2

import (
	"testing"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// ring runs exchanges over one connection, so many at a time, and answers each
// with the same block.
type ring struct {
	c         Conn
	slots     []exchange.Exchange
	responses []byte
	block     []byte
	now       mono.Time
}

func newRing(t testing.TB, cfg *Config) *ring {
	r := &ring{slots: make([]exchange.Exchange, cfg.Streams)}
	r.c.Init(cfg)
	r.c.Open()
	s := newScript()
	s.settings()
	// The first block fills the table, the others refer to it, as Go's server does.
	fields := []string{":status", "200", "server", "s", "date", "Thu, 01 Jan 1970 00:00:00 GMT", "content-length", "5"}
	first := s.fields(fields...)
	r.block = s.fields(fields...)
	r.c.Feed(1, s.take())
	r.run(t, first)
	return r
}

// run is one round: all slots out, all responses in.
func (r *ring) run(t testing.TB, block []byte) {
	r.now++
	id := r.c.streams.next
	for i := range r.slots {
		if !r.c.Start(&r.slots[i], r.now, false) {
			t.Fatal("Start refused")
		}
	}
	if _, more := r.c.Out(); more {
		t.Fatal("more")
	}
	r.c.Stamp(r.now)
	r.responses = r.responses[:0]
	for range r.slots {
		r.responses = appendFrame(r.responses, len(block), 1, flagEndHeaders, id)
		r.responses = append(r.responses, block...)
		r.responses = appendFrame(r.responses, 5, 0, flagEndStream, id)
		r.responses = append(r.responses, "hello"...)
		id += 2
		block = r.block
	}
	r.c.Feed(r.now, r.responses)
	done := r.c.Done()
	if len(done) != len(r.slots) {
		t.Fatalf("%d done: %q", len(done), r.c.Fault())
	}
	for _, x := range done {
		if x.Outcome != exchange.OK || x.Sent != r.now {
			t.Fatalf("%v %q", x.Outcome, x.Reason.Text)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, test := range []struct {
		name      string
		streams   int
		bodyBytes int
	}{
		{"1 stream", 1, 0},
		{"10 streams", 10, 0},
		{"10 streams, bodies", 10, 100},
		{"100 streams", 100, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := posting(t, test.bodyBytes)
			cfg.Streams = test.streams
			r := newRing(t, cfg)
			r.c.sendWindow = maxWindow
			// AllocsPerRun runs the function once before it counts: that is when the
			// buffers come to be.
			allocs := testing.AllocsPerRun(1, func() {
				for range 1000 {
					r.run(t, r.block)
				}
			})
			if allocs != 0 {
				t.Errorf("1000 rounds: %v allocations, want 0", allocs)
			}
		})
	}
}
