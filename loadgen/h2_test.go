package loadgen_test

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/loadgen"
)

// h2peer is the server's side of one HTTP/2 connection in cleartext, on frames.
type h2peer struct {
	*http2.Framer
	peer    *peer
	block   bytes.Buffer
	encoder *hpack.Encoder
	bodies  map[uint32]int
}

// serveH2 starts a scripted server of HTTP/2 with prior knowledge. handle is
// called for each request that is whole; false ends the connection.
func serveH2(t *testing.T, settings []http2.Setting, handle func(p *h2peer, stream uint32, requests int64) bool) *scripted {
	t.Helper()
	return serve(t, func(s *scripted, p *peer) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(p.in, preface); err != nil || string(preface) != http2.ClientPreface {
			return
		}
		h := &h2peer{Framer: http2.NewFramer(p, p.in), peer: p, bodies: map[uint32]int{}}
		h.encoder = hpack.NewEncoder(&h.block)
		h.WriteSettings(settings...)
		for {
			f, err := h.ReadFrame()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.SettingsFrame:
				if !f.IsAck() {
					h.WriteSettingsAck()
				}
			case *http2.HeadersFrame:
				if f.StreamEnded() && !h.whole(s, f.StreamID, handle) {
					return
				}
			case *http2.DataFrame:
				h.bodies[f.StreamID] += len(f.Data())
				if n := uint32(len(f.Data())); n > 0 {
					h.WriteWindowUpdate(0, n)
					if !f.StreamEnded() {
						h.WriteWindowUpdate(f.StreamID, n)
					}
				}
				if f.StreamEnded() && !h.whole(s, f.StreamID, handle) {
					return
				}
			}
		}
	})
}

func (h *h2peer) whole(s *scripted, stream uint32, handle func(*h2peer, uint32, int64) bool) bool {
	return handle(h, stream, s.requests.Add(1))
}

// answer says 200 with a body of two bytes; fields are added to the header.
func (h *h2peer) answer(stream uint32, fields ...hpack.HeaderField) bool {
	h.headers(stream, false, fields...)
	return h.WriteData(stream, true, []byte("ok")) == nil
}

func (h *h2peer) headers(stream uint32, end bool, fields ...hpack.HeaderField) {
	h.block.Reset()
	h.encoder.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	for _, f := range fields {
		h.encoder.WriteField(f)
	}
	h.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: h.block.Bytes(), EndHeaders: true, EndStream: end})
}

func h2plan(url string, requests int64, streams int) loadgen.Plan {
	p := plan(url, requests)
	p.Protocol, p.Streams = loadgen.HTTP2, streams
	return p
}

// A server that replaces its connections: what it has not looked at is sent
// again elsewhere, what it has is answered, and nothing is counted twice.
func TestGoAway(t *testing.T) {
	var answered atomic.Int64
	s := serveH2(t, nil, func(p *h2peer, stream uint32, _ int64) bool {
		if stream < 9 { // streams 1, 3, 5, 7
			answered.Add(1)
			return p.answer(stream)
		}
		if stream == 9 { // the last it looks at; its answer comes after the GOAWAY
			p.WriteGoAway(9, http2.ErrCodeNo, nil)
			answered.Add(1)
			return p.answer(stream)
		}
		return true // not looked at
	})
	r := run(t, h2plan(s.url, 100, 8))
	if r.Ledger.OK != 100 || answered.Load() != 100 {
		t.Errorf("%+v %v, the server answered %d", r.Ledger, r.FirstErrors, answered.Load())
	}
	if r.Connections.RestartedRequests == 0 || r.AllPhases.Sent != 100 {
		t.Errorf("%d restarted, %d sent; want some, and 100 that the server has seen", r.Connections.RestartedRequests, r.AllPhases.Sent)
	}
	if r.Connections.Opened < 20 { // 5 a connection
		t.Errorf("%d connections for 100 requests, want at least 20", r.Connections.Opened)
	}
}

