package h1

import (
	"slices"
	"testing"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// delivery is one way to hand a response's bytes to the codec.
type delivery struct {
	heads  *Heads
	pieces []int // sizes of the pieces; what is left comes as the last one
	skips  bool  // bytes that may be skipped are
}

// deliver runs one exchange over a fresh connection: request out, data in
// pieces, then the peer's FIN.
func deliver(t testing.TB, toHEAD bool, data string, d delivery) (got result) {
	t.Helper()
	var c Conn
	c.Init(&Config{Request: &Request{Head: toHEAD}, Heads: d.heads, Expect: exchange.Expect{BodyBytes: -1}})
	c.Open()
	var x exchange.Exchange
	if !c.Start(&x, 1, false) {
		t.Fatal("a fresh connection takes no exchange")
	}
	leave(&c, 1)
	now := mono.Time(2)
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if i < len(d.pieces) {
			n = min(n, d.pieces[i])
		}
		feed(&c, now, data[:n], d.skips)
		data = data[n:]
		now++
	}
	reusable := c.Reusable() && x.Outcome != exchange.Pending
	c.End(now, 0, true)
	if c.Reusable() {
		t.Error("reusable after End")
	}
	if done := c.Done(); len(done) != 1 || done[0] != &x {
		t.Fatalf("Done = %v, want the one exchange", done)
	}
	return result{x.Status, x.BodyBytes, x.Outcome, x.Reason.Text, reusable}
}

// feed hands a piece over, and what may be skipped as skipped.
func feed(c *Conn, now mono.Time, piece string, skips bool) {
	for skips && piece != "" {
		n := min(int(min(c.Skippable(), 1<<20)), len(piece))
		if n > 0 {
			c.Skipped(now, int64(n))
		} else {
			// One octet at a time, so that the next payload is noticed.
			n = 1
			c.Feed(now, []byte(piece[:1]))
		}
		piece = piece[n:]
	}
	if !skips {
		c.Feed(now, []byte(piece))
	}
}

// singly cuts n bytes into pieces of one.
func singly(n int) []int { return slices.Repeat([]int{1}, n) }

func TestResponses(t *testing.T) {
	for _, r := range slices.Concat(goodResponses, hostileResponses) {
		t.Run(r.name, func(t *testing.T) {
			warm := new(Heads)
			check := func(way string, d delivery) {
				t.Helper()
				for _, d.heads = range []*Heads{nil, new(Heads), warm} {
					if got := deliver(t, r.toHEAD, r.bytes, d); got != r.want {
						t.Errorf("%s: got %+v, want %+v", way, got, r.want)
					}
				}
			}
			check("whole", delivery{})
			check("whole again", delivery{})
			check("byte by byte", delivery{pieces: singly(len(r.bytes))})
			check("body skipped", delivery{pieces: []int{len(r.bytes) - r.excess}, skips: true})
			// All two-way splits; of the few responses that fill a bound only
			// every 997th (a prime, so that it meets no period of the bytes).
			stride := 1
			if len(r.bytes) > 4000 {
				stride = 997
			}
			for at := 1; at < len(r.bytes); at += stride {
				check("split", delivery{pieces: []int{at}})
			}
		})
	}
}
