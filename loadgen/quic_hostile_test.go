package loadgen_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	quicgo "github.com/quic-go/quic-go"
	"golang.org/x/net/quic"

	"github.com/scalws/scalbench/internal/quictest"
	"github.com/scalws/scalbench/loadgen"
)

// h3codes are the error codes of RFC 9114 section 8.1 and RFC 9204 section 8.3 by
// name, two that nobody has defined, and the largest there is.
var h3codes = []struct {
	code uint64
	name string
}{
	{0x100, "H3_NO_ERROR"}, {0x101, "H3_GENERAL_PROTOCOL_ERROR"}, {0x102, "H3_INTERNAL_ERROR"}, {0x103, "H3_STREAM_CREATION_ERROR"},
	{0x104, "H3_CLOSED_CRITICAL_STREAM"}, {0x105, "H3_FRAME_UNEXPECTED"}, {0x106, "H3_FRAME_ERROR"}, {0x107, "H3_EXCESSIVE_LOAD"},
	{0x108, "H3_ID_ERROR"}, {0x109, "H3_SETTINGS_ERROR"}, {0x10a, "H3_MISSING_SETTINGS"}, {0x10b, "H3_REQUEST_REJECTED"},
	{0x10c, "H3_REQUEST_CANCELLED"}, {0x10d, "H3_REQUEST_INCOMPLETE"}, {0x10e, "H3_MESSAGE_ERROR"}, {0x10f, "H3_CONNECT_ERROR"},
	{0x110, "H3_VERSION_FALLBACK"}, {0x200, "QPACK_DECOMPRESSION_FAILED"}, {0x201, "QPACK_ENCODER_STREAM_ERROR"},
	{0x202, "QPACK_DECODER_STREAM_ERROR"}, {0, "0x0"}, {0x1234, "0x1234"}, {1<<62 - 1, "0x3fffffffffffffff"},
}

// Servers with which nothing begins are told apart, each in one sentence.
func TestH3NotUp(t *testing.T) {
	good := serveH3(t, quictest.Options{}, answersOK)
	other := serveH3(t, quictest.Options{ALPN: "hq-interop"}, answersOK)
	nobody := func() netip.AddrPort {
		socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		return socket.LocalAddr().(*net.UDPAddr).AddrPort()
	}()
	tcpOnly, _ := secureServer(t, small, "h2", "http/1.1")
	unreachable, certificate := loadgen.ErrUnreachable, loadgen.ErrCertificate
	for _, tt := range []struct {
		name    string
		address netip.AddrPort
		ca      []byte
		change  func(*loadgen.Plan)
		text    string
		wraps   error
	}{
		{"nobody", nobody, nil, nil, "nothing listens on the UDP port", unreachable},
		{"HTTP over TCP alone", netip.AddrPort{}, nil, func(p *loadgen.Plan) { p.Targets[0].URL = tcpOnly }, "nothing listens on the UDP port", unreachable},
		{"another protocol", other.Addr(), other.CA(), nil, "does not offer h3", unreachable},
		{"silence", quictest.Silent(t), nil, nil, "no answer on the UDP port", unreachable},
		{"garbage", quictest.Garbage(t, 1), nil, nil, "no answer on the UDP port", unreachable},
		{"other versions", quictest.VersionNegotiator(t), nil, nil, "none of our QUIC versions, it offers 0x1a2a3a4a", unreachable},
		{"unknown authority", good.Addr(), nil, nil, "signed by an authority that is not trusted", certificate},
		{"wrong name", good.Addr(), good.CA(), func(p *loadgen.Plan) { p.TLS.SNI = "example.org" }, "example.org", certificate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := h3plan(tt.address, tt.ca, 10, 2)
			p.ConnectTimeout = 200 * time.Millisecond
			if tt.change != nil {
				tt.change(&p)
			}
			began := time.Now()
			_, err := runBounded(t, p, loadgen.Observer{})
			if err == nil || !errors.Is(err, tt.wraps) || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %v in a sentence with %q", err, tt.wraps, tt.text)
			}
			if took := time.Since(began); took > 5*time.Second { // 200 ms, on a host that may be busy
				t.Errorf("ended after %v", took)
			}
		})
	}
	t.Run("insecure", func(t *testing.T) {
		p := h3plan(good.Addr(), nil, 10, 2)
		p.TLS.Insecure = true
		wantAll(t, runH3(t, p), 10, "ok", "")
	})
}

