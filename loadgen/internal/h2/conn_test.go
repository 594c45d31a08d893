package h2

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/request"
)

func TestStamps(t *testing.T) {
	cfg := testConfig(t)
	var c Conn
	c.Init(cfg)
	c.Open()
	x := exchange.Exchange{Intended: 1, Ready: 2, Sent: 3, FirstByte: 4, Done: 5, Status: 6, BodyBytes: 7,
		Outcome: exchange.Reset, Reason: exchange.Reason{Text: "old", Errno: 8}, Conn: 9, Slot: 10}
	if !c.Start(&x, 1000, false) {
		t.Fatal("Start refused")
	}
	// Deadline = 1000 + 100; what others own stays.
	if want := (exchange.Exchange{Intended: 1, Ready: 2, Deadline: 1100, Conn: 9, Slot: 10}); x != want {
		t.Errorf("after Start: %+v, want %+v", x, want)
	}
	c.Stamp(1001) // nothing of it has been handed out
	c.Out()
	if x.Sent != 0 {
		t.Errorf("sent at %d before it left", x.Sent)
	}
	c.Stamp(1002)
	c.Stamp(1003) // it leaves once
	if x.Sent != 1002 || x.Deadline != 1102 || c.Deadline() != 1102 {
		t.Errorf("sent %d, deadline %d, %d; want 1002, 1102", x.Sent, x.Deadline, c.Deadline())
	}
	s := newScript()
	s.settings()
	c.Feed(1010, s.take())
	c.Feed(1015, nil)
	s.headers(1, false, ":status", "103", "link", "</a>")
	interim := s.take()
	c.Feed(1020, interim[:8]) // a frame's header is not complete before its ninth byte
	if x.FirstByte != 0 {
		t.Errorf("first byte at %d", x.FirstByte)
	}
	c.Feed(1021, interim[8:9])
	c.Feed(1022, interim[9:])
	s.response(1)
	response := s.take()
	c.Feed(1030, response[:len(response)-1])
	if x.BodyBytes != 4 || x.Outcome != exchange.Pending {
		t.Errorf("%d bytes, %v; want 4, pending", x.BodyBytes, x.Outcome)
	}
	c.Feed(1040, response[len(response)-1:])
	want := exchange.Exchange{Intended: 1, Ready: 2, Sent: 1002, FirstByte: 1021, Done: 1040, Deadline: 1102,
		BodyBytes: 5, Status: 200, Outcome: exchange.OK, Conn: 9, Slot: 10}
	if x != want {
		t.Errorf("after the response: %+v, want %+v", x, want)
	}
	if c.Deadline() != 0 {
		t.Errorf("deadline %d without an exchange", c.Deadline())
	}
}

func TestReuse(t *testing.T) {
	p := accept(t, testConfig(t))
	p.settings()
	p.send()
	first := p.start(2)
	if p.c.Free() != 0 || p.c.Start(new(exchange.Exchange), 1, false) {
		t.Error("more exchanges than streams")
	}
	p.wants("SETTINGS ack", "HEADERS 1 GET /x?y end", "HEADERS 3 GET /x?y end")
	p.response(3)
	p.send()
	p.ended(first[1], exchange.OK, "")
	p.ended(first[0], exchange.Pending, "")
	p.returned(first[1])
	p.returned()
	if p.c.Free() != 1 {
		t.Errorf("Free = %d, want 1", p.c.Free())
	}
	// The cell of stream 5 is that of stream 1, which is still open: 4 cells, (5>>1)&3 = 2,
	// (1>>1)&3 = 0, so it is stream 9 (4 & 3 = 0) that is left out.
	for _, id := range []uint32{5, 7, 11, 13, 15, 19} {
		x := p.start(1)[0]
		p.receive()
		if s := p.c.streams.newest; s.id != id {
			t.Fatalf("stream %d, want %d", s.id, id)
		}
		p.response(id)
		p.send()
		p.ended(x, exchange.OK, "")
		p.returned(x)
	}
	p.response(1)
	p.send()
	p.ended(first[0], exchange.OK, "")
	p.returned(first[0])
	if p.c.Free() != 2 || !p.c.Reusable() {
		t.Errorf("Free = %d, reusable %v; want 2, true", p.c.Free(), p.c.Reusable())
	}
}