// A server that hands everything back for ever is given up, request by request.
func TestGoAwayForEver(t *testing.T) {
	s := serveH2(t, nil, func(p *h2peer, _ uint32, _ int64) bool { return p.WriteGoAway(0, http2.ErrCodeNo, nil) == nil })
	r := run(t, h2plan(s.url, 6, 2))
	if got := r.Ledger.Errors["reset"].Total(); got != 6 || !strings.Contains(r.FirstErrors["reset"], "handed back") {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	if r.Connections.RestartedRequests != 30 { // each of 6 five times
		t.Errorf("%d restarted, want 30", r.Connections.RestartedRequests)
	}
}

// A server that allows no stream at all is given up, and all is accounted for.
func TestNoStreamAllowed(t *testing.T) {
	settings := []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}}
	s := serveH2(t, settings, func(p *h2peer, stream uint32, _ int64) bool { return p.answer(stream) })
	p := h2plan(s.url, 20, 2)
	p.ConnectTimeout = 100 * time.Millisecond
	r := run(t, p)
	if r.Ledger.Scheduled != 20 || r.Ledger.OK+r.Ledger.NeverSent != 20 || r.Ledger.NeverSent == 0 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

// As many streams are out as were asked for, neither more nor fewer.
func TestStreamsExactly(t *testing.T) {
	var most atomic.Int64
	var held []uint32
	s := serveH2(t, nil, func(p *h2peer, stream uint32, _ int64) bool {
		held = append(held, stream)
		most.Store(max(most.Load(), int64(len(held))))
		if len(held) == 5 { // fewer never come to it
			for _, one := range held {
				p.answer(one)
			}
			held = held[:0]
		}
		return true
	})
	p := h2plan(s.url, 50, 5)
	p.Connections = 1
	if r := run(t, p); r.Ledger.OK != 50 || most.Load() != 5 {
		t.Errorf("%+v %v, %d at a time, want 5", r.Ledger, r.FirstErrors, most.Load())
	}
}

// The server's limit of streams holds from the moment it is known.
func TestStreamLimit(t *testing.T) {
	var most atomic.Int64
	settings := []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 3}}
	var held []uint32
	s := serveH2(t, settings, func(p *h2peer, stream uint32, _ int64) bool {
		// Answers are held back until three requests are there.
		held = append(held, stream)
		most.Store(max(most.Load(), int64(len(held))))
		if len(held) < 3 {
			return true
		}
		for _, one := range held {
			p.answer(one)
		}
		held = held[:0]
		return true
	})
	p := h2plan(s.url, 30, 10)
	p.Connections = 1
	r := run(t, p)
	if !hasWarning(r, loadgen.StreamsLimited) {
		t.Errorf("nothing is said of 3 streams instead of 10: %v", r.Warnings)
	}
	if r.Ledger.OK != 30 || most.Load() != 3 {
		t.Errorf("%+v %v, %d at a time, want 3", r.Ledger, r.FirstErrors, most.Load())
	}
	// In the closed loop seven of ten slots always wait for a stream: their
	// requests are late through no fault of the generator's.
	if r.Latency.SendDelay.MeanUS <= r.Latency.Lateness.MeanUS {
		t.Errorf("send delay %v us, lateness %v us on average: waiting for a stream counts as late", r.Latency.SendDelay.MeanUS, r.Latency.Lateness.MeanUS)
	}
}

// Request bodies above every window arrive whole, also when the server changes
// the window of streams that are open.
func TestBodiesAboveTheWindow(t *testing.T) {
	settings := []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1000}}
	var short atomic.Int64
	s := serveH2(t, settings, func(p *h2peer, stream uint32, n int64) bool {
		if p.bodies[stream] != 200_000 {
			short.Add(1)
		}
		delete(p.bodies, stream)
		p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000 + uint32(n%5)*7000})
		return p.answer(stream)
	})
	p := h2plan(s.url, 20, 4)
	p.Targets[0].Method, p.Targets[0].Body = "POST", make([]byte, 200_000)
	if r := run(t, p); r.Ledger.OK != 20 || short.Load() != 0 || r.BytesOut < 20*200_000 {
		t.Errorf("%+v %v, %d bodies were short, %d bytes out", r.Ledger, r.FirstErrors, short.Load(), r.BytesOut)
	}
}

// A header block that looks the same means something else once the table that
// it refers to has changed.
func TestServerChangesItsTable(t *testing.T) {
	s := serveH2(t, nil, func(p *h2peer, stream uint32, n int64) bool {
		switch n % 3 {
		case 0:
			p.encoder.SetMaxDynamicTableSize(0)
			p.encoder.SetMaxDynamicTableSize(4096)
		case 1:
			return p.answer(stream, hpack.HeaderField{Name: "x-count", Value: strings.Repeat("a", int(n%100))})
		}
		return p.answer(stream, hpack.HeaderField{Name: "x-same", Value: "same"})
	})
	if r := run(t, h2plan(s.url, 200, 4)); r.Ledger.OK != 200 || r.Status["200"] != 200 {
		t.Errorf("%+v %v %v", r.Ledger, r.FirstErrors, r.Status)
	}
}