// A server that is lost between the first handshake and those of the workers.
func TestH3LostBeforeTheRun(t *testing.T) {
	t.Parallel()
	s := serveH3(t, quictest.Options{}, answersOK)
	relay := quictest.NewRelay(t, s.Addr(), 0, 1)
	p := h3plan(relay.Addr(), s.CA(), 10, 2)
	p.ConnectTimeout = 300 * time.Millisecond
	_, err := runBounded(t, p, loadgen.Observer{Warned: func(w loadgen.Warning) { // before there are workers
		if w.Code == loadgen.NotPinned {
			relay.SetDrop(1)
		}
	}})
	if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "no answer on the UDP port") {
		t.Errorf("got %v", err)
	}
}

// begin sends the head of a response and so much of its body that the client must
// have read some of it for the rest to have left: quic-go's window of a stream
// begins with 512 KiB, and this side holds 64 KiB ([cutOptions]).
func begin(r *quictest.Request) {
	r.Headers(http.StatusOK, "content-length", "2000000")
	r.Data(make([]byte, 700_000))
}

var cutOptions = quictest.Options{WriteBufferBytes: 64 << 10}

// A stream that is reset is told with its code, before a response and inside one,
// and its connection goes on.
func TestH3StreamReset(t *testing.T) {
	var code atomic.Uint64
	var begun atomic.Bool
	s := serveH3(t, cutOptions, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
		if begun.Load() {
			begin(r)
		}
		r.Reset(code.Load())
	})
	for _, tt := range h3codes {
		for outcome, inside := range map[string]bool{"reset": false, "read_failed": true} {
			t.Run(tt.name+", "+outcome, func(t *testing.T) {
				code.Store(tt.code)
				begun.Store(inside)
				r := runH3(t, s.plan(5, 2))
				wantAll(t, r, 5, outcome, "the server reset the stream: "+tt.name)
				if r.Connections.Opened != 2 || r.AllPhases.Sent != 5 {
					t.Errorf("%d connections, %d sent, want 2 and 5", r.Connections.Opened, r.AllPhases.Sent)
				}
			})
		}
	}
}

// A connection that the server closes is told with its code and its words, before
// a response and inside one, and the run goes on over the next.
func TestH3ConnectionClose(t *testing.T) {
	var code atomic.Uint64
	var begun atomic.Bool
	s := serveH3(t, cutOptions, func(_ context.Context, c *quictest.Conn, r *quictest.Request, _ int64) {
		if begun.Load() {
			begin(r)
		}
		c.Close(code.Load(), "closed for tea")
	})
	for _, tt := range h3codes {
		for outcome, inside := range map[string]bool{"reset": false, "read_failed": true} {
			t.Run(tt.name+", "+outcome, func(t *testing.T) {
				code.Store(tt.code)
				begun.Store(inside)
				r := runH3(t, s.plan(3, 1))
				wantAll(t, r, 3, outcome, "the server closed the connection: "+tt.name)
				if !strings.HasSuffix(r.FirstErrors[outcome], ": closed for tea") {
					t.Errorf("first error %q does not have the server's words", r.FirstErrors[outcome])
				}
				if opened := r.Connections.Opened; opened < 3 || opened > 5 || r.AllPhases.Sent != 3 { // each of 2 may have one open that carries none
					t.Errorf("%d connections, %d sent, want 3 to 5, and 3", opened, r.AllPhases.Sent)
				}
			})
		}
	}
}

// A server that shakes hands and closes, before anything could be asked.
func TestH3ClosesBehindTheHandshake(t *testing.T) {
	s := serveH3Conns(t, quictest.Options{}, func(_ context.Context, _ *h3server, c *quictest.Conn) { c.Close(0x107, "too busy") })
	p := s.plan(4, 1)
	p.ConnectTimeout = 200 * time.Millisecond
	r, err := runBounded(t, p, loadgen.Observer{})
	if err != nil {
		if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "H3_EXCESSIVE_LOAD (0x107): too busy") {
			t.Errorf("got %v", err)
		}
		return
	}
	check(t, r)
	if r.Ledger.OK != 0 || r.Ledger.Scheduled != 4 || r.Connections.Opened > 100 {
		t.Errorf("%+v %v, %d connections", r.Ledger, r.FirstErrors, r.Connections.Opened)
	}
}