func TestZeroConnIsClosed(t *testing.T) {
	var c Conn
	c.Init(testConfig(t))
	if c.Reusable() || c.Free() != 0 || c.Start(new(exchange.Exchange), 1, false) {
		t.Error("a connection that was never opened takes an exchange")
	}
	c.Feed(1, []byte("x"))
	c.Skipped(1, 1)
	c.Expire(1)
	c.Stamp(1)
	c.End(1, 0, true)
	c.Abort(1, exchange.Unfinished, exchange.Reason{})
	if b, more := c.Out(); b != nil || more || c.Done() != nil || c.Fault() != "" || c.Skippable() != 0 || c.Deadline() != 0 {
		t.Error("a connection that was never opened does something")
	}
}

func TestLast(t *testing.T) {
	p := accept(t, testConfig(t))
	x, last := p.start(1)[0], new(exchange.Exchange)
	if !p.c.Start(last, p.now, true) || p.c.Free() != 0 {
		t.Errorf("the last exchange: Free = %d behind it, want 0", p.c.Free())
	}
	p.wants("HEADERS 1 GET /x?y end", "HEADERS 3 GET /x?y end")
	p.settings()
	p.response(3)
	p.send()
	if p.c.Free() != 0 || !p.c.Reusable() {
		t.Errorf("one is out: Free = %d, reusable %v; want 0, true", p.c.Free(), p.c.Reusable())
	}
	p.response(1)
	p.send()
	p.returned(last, x)
	if p.c.Reusable() {
		t.Error("reusable after the last exchange")
	}
}

// Bytes that Out returned stay as they are while more is queued.
func TestOutStays(t *testing.T) {
	var c Conn
	c.Init(testConfig(t))
	c.Open()
	c.Start(new(exchange.Exchange), 1, false)
	b, _ := c.Out()
	before := slices.Clone(b)
	s := newScript()
	s.settings()
	for range 100 {
		s.framer.WritePing(false, [8]byte{})
	}
	c.Stamp(1)
	c.Feed(2, s.take())
	c.Start(new(exchange.Exchange), 2, false)
	if !slices.Equal(b, before) {
		t.Error("bytes that are leaving were changed")
	}
	if next, _ := c.Out(); len(next) != 9+100*17+len(c.cfg.Request.repeat.frame) { // SETTINGS ack, PING acks, HEADERS
		t.Errorf("then %d bytes", len(next))
	}
	if !slices.Equal(b, before) {
		t.Error("the call after changes what the call before returned")
	}
}

// What one call returns is bounded.
func TestOutIsBounded(t *testing.T) {
	cfg := testConfig(t)
	cfg.Request = testRequest(t, func(s *request.Spec) { s.Header = []request.Field{{Name: "cookie", Value: string(make4K())}} }) // never in a table
	cfg.Streams = 100
	p := accept(t, cfg)
	all := p.start(100)
	b, more := p.c.Out()
	p.c.Stamp(7)
	// It stops after the block that goes over 64 KiB.
	if size := len(b); !more || size < outBytesMax || size > outBytesMax+4200 {
		t.Fatalf("%d bytes, more %v", size, more)
	}
	left := 0
	for _, x := range all {
		if x.Sent != 0 {
			left++
		}
	}
	if left != p.c.streams.open || left == 0 || left == 100 {
		t.Errorf("%d stamped, %d have a stream", left, p.c.streams.open)
	}
	p.receive()
	if all[99].Sent != 1000 {
		t.Errorf("the last one was sent at %d, want 1000", all[99].Sent)
	}
}

func make4K() []byte {
	b := make([]byte, 4<<10)
	for i := range b {
		b[i] = '~' // 13 bits in Huffman's code, so that it is not used
	}
	return b
}

// The points at which exchanges are broken off: nothing back, inside the head
// (a frame's header, an interim response), inside the body.
var points = [...]func(*script){
	func(s *script) {},
	func(s *script) {
		s.headers(1, false, ":status", "103")
	},
	func(s *script) {
		s.headers(1, false, ":status", "200")
		s.data(1, false, 3)
	},
}

