package h2

import (
	"testing"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

func maxStreams(n uint32) http2.Setting {
	return http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: n}
}

func TestFree(t *testing.T) {
	cfg := testConfig(t)
	cfg.Streams = 150
	p := accept(t, cfg)
	check := func(when string, want int) {
		t.Helper()
		if got := p.c.Free(); got != want {
			t.Errorf("%s: Free = %d, want %d", when, got, want)
		}
	}
	check("before the settings", 100)
	p.start(100)
	check("with 100 queued", 0)
	p.receive()
	check("with 100 out", 0)
	p.settings()
	p.send()
	check("settings without a limit", 50)
	p.settings(maxStreams(120))
	p.send()
	check("a limit of 120", 20)
	p.start(5)
	check("with 5 queued", 15)
	p.settings(maxStreams(10))
	p.send()
	check("a limit of 10", 0)
	p.settings(maxStreams(1 << 31))
	p.send()
	check("a limit of 2^31", 45)
}

// A limit that comes after more were queued lets them leave one by one.
func TestQueuedAboveLimit(t *testing.T) {
	cfg := testConfig(t)
	cfg.Streams = 3
	p := accept(t, cfg)
	x := p.start(3)
	p.settings(maxStreams(1))
	p.send()
	p.wants("SETTINGS ack", "HEADERS 1 GET /x?y end")
	for i, id := range []uint32{1, 3, 5} {
		p.response(id)
		p.send()
		p.ended(x[i], exchange.OK, "")
		p.returned(x[i])
		if i < 2 {
			p.wants([]string{"HEADERS 3 GET /x?y end", "HEADERS 5 GET /x?y end"}[i])
		}
	}
}

// Streams that left before a lower limit was known may be refused: they are
// handed back. Those after it are the server's answer.
func TestRefusedAboveLimit(t *testing.T) {
	cfg := testConfig(t)
	cfg.Streams = 3
	p := accept(t, cfg)
	x := p.start(3)
	p.receive()
	p.settings(maxStreams(2))
	p.framer.WriteRSTStream(5, http2.ErrCodeRefusedStream)
	p.headers(3, false, ":status", "103")
	p.framer.WriteRSTStream(3, http2.ErrCodeRefusedStream) // it was not refused, whatever it says
	p.send()
	p.ended(x[2], exchange.Pending, "")
	p.ended(x[1], exchange.ReadFailed, "stream reset: REFUSED_STREAM")
	p.returned(x[2], x[1])
	if x[2].Sent != 1000 || x[2].Done != 0 {
		t.Errorf("handed back: sent %d, done %d; want 1000, 0", x[2].Sent, x[2].Done)
	}
	if p.c.Free() != 1 || !p.c.Start(x[2], 1100, false) {
		t.Fatalf("Free = %d, want 1", p.c.Free())
	}
	p.receive()
	p.framer.WriteRSTStream(7, http2.ErrCodeRefusedStream)
	p.send()
	p.ended(x[2], exchange.Reset, "stream reset: REFUSED_STREAM")
	p.response(1)
	p.send()
	p.ended(x[0], exchange.OK, "")
}

func TestGoAway(t *testing.T) {
	cfg := testConfig(t)
	cfg.Streams = 5
	p := accept(t, cfg)
	x := p.start(4)
	p.receive()
	queued := p.start(1)[0]
	p.settings()
	p.framer.WriteGoAway(maxStreamID, http2.ErrCodeNo, []byte("soon")) // the graceful shutdown of section 6.8
	p.send()
	p.returned(queued)
	p.ended(queued, exchange.Pending, "")
	if p.c.Free() != 0 || !p.c.Reusable() {
		t.Errorf("Free = %d, reusable %v; want 0, true", p.c.Free(), p.c.Reusable())
	}
	p.framer.WriteGoAway(5, http2.ErrCodeNo, nil)
	p.send()
	p.returned(x[3])
	p.framer.WriteGoAway(3, http2.ErrCodeNo, nil) // lower
	p.framer.WriteGoAway(5, http2.ErrCodeNo, nil) // which it must not take back
	p.send()
	p.returned(x[2])
	for _, x := range x[2:] {
		p.ended(x, exchange.Pending, "")
		if x.Sent != 1000 {
			t.Errorf("handed back: sent %d, want 1000", x.Sent)
		}
	}
	p.response(3)
	p.send()
	if !p.c.Reusable() {
		t.Error("not reusable with an exchange out")
	}
	p.response(1)
	p.send()
	p.returned(x[1], x[0])
	p.ended(x[0], exchange.OK, "")
	if p.c.Reusable() || p.c.Fault() != "" {
		t.Errorf("reusable %v, fault %q after the last response", p.c.Reusable(), p.c.Fault())
	}
}