// A server that replaces its connections: what it has not looked at is sent again
// elsewhere, what it has is answered, and nothing is counted twice.
func TestH3GoAway(t *testing.T) {
	const next = 4 // request streams are 0, 4, 8, … (RFC 9000 section 2.1)
	var answered atomic.Int64
	s := serveH3(t, quictest.Options{}, func(ctx context.Context, c *quictest.Conn, r *quictest.Request, _ int64) {
		if r.ID() > 4*next {
			return // not looked at
		}
		if r.ID() == 4*next { // the fifth is the last; its answer comes behind the GOAWAY
			c.GoAway(ctx, r.ID()+next)
		}
		answered.Add(1)
		answer(r, []byte("ok"))
	})
	r := runH3(t, s.plan(100, 8))
	wantAll(t, r, 100, "ok", "")
	if answered.Load() != 100 || r.AllPhases.Sent != 100 || r.Connections.RestartedRequests == 0 {
		t.Errorf("%d answered, %d sent, %d restarted; want 100, 100 and some", answered.Load(), r.AllPhases.Sent, r.Connections.RestartedRequests)
	}
	if r.Connections.Opened < 20 { // 5 a connection
		t.Errorf("%d connections for 100 requests, want at least 20", r.Connections.Opened)
	}
}

// A server that hands everything back for ever is given up, request by request.
func TestH3GoAwayForEver(t *testing.T) {
	t.Parallel()
	s := serveH3(t, quictest.Options{}, func(ctx context.Context, c *quictest.Conn, _ *quictest.Request, _ int64) { c.GoAway(ctx, 0) })
	r := runH3(t, s.plan(6, 2))
	wantAll(t, r, 6, "reset", "handed back")
	if r.Connections.RestartedRequests != 30 { // each of 6 five times
		t.Errorf("%d restarted, want 30", r.Connections.RestartedRequests)
	}
}

// One that does so before it is asked may be met with nothing out. All is
// accounted for, and it is not asked for ever.
func TestH3GoAwayAtOnce(t *testing.T) {
	t.Parallel()
	s := serveH3Conns(t, quictest.Options{}, func(ctx context.Context, s *h3server, c *quictest.Conn) {
		c.Settings(ctx)
		c.GoAway(ctx, 0)
		s.answerLoop(ctx, c, func(context.Context, *quictest.Conn, *quictest.Request, int64) {})
	})
	p := s.plan(6, 2)
	p.ConnectTimeout = 200 * time.Millisecond
	r, err := runBounded(t, p, loadgen.Observer{})
	if err != nil {
		if !errors.Is(err, loadgen.ErrUnreachable) {
			t.Errorf("got %v", err)
		}
		return
	}
	check(t, r)
	lost := r.Ledger.Errors["reset"].Total() + r.Ledger.Errors["connect_failed"].Total() + r.Ledger.NeverSent
	if r.Ledger.Scheduled != 6 || lost != 6 || s.connections.Load() > 100 {
		t.Errorf("%+v %v, %d connections", r.Ledger, r.FirstErrors, s.connections.Load())
	}
}

// A server that gives a request back one by one, by its code, has not answered.
func TestH3Rejected(t *testing.T) {
	s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		if n%2 == 0 {
			r.Reset(0x10b)
			return
		}
		answer(r, []byte("ok"))
	})
	r := runH3(t, s.plan(40, 3))
	if r.Ledger.OK != 20 || r.Ledger.Errors["reset"].Sent != 20 || s.requests.Load() != 40 {
		t.Errorf("%+v %v, want half of 40", r.Ledger, r.FirstErrors)
	}
}

