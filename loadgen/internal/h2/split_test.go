package h2

import (
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/request"
)

// bytesOf is all that the row's server sends.
func (r *response) bytesOf() []byte {
	s := newScript()
	if !r.bare {
		s.settings()
	}
	r.write(s)
	return s.take()
}

func (r *response) request(t testing.TB) *Request {
	return testRequest(t, func(spec *request.Spec) {
		if r.method != "" {
			spec.Method = r.method
		}
	})
}

// delivered is all that comes of a delivery.
type delivered struct {
	first, second result // streams 1 and 3
	out           string // what the client sent in answer
}

// deliver runs two exchanges over a fresh connection: requests out, data in
// pieces of these sizes (what is left comes as the last one), then the FIN.
func deliver(t testing.TB, request *Request, data []byte, pieces []int) delivered {
	t.Helper()
	var c Conn
	c.Init(&Config{Request: request, Expect: exchange.Expect{BodyBytes: -1}, Streams: 2})
	c.Open()
	var x [2]exchange.Exchange
	for i := range x {
		if !c.Start(&x[i], 1, false) {
			t.Fatal("a fresh connection takes no exchange")
		}
	}
	c.Out()
	c.Stamp(1)
	now := mono.Time(2)
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if i < len(pieces) {
			n = min(n, pieces[i])
		}
		piece := slices.Clone(data[:n])
		c.Feed(now, piece)
		clear(piece) // it is only the codec's during the call
		data = data[n:]
		now++
	}
	reusable := c.Reusable()
	out, _ := c.Out()
	got := delivered{out: string(out)}
	resets := resetsIn(out)
	c.End(now, 0, true)
	if c.Reusable() {
		t.Error("reusable after End")
	}
	if done := c.Done(); len(done) != 2 || done[0] == done[1] {
		t.Fatalf("Done = %v, want the two exchanges", done)
	}
	for i, r := range []*result{&got.first, &got.second} {
		*r = result{x[i].Status, x[i].BodyBytes, x[i].Outcome, x[i].Reason.Text, reusable, slices.Contains(resets, uint32(1+2*i))}
	}
	return got
}

// resetsIn returns the streams that the client gave up.
func resetsIn(out []byte) (ids []uint32) {
	for len(out) > 0 {
		f := parseFrame(out)
		if f.typ == 3 {
			ids = append(ids, f.id)
		}
		out = out[frameHeaderBytes+f.length:]
	}
	return ids
}

// singly cuts n bytes into pieces of one.
func singly(n int) []int { return slices.Repeat([]int{1}, n) }

func TestResponses(t *testing.T) {
	for _, r := range slices.Concat(goodResponses, hostileResponses) {
		t.Run(r.name, func(t *testing.T) {
			request, data := r.request(t), r.bytesOf()
			want := deliver(t, request, data, nil)
			if want.first != r.want {
				t.Errorf("got %+v, want %+v", want.first, r.want)
			}
			other := result{outcome: exchange.Reset, text: "closed before the response", reusable: true}
			switch {
			case !r.want.reusable && r.want.outcome == exchange.OK: // what came behind the response broke the connection
				other = broken("frame on a closed stream")
			case !r.want.reusable:
				other = broken(r.want.text)
			case strings.HasPrefix(r.name, "list-above"): // it got an interim response
				other = cutOff(exchange.ReadFailed, 0, 0, "closed inside the head")
			}
			if want.second != other {
				t.Errorf("the other stream: got %+v, want %+v", want.second, other)
			}
			check := func(way string, pieces []int) {
				t.Helper()
				if got := deliver(t, request, data, pieces); got != want {
					t.Errorf("%s: got %+v, whole %+v", way, got, want)
				}
			}
			check("byte by byte", singly(len(data)))
			// All two-way splits; of long ones only every 997th (a prime, so that it
			// meets no period of the bytes).
			stride := 1
			if len(data) > 2000 {
				stride = 997
			}
			for at := 1; at < len(data); at += stride {
				check("split", []int{at})
			}
		})
	}
}
