package h2

import (
	"fmt"
	"testing"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

func initialWindow(n uint32) http2.Setting {
	return http2.Setting{ID: http2.SettingInitialWindowSize, Val: n}
}

// A body larger than the windows goes as far as both allow.
func TestBodyAboveWindows(t *testing.T) {
	p := accept(t, posting(t, 100_000))
	x := p.start(1)[0]
	// 65535 = 3 * 16384 + 16383; HEADERS, 9 bytes of each DATA's header and the
	// rest of 64 KiB come first.
	b, more := p.c.Out()
	if len(b) != outBytesMax+frameHeaderBytes || !more {
		t.Fatalf("%d bytes, more %v", len(b), more)
	}
	p.c.Stamp(1000)
	p.arrived.Write(b)
	left := p.c.sendWindow
	p.wants("HEADERS 1 POST /x?y", "DATA 1 16384", "DATA 1 16384", "DATA 1 16384",
		fmt.Sprint("DATA 1 ", 65535-3*16384-left), fmt.Sprint("DATA 1 ", left))
	p.settings()
	p.framer.WriteWindowUpdate(1, 10) // the connection's window is at 0
	p.send()
	p.wants("SETTINGS ack")
	p.framer.WriteWindowUpdate(0, 20_000) // the stream's is at 10
	p.send()
	p.wants("DATA 1 10")
	p.settings(initialWindow(65535 + 90)) // 90 more
	p.send()
	p.wants("SETTINGS ack", "DATA 1 90")
	p.framer.WriteWindowUpdate(1, 1<<20)
	p.send()
	p.wants("DATA 1 16384", "DATA 1 3516") // 20000 - 10 - 90 - 16384
	p.framer.WriteWindowUpdate(0, 1<<20)
	p.send()
	p.wants("DATA 1 14465 end") // 100000 - 65535 - 20000
	p.response(1)
	p.send()
	p.ended(x, exchange.OK, "")
	p.wants()
}

// A smaller initial window makes those of open streams negative, and what is
// given back fills the debt first (RFC 9113 section 6.9.2, with its example).
func TestWindowBelowZero(t *testing.T) {
	p := accept(t, posting(t, 200_000))
	p.settings(initialWindow(60_000))
	p.framer.WriteWindowUpdate(0, 1<<20)
	p.send()
	p.start(1)
	p.wants("SETTINGS ack", "HEADERS 1 POST /x?y", "DATA 1 16384", "DATA 1 16384", "DATA 1 16384", "DATA 1 10848")
	p.settings(initialWindow(16_000)) // the window is -44000
	p.send()
	p.wants("SETTINGS ack")
	p.start(1) // a new stream has the new one
	p.wants("HEADERS 3 POST /x?y", "DATA 3 16000")
	p.framer.WriteWindowUpdate(1, 44_000) // 0
	p.send()
	p.wants()
	p.framer.WriteWindowUpdate(1, 1)
	p.send()
	p.wants("DATA 1 1")
	p.settings(initialWindow(0), initialWindow(16_005)) // each by itself, in order
	p.send()
	p.wants("SETTINGS ack", "DATA 1 5", "DATA 3 5")
}

// A window of 0 from the beginning.
func TestNoInitialWindow(t *testing.T) {
	p := accept(t, posting(t, 10))
	p.settings(initialWindow(0))
	p.send()
	p.start(2)
	p.wants("SETTINGS ack", "HEADERS 1 POST /x?y", "HEADERS 3 POST /x?y")
	p.framer.WriteWindowUpdate(3, 100)
	p.framer.WriteWindowUpdate(1, 4)
	p.send()
	p.wants("DATA 3 10 end", "DATA 1 4")
	p.framer.WriteWindowUpdate(1, 100)
	p.send()
	p.wants("DATA 1 6 end")
}

// The server's MAX_FRAME_SIZE is used, not only kept.
func TestMaxFrameSize(t *testing.T) {
	p := accept(t, posting(t, 70_000))
	p.settings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 50_000}, initialWindow(1<<20))
	p.framer.WriteWindowUpdate(0, 1<<20)
	p.send()
	p.drain() // the acknowledgement, so that the call below has 64 KiB to itself
	p.start(1)
	block := len(p.c.cfg.Request.first.frame)
	room := outBytesMax - block - frameHeaderBytes - 50_000
	p.wants("HEADERS 1 POST /x?y", "DATA 1 50000", fmt.Sprint("DATA 1 ", room), fmt.Sprintf("DATA 1 %d end", 20_000-room))
}

// An empty body is no DATA at all.
func TestNoBody(t *testing.T) {
	p := accept(t, posting(t, 0))
	p.start(1)
	p.wants("HEADERS 1 POST /x?y end")
}

// A response that is complete before the request was sent ends the exchange;
// the rest of the body stays here.
func TestEarlyResponse(t *testing.T) {
	p := accept(t, posting(t, 100_000))
	x := p.start(1)[0]
	p.drain()
	p.settings()
	p.headers(1, true, ":status", "413")
	p.framer.WriteRSTStream(1, http2.ErrCodeNo)
	p.framer.WriteWindowUpdate(1, 1<<20)
	p.framer.WriteWindowUpdate(0, 1<<20)
	p.send()
	p.ended(x, exchange.BadStatus, "")
	p.wants("SETTINGS ack", "RST_STREAM 1 NO_ERROR")
	if !p.c.Reusable() || p.c.Free() != 2 {
		t.Error("not reusable after an early response")
	}
	// A new stream sends as much as its own window has. The fourth frame gets what
	// HEADERS and three frames leave of the first 64 KiB.
	last := outBytesMax - len(p.c.cfg.Request.repeat.frame) - 3*(frameHeaderBytes+16384)
	p.start(1)
	p.wants("HEADERS 3 POST /x?y", "DATA 3 16384", "DATA 3 16384", "DATA 3 16384",
		fmt.Sprint("DATA 3 ", last), fmt.Sprint("DATA 3 ", 65535-3*16384-last))
}