// A server that wants no more of a request, or answers before it has read it.
func TestH3AnswerBeforeTheBodyIsRead(t *testing.T) {
	refuse := func(r *quictest.Request) {
		r.Headers(http.StatusRequestEntityTooLarge, "content-length", "0")
		r.Finish()
	}
	for _, tt := range []struct {
		name   string
		bytes  int
		window int64
		handle func(r *quictest.Request)
		want   string
		text   string
	}{
		{"stops, then answers", 4 << 20, 10_000, func(r *quictest.Request) { r.StopSending(0x100); refuse(r) }, "ok", ""},
		{"answers, then stops", 4 << 20, 10_000, func(r *quictest.Request) { refuse(r); r.StopSending(0x100) }, "ok", ""},
		{"stops a request that has left", 100, 1 << 20, func(r *quictest.Request) { r.StopSending(0x100); refuse(r) }, "ok", ""},
		{"answers and never reads", 4 << 20, 10_000, refuse, "ok", ""},
		{"stops and never answers", 4 << 20, 10_000, func(r *quictest.Request) { r.StopSending(0x100) }, "timeout", "no response"},
		{"never reads, never answers", 4 << 20, 10_000, func(*quictest.Request) {}, "timeout", "no response"},
		{"stops and resets", 4 << 20, 10_000, func(r *quictest.Request) { r.StopSending(0x10c); r.Reset(0x102) }, "reset", "H3_INTERNAL_ERROR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serveH3Conns(t, quictest.Options{WindowBytes: tt.window}, func(ctx context.Context, s *h3server, c *quictest.Conn) {
				c.Settings(ctx)
				for {
					r, err := c.AcceptUnread(ctx)
					if err != nil {
						return
					}
					tt.handle(r)
				}
			})
			p := s.plan(12, 2)
			p.Targets[0].Method, p.Targets[0].Body, p.Targets[0].ExpectStatus = "POST", patterned(tt.bytes), 413
			if tt.want == "timeout" {
				p.Timeout = 100 * time.Millisecond
			}
			wantAll(t, runH3(t, p), 12, tt.want, tt.text)
		})
	}
}

// A server that never reads fills its connection's window, so that of the requests
// behind it not a byte can leave. They are timeouts all the same, and none is said
// to have been out for longer than it was.
func TestH3ConnectionWindowFull(t *testing.T) {
	t.Parallel()
	s := serveH3Conns(t, quictest.Options{WindowBytes: 4 << 20}, func(ctx context.Context, _ *h3server, c *quictest.Conn) {
		c.Settings(ctx)
		c.Wait(ctx)
	})
	p := s.plan(12, 2)
	p.Targets[0].Method, p.Targets[0].Body, p.Timeout = "POST", make([]byte, 2<<20), 100*time.Millisecond
	r := runH3(t, p)
	wantAll(t, r, 12, "timeout", " ms after sending")
}