func TestEnd(t *testing.T) {
	for _, test := range []struct {
		name   string
		errno  syscall.Errno
		want   [len(points)]exchange.Outcome
		reason [len(points)]string
	}{
		{"FIN", 0,
			[...]exchange.Outcome{exchange.Reset, exchange.ReadFailed, exchange.ReadFailed},
			[...]string{"closed before the response", "closed inside the head", "closed inside the body"}},
		{"RST", syscall.ECONNRESET,
			[...]exchange.Outcome{exchange.Reset, exchange.ReadFailed, exchange.ReadFailed},
			[...]string{"receive failed before the response", "receive failed inside the head", "receive failed inside the body"}},
		{"timed out", syscall.ETIMEDOUT,
			[...]exchange.Outcome{exchange.ReadFailed, exchange.ReadFailed, exchange.ReadFailed},
			[...]string{"receive failed before the response", "receive failed inside the head", "receive failed inside the body"}},
	} {
		for i, point := range points {
			for _, clean := range []bool{false, true} {
				p := accept(t, testConfig(t))
				x := p.start(1)[0]
				p.wants("HEADERS 1 GET /x?y end")
				unsent := p.start(1)[0]
				p.settings()
				point(p.script)
				p.send()
				p.c.End(1002, test.errno, clean)
				p.ended(x, test.want[i], test.reason[i])
				if x.Done != 1002 || x.Reason.Errno != uint16(test.errno) {
					t.Errorf("%s at point %d: done %d, errno %d", test.name, i, x.Done, x.Reason.Errno)
				}
				p.ended(unsent, exchange.Pending, "")
				p.returned(unsent, x)
				if p.c.Reusable() || p.c.Free() != 0 {
					t.Errorf("%s at point %d: reusable", test.name, i)
				}
				p.wants() // the settings are not acknowledged to nobody
			}
		}
	}
}

func TestExpire(t *testing.T) {
	want := [...]string{"no response by the deadline", "head incomplete at the deadline", "body incomplete at the deadline"}
	for i, point := range points {
		p := accept(t, testConfig(t))
		x := p.start(1)[0]
		p.settings()
		p.send()
		p.wants("SETTINGS ack", "HEADERS 1 GET /x?y end") // sent at 1001
		p.now = 1050
		other := p.start(1)[0]
		p.wants("HEADERS 3 GET /x?y end") // sent at 1050
		point(p.script)
		p.send()
		p.c.Expire(1100) // one before the deadline, 1001 + 100
		p.ended(x, exchange.Pending, "")
		p.c.Expire(1101)
		p.ended(x, exchange.Timeout, want[i])
		p.ended(other, exchange.Pending, "")
		p.returned(x)
		if x.Done != 1101 || p.c.Deadline() != 1150 || p.c.Free() != 1 || !p.c.Reusable() {
			t.Errorf("point %d: done %d, deadline %d, free %d; want 1101, 1150, 1", i, x.Done, p.c.Deadline(), p.c.Free())
		}
		p.wants("RST_STREAM 1 CANCEL")
		// What was on its way is ignored, but its fields go into the table, which
		// the other response refers to, and its bytes count.
		unacked := p.c.unacked
		p.headers(1, false, ":status", "200", "x-a", "1")
		p.data(1, true, 10)
		p.headers(3, true, ":status", "200", "x-a", "1")
		p.send()
		p.ended(x, exchange.Timeout, want[i])
		p.ended(other, exchange.OK, "")
		if p.c.unacked != unacked+10 {
			t.Errorf("%d flow-controlled bytes, want %d", p.c.unacked, unacked+10)
		}
	}
}

// The time of an exchange that does not get away does not run.
func TestExpireUnsent(t *testing.T) {
	p := accept(t, testConfig(t))
	queued := p.start(2)
	p.c.Expire(1100)
	if p.c.Deadline() != 1200 { // 1100 + 100
		t.Errorf("deadline %d of queued exchanges, want 1200", p.c.Deadline())
	}
	p.c.Out() // they have streams, but their bytes stay
	p.c.Expire(1250)
	if p.c.Deadline() != 1350 || queued[1].Deadline != 1350 {
		t.Errorf("deadlines %d, %d; want 1350", p.c.Deadline(), queued[1].Deadline)
	}
	p.c.Stamp(1260)
	if p.c.Deadline() != 1360 {
		t.Errorf("deadline %d, want 1360", p.c.Deadline())
	}
	p.returned()
}

func TestNoTimeout(t *testing.T) {
	cfg := testConfig(t)
	cfg.Timeout = 0
	p := accept(t, cfg)
	x := p.start(1)[0]
	p.receive()
	p.start(1)
	p.c.Expire(mono.Time(1 << 62))
	if p.c.Deadline() != 0 || x.Outcome != exchange.Pending {
		t.Errorf("without a timeout: deadline %d, %v; want 0, pending", p.c.Deadline(), x.Outcome)
	}
}

