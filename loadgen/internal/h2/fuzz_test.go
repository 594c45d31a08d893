package h2

import (
	"slices"
	"testing"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/request"
)

// seeds are the table's rows, less the long ones.
func seeds() (all []response) {
	for _, r := range slices.Concat(goodResponses, hostileResponses) {
		if len(r.bytesOf()) <= 1000 {
			all = append(all, r)
		}
	}
	return all
}

// FuzzSplit holds any split of any bytes against the bytes in one piece: equal
// outcomes, and equal answers of the client.
func FuzzSplit(f *testing.F) {
	for i, r := range seeds() {
		f.Add(r.bytesOf(), []byte{byte(i), 1, byte(3 * i)}, r.method == "HEAD")
	}
	f.Fuzz(func(t *testing.T, data, cuts []byte, toHEAD bool) {
		request := testRequest(t, func(s *request.Spec) {
			if toHEAD {
				s.Method = "HEAD"
			}
		})
		pieces := make([]int, len(cuts))
		for i, cut := range cuts {
			pieces[i] = int(cut) // zero is an empty Feed
		}
		want := deliver(t, request, data, nil)
		if got := deliver(t, request, data, pieces); got != want {
			t.Fatalf("%q: in pieces of %v %+v, whole %+v", data, pieces, got, want)
		}
	})
}

// FuzzCount runs any course of calls. Whatever comes, no exchange is lost or
// returned twice, and nothing grows beyond its bound.
func FuzzCount(f *testing.F) {
	for _, r := range seeds() {
		b := r.bytesOf()
		course := []byte{0, 0, 1}
		for len(b) > 0 {
			n := min(len(b), 255)
			course = append(append(course, 3, byte(n)), b[:n]...)
			b = b[n:]
		}
		f.Add(course, uint8(2), uint16(0))
	}
	f.Add([]byte{9, 0, 4, 1, 0, 6, 1, 0, 0, 0, 1, 4, 2, 5, 3, 5, 200, 6, 7, 5, 8, 9, 0, 1, 4, 0, 7, 0}, uint8(3), uint16(70))
	f.Fuzz(runCourse)
}

// course is the state of one run of calls.
type course struct {
	t     *testing.T
	c     Conn
	s     *script
	now   mono.Time
	free  []*exchange.Exchange
	out   map[*exchange.Exchange]bool // started and not returned
	bytes []byte                      // what is left of the course
}

func runCourse(t *testing.T, bytes []byte, streams uint8, bodyBytes uint16) {
	run := course{t: t, s: newScript(), now: 1, out: map[*exchange.Exchange]bool{}, bytes: bytes}
	cfg := posting(t, int(bodyBytes))
	cfg.Streams = int(streams)%20 + 1
	run.c.Init(cfg)
	run.c.Open()
	for range 2 * cfg.Streams {
		run.free = append(run.free, new(exchange.Exchange))
	}
	for len(run.bytes) > 0 {
		run.step()
		run.bounded()
	}
	run.c.Abort(run.now, exchange.Unfinished, exchange.Reason{})
	run.collect()
	if len(run.out) > 0 || run.c.streams.open != 0 {
		t.Fatalf("%d exchanges were lost", len(run.out))
	}
}

// next is the next byte of the course; 0 behind its end.
func (r *course) next() byte {
	if len(r.bytes) == 0 {
		return 0
	}
	b := r.bytes[0]
	r.bytes = r.bytes[1:]
	return b
}

func (r *course) step() {
	r.now++
	switch r.next() % 10 {
	case 0:
		r.start()
	case 1:
		r.c.Out()
		r.c.Stamp(r.now)
	case 2:
		r.c.Out()
	case 3:
		n := min(int(r.next()), len(r.bytes))
		r.c.Feed(r.now, r.bytes[:n])
		r.bytes = r.bytes[n:]
	case 4:
		r.s.headers(uint32(r.next()), false, ":status", "200")
		r.c.Feed(r.now, r.s.take())
	case 5:
		r.now += mono.Time(r.next())
		r.c.Expire(r.now)
		if at := r.c.Deadline(); at != 0 && at <= r.now {
			r.t.Fatalf("the deadline %d is over after Expire(%d)", at, r.now)
		}
	case 6:
		r.s.settings(http2.Setting{ID: http2.SettingID(r.next() % 7), Val: uint32(r.next())})
		r.c.Feed(r.now, r.s.take())
	case 7:
		r.s.framer.WriteGoAway(uint32(r.next()), http2.ErrCode(r.next()%3), nil)
		r.c.Feed(r.now, r.s.take())
	case 8:
		r.collect()
	case 9:
		r.c.End(r.now, 0, true)
		r.c.Open()
		r.s = newScript()
		r.s.settings()
		r.c.Feed(r.now, r.s.take())
	}
}

// start starts an exchange; Free says whether that goes.
func (r *course) start() {
	if len(r.free) == 0 {
		return
	}
	free, x := r.c.Free(), r.free[0]
	if started := r.c.Start(x, r.now, r.next() == 255); started != (free > 0) {
		r.t.Fatalf("Free = %d, Start = %v", free, started)
	} else if started {
		r.free = r.free[1:]
		r.out[x] = true
	}
}

// collect takes what has ended.
func (r *course) collect() {
	for _, x := range r.c.Done() {
		if !r.out[x] {
			r.t.Fatal("an exchange is returned that is not out")
		}
		if (x.Done == 0) != (x.Outcome == exchange.Pending) || x.Outcome == exchange.ProtocolError && x.Reason.Text == "" {
			r.t.Fatalf("%+v", x)
		}
		delete(r.out, x)
		r.free = append(r.free, x)
	}
}

// bounded checks what a server could make grow.
func (r *course) bounded() {
	c := &r.c
	for _, b := range []struct {
		what      string
		have, max int
	}{
		{"payload", len(c.payload), maxFrameBytes},
		{"header block", len(c.fields.bytes), maxBlockBytes},
		// The opening, the acknowledgements, a RST_STREAM and a WINDOW_UPDATE of each
		// exchange that ended, at most one for each byte of this course, and a GOAWAY.
		{"queued bytes", len(c.out), 100 + maxReplyBytes + 17 + 26*len(c.done)},
		{"ended exchanges", len(c.done), len(r.out)},
		{"senders", c.senders.size(), len(c.streams.cells) + 1},
		{"open streams", c.streams.open + c.queued.size(), c.cfg.Streams},
	} {
		if b.have > b.max {
			r.t.Fatalf("%s: %d, at most %d", b.what, b.have, b.max)
		}
	}
	for i := range c.decoder.known.entries {
		if n := cap(c.decoder.known.entries[i].bytes); n > 2*knownBlockBytesMax {
			r.t.Fatalf("a remembered block of %d bytes", n)
		}
	}
	if n := len(c.decoder.table.ring); n > 128 || c.decoder.table.usedBytes > defaultTableBytes { // 4096 bytes of entries of at least 32
		r.t.Fatalf("a table of %d places and %d bytes", n, c.decoder.table.usedBytes)
	}
}