// A server without room for our control stream is met with a connection that
// carries nothing. Why, is told.
func TestH3NoControlStream(t *testing.T) {
	noWindow := serveH3(t, quictest.Options{WindowBytes: -1}, answersOK)
	noStream := serveHTTP3(t, "127.0.0.1:0", func(_ *tls.Config, q *quicgo.Config) { q.MaxIncomingUniStreams = -1 }, small)
	for name, p := range map[string]loadgen.Plan{"window does not hold": noWindow.plan(6, 2), "allows no control stream": noStream.plan(6, 2)} {
		p.ConnectTimeout = 200 * time.Millisecond
		r, err := runBounded(t, p, loadgen.Observer{})
		if err != nil {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		check(t, r)
		told := fmt.Sprint(r.FirstErrors, r.Warnings)
		if r.Ledger.OK != 0 || r.Ledger.Scheduled != 6 || !strings.Contains(told, name) {
			t.Errorf("%s: %+v, told is %s", name, r.Ledger, told)
		}
	}
}

// headers says 200 and leaves the stream open.
func headers(r *quictest.Request, namesAndValues ...string) {
	r.Headers(http.StatusOK, namesAndValues...)
}

// Each way of breaking the protocol for a whole connection ends what is out on
// it, with what it was, and is told to the server by its code.
func TestH3ConnectionFaults(t *testing.T) {
	settings := quictest.Frame(quictest.FrameSettings, nil)
	control := func(frames ...[]byte) func(context.Context, *quictest.Conn, *quictest.Request) {
		return func(ctx context.Context, c *quictest.Conn, _ *quictest.Request) {
			for _, f := range frames {
				c.Control(ctx, f)
			}
		}
	}
	uni := func(kind uint64, raw ...byte) func(context.Context, *quictest.Conn, *quictest.Request) {
		return func(ctx context.Context, c *quictest.Conn, _ *quictest.Request) {
			c.Control(ctx, settings)
			c.Uni(ctx, append(quictest.Varints(kind), raw...))
		}
	}
	onRequest := func(send func(r *quictest.Request)) func(context.Context, *quictest.Conn, *quictest.Request) {
		return func(ctx context.Context, c *quictest.Conn, r *quictest.Request) {
			c.Control(ctx, settings)
			send(r)
		}
	}
	for _, tt := range []struct {
		name string
		send func(ctx context.Context, c *quictest.Conn, r *quictest.Request)
		text string
		code uint64
	}{
		{"no SETTINGS", control(quictest.Frame(quictest.FrameGoAway, quictest.Varints(0))), "does not begin with SETTINGS", 0x10a},
		{"SETTINGS twice", control(settings, settings), "second SETTINGS", 0x105},
		{"a setting twice", control(quictest.Frame(quictest.FrameSettings, quictest.Varints(0x33, 1, 0x33, 1))), "setting given twice", 0x109},
		{"a setting of HTTP/2", control(quictest.Frame(quictest.FrameSettings, quictest.Varints(0x2, 1))), "setting of HTTP/2", 0x109},
		{"half a setting", control(quictest.Frame(quictest.FrameSettings, quictest.Varints(0x33))), "SETTINGS ends inside a setting", 0x106},
		{"endless SETTINGS", control(quictest.Frame(quictest.FrameSettings, make([]byte, 100_000))), "SETTINGS above 2 KiB", 0x107},
		{"DATA on control", control(settings, quictest.Frame(quictest.FrameData, []byte("x"))), "frame of a request stream on the control stream", 0x105},
		{"HEADERS on control", control(settings, quictest.Frame(quictest.FrameHeaders, []byte("x"))), "frame of a request stream on the control stream", 0x105},
		{"a frame of HTTP/2", control(settings, quictest.Frame(0x2, nil)), "frame type of HTTP/2", 0x105},
		{"MAX_PUSH_ID", control(settings, quictest.Frame(quictest.FrameMaxPushID, quictest.Varints(1))), "MAX_PUSH_ID", 0x105},
		{"CANCEL_PUSH", control(settings, quictest.Frame(quictest.FrameCancelPush, quictest.Varints(1))), "CANCEL_PUSH", 0x108},
		{"GOAWAY of no request", control(settings, quictest.Frame(quictest.FrameGoAway, quictest.Varints(3))), "no request stream", 0x108},
		{"GOAWAY upwards", control(settings, quictest.Frame(quictest.FrameGoAway, quictest.Varints(400)), quictest.Frame(quictest.FrameGoAway, quictest.Varints(404))), "larger ID", 0x108},
		{"long GOAWAY", control(settings, quictest.Frame(quictest.FrameGoAway, make([]byte, 9))), "not one stream ID", 0x106},
		{"control finished", func(ctx context.Context, c *quictest.Conn, _ *quictest.Request) {
			if stream, err := c.Control(ctx, settings); err == nil {
				stream.Finish()
			}
		}, "control stream closed", 0x104},
		{"control reset", func(ctx context.Context, c *quictest.Conn, _ *quictest.Request) {
			if stream, err := c.Control(ctx, settings); err == nil {
				c.Wait(lookedAt(ctx)) // a reset may overtake the stream's type
				stream.Reset(0x100)
			}
		}, "control stream closed", 0x104},
		{"two control streams", uni(quictest.StreamControl, settings...), "second control stream", 0x103},
		{"QPACK insertion", uni(quictest.StreamQPACKEncoder, 0x3f, 0xe1, 0x1f), "instruction for the dynamic table", 0x201},
		{"QPACK acknowledgement", uni(quictest.StreamQPACKDecoder, 0x80), "acknowledgement of dynamic table entries", 0x202},
		{"push stream", uni(quictest.StreamPush, 0), "push stream", 0x108},
		{"PUSH_PROMISE", onRequest(func(r *quictest.Request) { r.Frame(quictest.FramePushPromise, quictest.Varints(0)) }), "PUSH_PROMISE", 0x108},
		{"DATA first", onRequest(func(r *quictest.Request) { r.Data([]byte("x")); r.Finish() }), "DATA before HEADERS", 0x105},
		{"DATA first, unfinished", onRequest(func(r *quictest.Request) { r.Data([]byte("x")) }), "DATA before HEADERS", 0x105},
		{"SETTINGS on a request", onRequest(func(r *quictest.Request) { r.Frame(quictest.FrameSettings, nil) }), "frame of the control stream on a request stream", 0x105},
		{"FIN inside a frame", onRequest(func(r *quictest.Request) {
			headers(r)
			r.Write(quictest.Frame(quictest.FrameData, []byte("body"))[:3])
			r.Finish()
		}), "stream ends inside a frame", 0x106},
		{"FIN inside a frame's length", onRequest(func(r *quictest.Request) { headers(r); r.Write([]byte{0, 0x40}); r.Finish() }), "stream ends inside a frame", 0x106},
		{"DATA behind trailers", onRequest(func(r *quictest.Request) {
			headers(r)
			r.Frame(quictest.FrameHeaders, quictest.Block("x-trailer", "1"))
			r.Data([]byte("x"))
			r.Finish()
		}), "after the trailers", 0x105},
		{"dynamic table", onRequest(func(r *quictest.Request) { r.Frame(quictest.FrameHeaders, []byte{0x02, 0x00, 0x80}); r.Finish() }), "dynamic table", 0x200},
		{"no QPACK", onRequest(func(r *quictest.Request) { r.Frame(quictest.FrameHeaders, []byte{0x00, 0x00, 0xff, 0xff}); r.Finish() }), "cannot be decoded", 0x200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			codes := map[string]int{}
			s := serveH3Conns(t, quictest.Options{}, func(ctx context.Context, s *h3server, c *quictest.Conn) {
				r, err := c.Accept(ctx) // so that something is out
				if err != nil {
					return
				}
				tt.send(ctx, c, r)
				var closed *quic.ConnectionCloseError
				if errors.As(c.Wait(ctx), &closed) {
					mu.Lock()
					codes[fmt.Sprintf("%#x", closed.Code)]++
					mu.Unlock()
				}
			})
			r := runH3(t, s.plan(8, 2))
			wantAll(t, r, 8, "protocol_error", tt.text)
			mu.Lock()
			defer mu.Unlock()
			// The last may be closed because the run is over.
			if delete(codes, "0x100"); len(codes) != 1 || codes[fmt.Sprintf("%#x", tt.code)] == 0 {
				t.Errorf("told to the server as %v, want %#x", codes, tt.code)
			}
		})
	}
}