func TestAbort(t *testing.T) {
	p := accept(t, testConfig(t))
	x := p.start(1)[0]
	p.wants("HEADERS 1 GET /x?y end")
	queued := p.start(1)[0]
	p.c.Abort(1005, exchange.WriteFailed, exchange.Reason{Text: "send", Errno: uint16(syscall.EPIPE)})
	for _, x := range []*exchange.Exchange{x, queued} {
		if x.Outcome != exchange.WriteFailed || x.Reason.Errno != uint16(syscall.EPIPE) || x.Done != 1005 {
			t.Errorf("aborted: %+v", x)
		}
	}
	p.returned(x, queued)
	if p.c.Reusable() || p.c.Free() != 0 || queued.Sent != 0 {
		t.Error("reusable, or sent")
	}
	p.wants()
}

func TestSkipped(t *testing.T) {
	p := accept(t, testConfig(t))
	x := p.start(1)[0]
	p.receive()
	p.c.Skipped(1001, 0)
	p.ended(x, exchange.Pending, "")
	p.c.Skipped(1001, 1)
	p.ended(x, exchange.ProtocolError, "bytes between frames were skipped")
}

// Nothing of the last connection is left, wherever it broke off.
func TestOpenForgets(t *testing.T) {
	for _, rest := range [][]byte{{0, 0, 8, 6}, {0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2}, nil} { // within a header, within a PING, within a block
		p := accept(t, posting(t, 100_000))
		x := p.start(2)
		p.receive() // 65535 bytes of the first body: the connection's window is used up
		p.settings(initialWindow(1<<20), http2.Setting{ID: http2.SettingMaxFrameSize, Val: 20_000},
			http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0}, maxStreams(1))
		p.headers(1, false, ":status", "299")         // goes into the table
		p.headers(3, false, ":status", "299")         // refers to it, and is remembered
		p.data(3, false, 7)                           // counts
		p.headers(3, false, "x", "")                  // malformed: stream 3 is reset
		p.framer.WriteWindowUpdate(0, 77)             // leaves a window of its own
		p.framer.WriteGoAway(1, http2.ErrCodeNo, nil) // leaving
		p.framer.WriteGoAway(1, http2.ErrCodeConnect, nil)
		if rest == nil {
			p.raw(http2.FrameHeaders, 0, 1, 0x88) // CONTINUATION follows
		}
		p.c.Feed(1001, append(p.take(), rest...))
		if p.c.streams.open != 1 || p.c.resetMax != 3 || p.c.Fault() != "" {
			t.Fatalf("the course of the test is another: fault %q", p.c.Fault())
		}
		p.c.End(1002, 0, true)
		if len(p.c.Done()) != 2 {
			t.Fatal("not all ended")
		}

		var fresh Conn
		fresh.Init(p.c.cfg)
		for _, c := range []*Conn{p.c, &fresh} {
			c.Open()
			c.Start(x[0], 2000, false)
		}
		if p.c.unacked != 0 || p.c.resetMax != 0 || p.c.replyBytes != 0 || p.c.goAway != "" || p.c.answered || p.c.senders.size() != 0 {
			t.Errorf("after Open: %+v", p.c)
		}
		b, more := p.c.Out()
		if want, wantMore := fresh.Out(); !slices.Equal(b, want) || more != wantMore {
			t.Error("after Open: other bytes than on a fresh connection")
		}
		p.c.Stamp(2000)
		p.script = newScript()
		p.settings()
		p.response(1)
		p.send()
		p.ended(x[0], exchange.OK, "")
		p.data(1, false, 1) // a fault, which is forgotten too
		p.send()
		p.c.Open()
		if p.c.Fault() != "" || !p.c.Reusable() {
			t.Errorf("after Open: fault %q", p.c.Fault())
		}
	}
}

