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
// pieces, then the peer's FIN. stray tells that bytes came after its end.
func deliver(t testing.TB, toHEAD bool, data string, d delivery) (got result, stray bool) {
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
	return result{x.Status, x.BodyBytes, x.Outcome, x.Reason.Text, reusable}, c.Stray()
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
			check := func(way string, d delivery, want result, wantStray bool) {
				t.Helper()
				for _, d.heads = range []*Heads{nil, new(Heads), warm} {
					got, stray := deliver(t, r.toHEAD, r.bytes, d)
					if got != want || stray != wantStray {
						t.Errorf("%s: got %+v, stray %v; want %+v, stray %v", way, got, stray, want, wantStray)
					}
				}
			}
			// Bytes behind the end that come in a later piece than the end find
			// the exchange complete, and are stray.
			end := len(r.bytes) - r.excess
			ended := r.want
			if r.excess > 0 {
				ended = ok(r.want.status, r.want.bodyBytes, closed)
			}

			check("whole", delivery{}, r.want, false)
			check("whole again", delivery{}, r.want, false)
			check("byte by byte", delivery{pieces: singly(len(r.bytes))}, ended, r.excess > 0)
			check("body skipped", delivery{pieces: []int{end}, skips: true}, ended, r.excess > 0)
			// All two-way splits; of the few responses that fill a bound only
			// every 997th (a prime, so that it meets no period of the bytes).
			stride := 1
			if len(r.bytes) > 4000 {
				stride = 997
			}
			for at := 1; at < len(r.bytes); at += stride {
				want, stray := r.want, false
				if at == end {
					want, stray = ended, true
				}
				check("split", delivery{pieces: []int{at}}, want, stray)
			}
		})
	}
}