// lookedAt is a context that ends when a client has had the time to look at what
// was sent: in the tests nothing tells the server.
func lookedAt(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(30*time.Millisecond, cancel)
	return ctx
}

// What is wrong from the first byte on may be found with nothing out. It is told
// either way.
func TestH3ConnectionFaultAtOnce(t *testing.T) {
	s := serveH3Conns(t, quictest.Options{}, func(ctx context.Context, _ *h3server, c *quictest.Conn) {
		c.Control(ctx, quictest.Frame(quictest.FrameData, []byte("x")))
	})
	p := s.plan(6, 2)
	p.ConnectTimeout = 200 * time.Millisecond
	const text = "control stream does not begin with SETTINGS"
	r, err := runBounded(t, p, loadgen.Observer{})
	if err != nil {
		if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v", err)
		}
		return
	}
	check(t, r)
	if broken := r.Ledger.Errors["protocol_error"].Total(); r.Ledger.Scheduled != 6 || broken+r.Ledger.NeverSent != 6 || broken > 0 && !strings.Contains(r.FirstErrors["protocol_error"], text) {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

// A malformed response is the fault of its stream alone, and the connection goes
// on. Of one that goes on, the server is told that nobody listens.
func TestH3StreamFaults(t *testing.T) {
	block := func(r *quictest.Request, namesAndValues ...string) {
		r.Frame(quictest.FrameHeaders, quictest.Block(namesAndValues...))
	}
	for _, tt := range []struct {
		name string
		send func(r *quictest.Request)
		text string
		goes bool // on: the stream is not finished
	}{
		{"no response", func(r *quictest.Request) { r.Finish() }, "stream ends before the response", false},
		{"no status", func(r *quictest.Request) { block(r, "content-length", "2"); r.Data([]byte("ok")); r.Finish() }, "no :status", false},
		{"no status, goes on", func(r *quictest.Request) { block(r, "content-length", "2") }, "no :status", true},
		{"two", func(r *quictest.Request) { block(r, ":status", "200", ":status", "200"); r.Finish() }, "two :status", false},
		{"malformed status", func(r *quictest.Request) { block(r, ":status", "20x"); r.Finish() }, ":status is not a number", false},
		{"status 99", func(r *quictest.Request) { block(r, ":status", "99"); r.Finish() }, ":status is not a number", false},
		{"a request's field", func(r *quictest.Request) { block(r, ":status", "200", ":path", "/"); r.Finish() }, "pseudo-header that no response has", false},
		{"late status", func(r *quictest.Request) { block(r, "a", "b", ":status", "200"); r.Finish() }, "pseudo-header behind a regular field", false},
		{"upper case", func(r *quictest.Request) { headers(r, "Server", "x"); r.Finish() }, "upper case", false},
		{"connection field", func(r *quictest.Request) { headers(r, "connection", "close"); r.Finish() }, "connection-specific", false},
		{"101", func(r *quictest.Request) { r.Headers(101); r.Finish() }, "101", false},
		{"interim alone", func(r *quictest.Request) { r.Headers(103); r.Finish() }, "ends with an interim response", false},
		{"two lengths", func(r *quictest.Request) { headers(r, "content-length", "2", "content-length", "3"); r.Finish() }, "two different content-lengths", false},
		{"no length", func(r *quictest.Request) { headers(r, "content-length", "two"); r.Finish() }, "content-length is not a number", false},
		{"shorter", func(r *quictest.Request) { headers(r, "content-length", "3"); r.Data([]byte("ok")); r.Finish() }, "body shorter than its content-length", false},
		{"longer", func(r *quictest.Request) { headers(r, "content-length", "1"); r.Data([]byte("ok")); r.Finish() }, "body longer than its content-length", false},
		{"longer, goes on", func(r *quictest.Request) { headers(r, "content-length", "1"); r.Data([]byte("ok")) }, "body longer than its content-length", true},
		{"body of a 204", func(r *quictest.Request) { r.Headers(204); r.Data([]byte("ok")); r.Finish() }, "body in a response that has none", false},
		{"status in the trailers", func(r *quictest.Request) { headers(r); headers(r); r.Finish() }, "pseudo-header in the trailers", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var wrong atomic.Int64
			s := serveH3(t, quictest.Options{}, func(ctx context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
				tt.send(r)
				if tt.goes {
					if code, err := r.Stopped(ctx); err == nil && code != 0x10e { // H3_MESSAGE_ERROR
						wrong.Add(1)
					}
				}
			})
			r := runH3(t, s.plan(12, 2))
			wantAll(t, r, 12, "protocol_error", tt.text)
			if r.Connections.Opened != 2 || r.AllPhases.Sent != 12 || s.requests.Load() != 12 || wrong.Load() != 0 {
				t.Errorf("%d connections, %d sent, %d arrived, %d stopped by another code", r.Connections.Opened, r.AllPhases.Sent, s.requests.Load(), wrong.Load())
			}
		})
	}
}