// An error is named in what it makes fail.
func TestGoAwayWithError(t *testing.T) {
	const text = "connection ended by the server: ENHANCE_YOUR_CALM"
	for _, test := range []struct {
		name     string
		answered bool // a response has been complete before
		outcome  exchange.Outcome
		text     string
	}{
		{"before the first response", false, exchange.Reset, text},
		{"later", true, exchange.Pending, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := accept(t, testConfig(t))
			p.settings()
			if test.answered {
				p.start(1)
				p.receive()
				p.response(1)
				p.send()
				p.c.Done()
			} else {
				p.c.streams.next = 3
			}
			x := p.start(2)
			p.receive()
			p.framer.WriteGoAway(3, http2.ErrCodeEnhanceYourCalm, nil)
			p.send()
			p.ended(x[1], test.outcome, test.text)
			p.ended(x[0], exchange.Pending, "") // it may finish
			p.returned(x[1])
			p.c.End(2000, 0, true)
			p.ended(x[0], exchange.Reset, text)
			p.returned(x[0])
		})
	}
}

// What has not begun to leave is handed back in any case.
func TestGoAwayUnsent(t *testing.T) {
	p := accept(t, testConfig(t))
	x := p.start(1)
	p.c.Out() // and it is still here
	p.settings()
	p.framer.WriteGoAway(0, http2.ErrCodeProtocol, nil)
	p.send()
	p.ended(x[0], exchange.Pending, "")
	p.returned(x[0])
	if p.c.Reusable() {
		t.Error("reusable")
	}
}

// A response before its request left can be no response to it.
func TestBeforeTheRequest(t *testing.T) {
	for _, out := range []bool{false, true} {
		p := accept(t, testConfig(t))
		x := p.start(1)[0]
		want := "frame on an idle stream"
		if out {
			p.c.Out()
			want = "response before the request was sent"
		}
		p.settings()
		p.response(1)
		p.send()
		if p.c.Fault() != want || p.c.Reusable() {
			t.Errorf("fault %q, want %q", p.c.Fault(), want)
		}
		p.ended(x, exchange.Pending, "")
		p.returned(x)
	}
}

// Frames of a stream that we reset are ignored, and of those before it, which
// are not kept in mind; on one behind it that has ended they are a fault.
func TestFramesAfterReset(t *testing.T) {
	for _, test := range []struct {
		id    uint32
		fault string
	}{
		{1, ""},
		{3, ""},
		{5, "frame on a closed stream"},
	} {
		cfg := testConfig(t)
		cfg.Streams = 4
		p := accept(t, cfg)
		p.start(4)
		p.receive()
		p.settings()
		p.response(1)
		p.headers(3, false, "x", "") // malformed
		p.response(5)
		p.data(test.id, false, 1)
		p.send()
		if p.c.Fault() != test.fault {
			t.Errorf("DATA on stream %d: fault %q, want %q", test.id, p.c.Fault(), test.fault)
		}
	}
}

// The server is told why.
func TestConnectionFaultIsTold(t *testing.T) {
	p := accept(t, testConfig(t))
	x := p.start(1)[0]
	p.wants("HEADERS 1 GET /x?y end")
	p.settings()
	p.raw(http2.FrameHeaders, flagEndHeaders, 1, 0x80)
	p.raw(http2.FramePing, 0, 0, make([]byte, 8)...) // is not looked at any more
	p.send()
	p.ended(x, exchange.ProtocolError, "header block that cannot be decoded")
	if p.c.Fault() != x.Reason.Text || x.Done != 1001 {
		t.Errorf("fault %q, done %d", p.c.Fault(), x.Done)
	}
	p.wants("SETTINGS ack", "GOAWAY 0 COMPRESSION_ERROR")
	p.wants()
}