// A block that was remembered means nothing on the next connection.
func TestOpenForgetsBlocks(t *testing.T) {
	p := accept(t, testConfig(t))
	for i, want := range []exchange.Outcome{exchange.OK, exchange.ProtocolError} {
		x := p.start(1)[0]
		p.receive()
		p.settings()
		if i == 0 {
			p.headers(1, false, ":status", "299") // goes into the table
			p.data(1, true, 0)
			p.send()
			p.ended(x, exchange.OK, "")
			x = p.start(1)[0]
			p.receive()
		}
		p.raw(http2.FrameHeaders, flagEndHeaders|flagEndStream, p.c.streams.newest.id, 0x80|62)
		p.send()
		if x.Outcome != want {
			t.Errorf("connection %d: %v %q, want %v", i+1, x.Outcome, x.Reason.Text, want)
		}
		p.c.End(1100, 0, true)
		p.c.Done()
		p.c.Open()
		p.script = newScript()
	}
}

func TestIdentifiersUsedUp(t *testing.T) {
	p := accept(t, testConfig(t))
	p.settings()
	p.send()
	p.c.streams.next = maxStreamID - 2 // two are left
	all := p.start(2)
	p.wants("SETTINGS ack", "HEADERS 2147483645 GET /x?y end", "HEADERS 2147483647 GET /x?y end")
	p.response(maxStreamID - 2)
	p.send()
	p.returned(all[0])
	if p.c.Free() != 0 || !p.c.Reusable() {
		t.Errorf("one is out: Free = %d, reusable %v; want 0, true", p.c.Free(), p.c.Reusable())
	}
	p.response(maxStreamID)
	p.send()
	p.returned(all[1])
	if p.c.Reusable() || p.c.Free() != 0 {
		t.Error("reusable without identifiers")
	}
}

// An identifier is left out because its cell is in use; Free could not know.
func TestIdentifiersUsedUpBySkipping(t *testing.T) {
	p := accept(t, testConfig(t))
	p.settings()
	p.send()
	// Of 4 cells, stream 2^31-1 would have the last: ((2^31-1)>>1)&3 = 3, as 7 has.
	p.c.streams.next = 7
	slow := p.start(1)[0]
	p.wants("SETTINGS ack", "HEADERS 7 GET /x?y end")
	p.c.streams.next = maxStreamID
	x := p.start(1)[0]
	p.wants()
	p.ended(x, exchange.Pending, "")
	p.returned(x)
	p.response(7)
	p.send()
	p.returned(slow)
	if p.c.Reusable() {
		t.Error("reusable without identifiers")
	}
}

func TestExpect(t *testing.T) {
	for _, test := range []struct {
		expect exchange.Expect
		want   exchange.Outcome
	}{
		{exchange.Expect{BodyBytes: 5}, exchange.OK},
		{exchange.Expect{BodyBytes: 4}, exchange.BadBody},
		{exchange.Expect{Status: 201, BodyBytes: -1}, exchange.BadStatus},
	} {
		cfg := testConfig(t)
		cfg.Expect = test.expect
		p := accept(t, cfg)
		x := p.start(1)[0]
		p.receive()
		p.settings()
		p.response(1)
		p.send()
		if x.Outcome != test.want || !p.c.Reusable() {
			t.Errorf("%+v of a 200 with 5 bytes: %v, want %v and reusable", test.expect, x.Outcome, test.want)
		}
	}
}

// Ten thousand streams, ended in another order than they were opened.
func TestManyStreams(t *testing.T) {
	const n = 10_000
	cfg := testConfig(t)
	cfg.Streams = n
	p := accept(t, cfg)
	p.settings()
	p.send()
	if p.c.Free() != n {
		t.Fatalf("Free = %d, want %d", p.c.Free(), n)
	}
	for round := range 3 {
		all := p.start(n)
		p.receive()
		first := p.c.streams.oldest.id
		for i := range n {
			p.headers(first+2*uint32(i*7919%n), true, ":status", "204") // 7919 is prime to n: each once
		}
		p.send()
		if got := len(p.c.Done()); got != n || p.c.Free() != n || p.c.streams.oldest != nil || p.c.streams.newest != nil {
			t.Fatalf("round %d: %d done, Free = %d", round, got, p.c.Free())
		}
		for _, x := range all {
			if x.Outcome != exchange.OK {
				t.Fatalf("%v %q", x.Outcome, x.Reason.Text)
			}
		}
	}
}

// Ten thousand connections of one stream must not cost much before their
// servers make them: 1 KiB and a little each is 11 MiB.
func TestConnIsSmall(t *testing.T) {
	size := unsafe.Sizeof(Conn{}) + 2*unsafe.Sizeof(stream{})
	if size > 1200 {
		t.Errorf("a connection with one stream has %d bytes, want at most 1200", size)
	}
}