// What a client has to live with changes nothing: unknown frames, settings and
// streams, interim responses, trailers.
func TestH3Ignored(t *testing.T) {
	const grease = 0x1f*5 + 0x21 // reserved to be ignored (RFC 9114 sections 6.2.3, 7.2.8)
	var stopped atomic.Int64
	s := serveH3Conns(t, quictest.Options{}, func(ctx context.Context, s *h3server, c *quictest.Conn) {
		c.Settings(ctx, 0x33, 1, grease, 7, 0x6, 1<<20)
		c.Control(ctx, quictest.Frame(grease, make([]byte, 5000)))
		c.Control(ctx, quictest.Frame(0xf0700, []byte("0"))) // PRIORITY_UPDATE (RFC 9218)
		c.Uni(ctx, quictest.Varints(quictest.StreamQPACKEncoder, 0x20))
		c.Uni(ctx, quictest.Varints(quictest.StreamQPACKDecoder))
		if unknown, err := c.Uni(ctx, append(quictest.Varints(grease), make([]byte, 3000)...)); err == nil {
			if code, err := unknown.Stopped(ctx); err == nil && code == 0x103 { // H3_STREAM_CREATION_ERROR
				stopped.Add(1)
			}
		}
		if finished, err := c.Uni(ctx, quictest.Varints(0x41)); err == nil { // half a type of two bytes would be no type
			finished.Finish()
		}
		s.answerLoop(ctx, c, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
			r.Frame(grease, []byte("unknown"))
			r.Headers(103, "link", "</x>")
			r.Headers(100)
			r.Headers(http.StatusOK, "content-length", "4", "content-length", "4")
			r.Data(nil)
			r.Data([]byte("o"))
			r.Frame(grease+0x1f, make([]byte, int(n%3)*1000))
			r.Data([]byte("kay"))
			r.Frame(quictest.FrameHeaders, quictest.Block("x-trailer", "1"))
			r.Frame(grease, nil)
			r.Finish()
		})
	})
	r := runH3(t, s.plan(40, 3))
	wantAll(t, r, 40, "ok", "")
	if r.BodyBytesIn != 160 || r.Status["200"] != 40 || stopped.Load() < 2 { // 40 bodies of 4 bytes
		t.Errorf("%d body bytes, %v, %d of 2 unknown streams stopped", r.BodyBytesIn, r.Status, stopped.Load())
	}
}