// Each way of an HTTP/2 server to fail has its line in the ledger, and a text
// that says what it was.
func TestH2Outcomes(t *testing.T) {
	const n = 20
	for _, tt := range []struct {
		name   string
		handle func(p *h2peer, stream uint32, requests int64) bool
		want   string
		text   string
	}{
		{"ok", func(p *h2peer, stream uint32, _ int64) bool { return p.answer(stream) }, "ok", ""},
		{"interim, trailers, padding", func(p *h2peer, stream uint32, _ int64) bool {
			p.block.Reset()
			p.encoder.WriteField(hpack.HeaderField{Name: ":status", Value: "103"})
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: p.block.Bytes(), EndHeaders: true, PadLength: 3})
			p.headers(stream, false)
			p.WritePing(false, [8]byte{1})
			p.WriteRawFrame(99, 0, 0, []byte("unknown"))
			p.WriteDataPadded(stream, false, []byte("ok"), make([]byte, 9))
			p.block.Reset()
			p.encoder.WriteField(hpack.HeaderField{Name: "x-trailer", Value: "1"})
			return p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: p.block.Bytes(), EndHeaders: true, EndStream: true}) == nil
		}, "ok", ""},
		{"reset", func(p *h2peer, stream uint32, _ int64) bool {
			return p.WriteRSTStream(stream, http2.ErrCodeInternal) == nil
		}, "reset", "INTERNAL_ERROR"},
		{"reset in the body", func(p *h2peer, stream uint32, _ int64) bool {
			p.headers(stream, false)
			return p.WriteRSTStream(stream, http2.ErrCodeCancel) == nil
		}, "read_failed", "CANCEL"},
		{"closes", func(*h2peer, uint32, int64) bool { return false }, "reset", "before the response"},
		{"closes in the body", func(p *h2peer, stream uint32, _ int64) bool {
			p.headers(stream, false)
			return false
		}, "read_failed", "inside the body"},
		{"half a frame, then silence", func(p *h2peer, stream uint32, _ int64) bool {
			if stream == 1 { // the connection goes on, and stays silent
				p.headers(stream, false)
				p.peer.Write([]byte{0, 0, 10, 0, 1, 0, 0})
			}
			return true
		}, "timeout", "response"},
		{"silence", func(*h2peer, uint32, int64) bool { return true }, "timeout", "no response"},
		{"data before headers", func(p *h2peer, stream uint32, _ int64) bool {
			return p.WriteData(stream, true, []byte("ok")) == nil
		}, "protocol_error", ""},
		{"garbage", func(p *h2peer, _ uint32, _ int64) bool { p.peer.say("SSH-2.0-x\r\n and more"); return true }, "protocol_error", ""},
		{"push", func(p *h2peer, stream uint32, _ int64) bool {
			p.block.Reset()
			p.encoder.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
			p.WritePushPromise(http2.PushPromiseParam{StreamID: stream, PromiseID: 2, BlockFragment: p.block.Bytes(), EndHeaders: true})
			return true
		}, "protocol_error", "push"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serveH2(t, nil, tt.handle)
			p := h2plan(s.url, n, 1)
			if tt.want == "timeout" {
				p.Timeout = 30 * time.Millisecond
			}
			r := run(t, p)
			got := r.Ledger.Errors[tt.want].Total()
			if tt.want == "ok" {
				got = r.Ledger.OK
			}
			if got != n || !strings.Contains(strings.ToLower(r.FirstErrors[tt.want]), strings.ToLower(tt.text)) {
				t.Errorf("%+v %v, want %d %s with %q", r.Ledger, r.FirstErrors, n, tt.want, tt.text)
			}
			if r.AllPhases.Sent != n {
				t.Errorf("%d sent, want %d", r.AllPhases.Sent, n)
			}
		})
	}
}

// A server that knows HTTP/1.1 alone says so in its own way.
func TestH2AgainstHTTP1(t *testing.T) {
	s := serve(t, func(_ *scripted, p *peer) {
		p.in.Peek(100)
		p.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		p.CloseWrite()
		io.Copy(io.Discard, p.in)
	})
	r := run(t, h2plan(s.url, 20, 2))
	if got := r.Ledger.Errors["protocol_error"].Total(); got != 20 || !strings.Contains(r.FirstErrors["protocol_error"], "HTTP/1") {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}