// A server that lets no body through and answers all but the first: what has
// ended does not pile up behind it.
func TestEndedSendersAreDropped(t *testing.T) {
	p := accept(t, posting(t, 100_000))
	p.settings(initialWindow(1 << 20))
	p.send()
	p.start(1)
	p.drain() // the connection's window is used up, the stream's is not
	for range 1000 {
		x := p.start(1)[0]
		p.drain()
		p.headers(p.c.streams.newest.id, true, ":status", "413")
		p.send()
		p.returned(x)
	}
	if n := p.c.senders.size(); n > len(p.c.streams.cells)+1 {
		t.Errorf("%d senders, one of which is a stream", n)
	}
	p.framer.WriteWindowUpdate(1, 1) // it waits already
	p.send()
	if n := p.c.senders.size(); n > len(p.c.streams.cells)+1 {
		t.Errorf("%d senders after a WINDOW_UPDATE", n)
	}
	p.framer.WriteWindowUpdate(0, 1<<20)
	p.send()
	p.drain()
	if left := 100_000 - p.c.streams.oldest.sentBytes; left != 0 || p.c.senders.size() != 0 {
		t.Errorf("%d bytes left to send, %d senders; want none", left, p.c.senders.size())
	}
}

// A stream that waits for the connection's window waits once.
func TestSendersOnce(t *testing.T) {
	p := accept(t, posting(t, 100_000))
	p.settings(initialWindow(1 << 20))
	p.send()
	p.start(1)
	p.drain()
	for range 3 {
		p.framer.WriteWindowUpdate(1, 1)
	}
	p.send()
	if n := p.c.senders.size(); n != 1 {
		t.Errorf("one stream is %d senders", n)
	}
}

// A malformed response before the request was sent: both sides are given up.
func TestEarlyFault(t *testing.T) {
	p := accept(t, posting(t, 100_000))
	x := p.start(1)[0]
	p.drain()
	p.settings()
	p.headers(1, true, "x", "y")
	p.send()
	p.ended(x, exchange.ProtocolError, "no :status")
	p.wants("SETTINGS ack", "RST_STREAM 1 PROTOCOL_ERROR")
	// The server had ended the stream: nothing of it can be on its way.
	p.data(1, false, 1)
	p.send()
	if p.c.Fault() != "frame on a closed stream" {
		t.Errorf("fault %q", p.c.Fault())
	}
}

// WINDOW_UPDATE goes out when half a window has been used, 2^29 bytes: for the
// connection by all streams, padding and given-up streams included, for a stream
// by itself and only while it goes on.
func TestWindowUpdates(t *testing.T) {
	const half = 1 << 29
	cfg := testConfig(t)
	cfg.Timeout = 0
	p := accept(t, cfg)
	x := p.start(2)
	p.drain()
	p.settings()
	p.headers(1, false, ":status", "200")
	p.headers(3, false, ":status", "200")
	p.send()
	p.wants("SETTINGS ack")

	p.data(1, false, maxFrameBytes)
	frame := p.take()
	for range half/maxFrameBytes - 2 {
		p.c.Feed(2000, frame)
	}
	p.data(3, false, 16383)
	p.send()
	p.wants() // half a window less 16385 bytes of the connection
	p.framer.WriteDataPadded(1, false, make([]byte, 16001), make([]byte, 255))
	p.send()
	p.wants() // 16257 more, with the padding's length
	p.data(1, false, 128)
	p.send()
	p.wants("WINDOW_UPDATE 0 536870912")
	p.data(1, false, maxFrameBytes)
	p.send() // stream 1: half - 2*16384 + 16257 + 128 + 16384 = half + 1
	p.wants(fmt.Sprint("WINDOW_UPDATE 1 ", half+1))
	p.data(1, false, 1)
	p.send()
	p.wants() // it has just been told
	if want := int64(half - 2*maxFrameBytes + 16001 + 128 + 16384 + 1); x[0].BodyBytes != want || x[1].BodyBytes != 16383 {
		t.Errorf("%d and %d bytes, want %d and 16383", x[0].BodyBytes, x[1].BodyBytes, want)
	}
	p.c.streams.find(1).unacked = half - 1
	p.data(1, true, 1)
	p.send()
	p.wants() // nothing is to come that the stream would need a window for
	p.ended(x[0], exchange.OK, "")
}

func TestPing(t *testing.T) {
	p := accept(t, testConfig(t))
	p.settings()
	p.framer.WritePing(false, [8]byte{'p', 'i', 'n', 'g', '1', '2', '3', '4'})
	p.framer.WritePing(true, [8]byte{'n', 'o', 'a', 'n', 's', 'w', 'e', 'r'})
	p.settings()
	p.send()
	p.wants("SETTINGS ack", "PING ack=true ping1234", "SETTINGS ack")
	// The bound on acknowledgements is on those that wait: 3 * 2000 * 17 bytes are more.
	for range 3 {
		for range 2000 {
			p.framer.WritePing(false, [8]byte{})
		}
		p.send()
		p.receive()
	}
	if !p.c.Reusable() || p.arrived.Len() != 6000*17 {
		t.Errorf("%d bytes of acknowledgements, want 102000; %q", p.arrived.Len(), p.c.Fault())
	}
}