// Other statuses than the wanted one, each a complete response.
func TestH3Status(t *testing.T) {
	s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		r.Headers([]int{404, 500, 301, 204}[n%4])
		r.Finish()
	})
	r := runH3(t, s.plan(40, 2))
	if r.Ledger.OK != 10 || r.Ledger.Errors["bad_status"].Sent != 30 || r.Status["404"] != 10 || !strings.HasSuffix(r.FirstErrors["bad_status"], ", not 2xx") {
		t.Errorf("%+v %v %v", r.Ledger, r.Status, r.FirstErrors)
	}
}

// A server that falls silent is timed out, request by request, on connections that
// stay, and what it says too late is nobody's answer.
func TestH3Silence(t *testing.T) {
	for _, tt := range []struct {
		name   string
		handle func(ctx context.Context, r *quictest.Request)
		text   string
	}{
		{"for good", func(context.Context, *quictest.Request) {}, "no response"},
		{"behind the head", func(_ context.Context, r *quictest.Request) { headers(r, "content-length", "2") }, "incomplete response"},
		{"and answers too late", func(ctx context.Context, r *quictest.Request) {
			if code, err := r.Stopped(ctx); err == nil && code == 0x10c { // H3_REQUEST_CANCELLED
				answer(r, make([]byte, 5000))
			}
		}, "no response"},
		{"and answers at the last moment", func(ctx context.Context, r *quictest.Request) {
			wait := time.NewTimer(100 * time.Millisecond)
			defer wait.Stop()
			select {
			case <-wait.C:
				answer(r, make([]byte, 5000))
			case <-ctx.Done():
			}
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serveH3(t, quictest.Options{}, func(ctx context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
				if n > 20 {
					tt.handle(ctx, r)
					return
				}
				answer(r, []byte("ok"))
			})
			p := s.plan(60, 5)
			p.Timeout = 100 * time.Millisecond
			r := runH3(t, p)
			lost := r.Ledger.Errors["timeout"].Sent
			if r.Ledger.OK+lost != 60 || tt.text != "" && r.Ledger.OK != 20 || !strings.Contains(r.FirstErrors["timeout"], tt.text) {
				t.Errorf("%+v %v, want 20 ok and 40 timeouts with %q", r.Ledger, r.FirstErrors, tt.text)
			}
			if r.Connections.Opened != 2 || r.AllPhases.Sent != 60 {
				t.Errorf("%d connections, %d sent, want 2 and 60", r.Connections.Opened, r.AllPhases.Sent)
			}
			if d := r.Latency.Response; lost > 0 && d.MaxUS < 100_000 {
				t.Errorf("the longest response time is %v us, the timeout 100 ms", d.MaxUS)
			}
		})
	}
}

// What the drain does not see the end of is unfinished.
func TestH3Unfinished(t *testing.T) {
	t.Parallel()
	s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		if n <= 10 {
			answer(r, []byte("ok"))
		}
	})
	p := s.plan(0, 3)
	p.Measure, p.Drain = 150*time.Millisecond, 50*time.Millisecond
	r := runH3(t, p)
	if r.Ledger.OK != 10 || r.Ledger.Unfinished != 6 || r.Ledger.Scheduled != 16 || r.AllPhases.Sent != 16 { // 2 connections of 3 streams
		t.Errorf("%+v %v, %d sent", r.Ledger, r.FirstErrors, r.AllPhases.Sent)
	}
}

// A server that allows no stream at all is given up, and all is accounted for.
func TestH3NoStreamAllowed(t *testing.T) {
	t.Parallel()
	s := serveH3(t, quictest.Options{Streams: -1}, answersOK)
	p := s.plan(20, 2)
	p.ConnectTimeout = 200 * time.Millisecond
	r := runH3(t, p)
	if r.Ledger.Scheduled != 20 || r.Ledger.NeverSent != 20 || r.AllPhases.Sent != 0 || !hasWarning(r, loadgen.ServerGone) {
		t.Errorf("%+v %v %v", r.Ledger, r.FirstErrors, r.Warnings)
	}
	p.Requests, p.Measure, p.Drain = 0, 100*time.Millisecond, 50*time.Millisecond
	r = runH3(t, p)
	if r.Ledger.Scheduled != 4 || r.Ledger.NeverSent != 4 { // 2 connections of 2 streams
		t.Errorf("by the clock: %+v %v", r.Ledger, r.FirstErrors)
	}
}
