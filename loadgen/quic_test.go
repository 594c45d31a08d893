package loadgen_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/quictest"
	"github.com/scalws/scalbench/loadgen"
)

// h3server is a scripted server of HTTP/3. It counts what it has met; the
// handshake before the run is one of its connections.
type h3server struct {
	*quictest.Server
	requests    atomic.Int64 // read whole
	connections atomic.Int64
}

// serveH3 starts a scripted server that has sent its SETTINGS and calls handle
// for each request that has been read whole, all of a connection at a time.
// requests counts them over all connections.
func serveH3(t *testing.T, o quictest.Options, handle func(ctx context.Context, c *quictest.Conn, r *quictest.Request, requests int64)) *h3server {
	t.Helper()
	return serveH3Conns(t, o, func(ctx context.Context, s *h3server, c *quictest.Conn) {
		if c.Settings(ctx) == nil {
			s.answerLoop(ctx, c, handle)
		}
	})
}

// serveH3Conns calls handle for each connection, on which nothing has been sent.
func serveH3Conns(t *testing.T, o quictest.Options, handle func(ctx context.Context, s *h3server, c *quictest.Conn)) *h3server {
	t.Helper()
	s := new(h3server)
	s.Server = quictest.Start(t, o, func(ctx context.Context, c *quictest.Conn) {
		s.connections.Add(1)
		handle(ctx, s, c)
	})
	return s
}

// answerLoop calls handle for each request until the connection ends.
func (s *h3server) answerLoop(ctx context.Context, c *quictest.Conn, handle func(context.Context, *quictest.Conn, *quictest.Request, int64)) {
	var answering sync.WaitGroup
	defer answering.Wait()
	for {
		r, err := c.AcceptUnread(ctx)
		if err != nil {
			return
		}
		answering.Go(func() {
			if r.ReadAll() == nil && !r.Canceled {
				handle(ctx, c, r, s.requests.Add(1))
			}
		})
	}
}

// answer says 200 with a body. What fails is the client's to tell.
func answer(r *quictest.Request, body []byte) {
	r.Headers(http.StatusOK, "content-length", strconv.Itoa(len(body)))
	if len(body) > 0 {
		r.Data(body)
	}
	r.Finish()
}

// answersOK is a handle that answers every request alike.
func answersOK(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
	answer(r, []byte("ok"))
}

// h3plan is a short test of a number of requests over two connections.
func h3plan(address netip.AddrPort, ca []byte, requests int64, streams int) loadgen.Plan {
	p := plan("https://"+address.String()+"/x", requests)
	p.Protocol, p.Streams, p.TLS.CAs = loadgen.HTTP3, streams, ca
	return p
}

// plan is an h3plan for this server.
func (s *h3server) plan(requests int64, streams int) loadgen.Plan {
	return h3plan(s.Addr(), s.CA(), requests, streams)
}

// h3limit is more than any run here takes. A run that is not over then is
// interrupted; one that does not end at that hangs.
const h3limit = 45 * time.Second

// runBounded measures, and fails the test when that takes longer than h3limit.
func runBounded(t *testing.T, p loadgen.Plan, o loadgen.Observer) (*loadgen.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), h3limit)
	defer cancel()
	type end struct {
		r   *loadgen.Result
		err error
	}
	ended := make(chan end, 1)
	go func() {
		r, err := loadgen.Run(ctx, p, o)
		ended <- end{r, err}
	}()
	select {
	case e := <-ended:
		if ctx.Err() != nil {
			t.Errorf("the run takes longer than %v", h3limit)
		}
		return e.r, e.err
	case <-time.After(h3limit + 5*time.Second):
		t.Fatal("the run hangs")
		return nil, nil
	}
}

// runH3 measures within h3limit and checks what must hold of every result.
func runH3(t *testing.T, p loadgen.Plan) *loadgen.Result {
	t.Helper()
	r, err := runBounded(t, p, loadgen.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	return r
}

// wantAll fails the test unless all n requests have an outcome, and a sentence
// with a text tells the first.
func wantAll(t *testing.T, r *loadgen.Result, n uint64, outcome, text string) {
	t.Helper()
	got := r.Ledger.Errors[outcome].Total()
	if outcome == "ok" {
		got = r.Ledger.OK
	}
	if got != n || r.Ledger.Scheduled != n {
		t.Errorf("%d of %d are %s, want all %d: %+v %v", got, r.Ledger.Scheduled, outcome, n, r.Ledger, r.FirstErrors)
	}
	if first := r.FirstErrors[outcome]; !strings.Contains(first, text) || strings.Contains(first, "\n") {
		t.Errorf("first error %q, want a sentence with %q", first, text)
	}
}

// patterned is a body in which nothing that is lost or doubled goes unnoticed.
func patterned(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

// Each kind of request arrives as it was meant, and what comes back is counted.
func TestH3Requests(t *testing.T) {
	for _, tt := range []struct {
		name     string
		method   string
		body     int
		requests int64
		conns    int // 0: 2
		streams  int
		headers  bool // of many bytes
	}{
		{name: "GET", method: "GET", requests: 40, streams: 1},
		{name: "GET, 10 streams", method: "GET", requests: 200, streams: 10},
		{name: "GET, 1 connection", method: "GET", requests: 40, conns: 1, streams: 1},
		{name: "GET with 10 KiB of header fields", method: "GET", requests: 20, streams: 2, headers: true},
		{name: "HEAD", method: "HEAD", requests: 40, streams: 2},
		{name: "POST of 1 byte", method: "POST", body: 1, requests: 40, streams: 2},
		{name: "POST of 16 KiB less the frames", method: "POST", body: 16<<10 - 100, requests: 20, streams: 2},
		{name: "POST of 20 KiB", method: "POST", body: 20 << 10, requests: 40, streams: 4},
		{name: "POST of 1 MiB", method: "POST", body: 1 << 20, requests: 8, streams: 2},
		{name: "POST of 10 MiB", method: "POST", body: 10 << 20, requests: 2, streams: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := patterned(tt.body)
			var wrong atomic.Int64
			s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
				fields, got, err := r.Message()
				if err != nil || !bytes.Equal(got, body) || !hasField(fields, ":method", tt.method) || !hasField(fields, ":path", "/x") {
					wrong.Add(1)
				}
				if tt.method == "HEAD" {
					r.Headers(http.StatusOK, "content-length", "1000")
					r.Finish()
					return
				}
				answer(r, got)
			})
			p := s.plan(tt.requests, tt.streams)
			p.Timeout = 30 * time.Second // bodies of 10 MiB, with the race detector, on a busy host
			if tt.conns > 0 {
				p.Connections = tt.conns
			}
			p.Targets[0].Method, p.Targets[0].Body, p.Targets[0].ExpectBytes = tt.method, body, int64(tt.body)
			if tt.headers {
				p.Targets[0].Header = []loadgen.Field{{Name: "x-long", Value: strings.Repeat("x", 10<<10)}}
			}
			r := runH3(t, p)
			wantAll(t, r, uint64(tt.requests), "ok", "")
			if wrong.Load() != 0 || s.requests.Load() != tt.requests || r.AllPhases.Sent != uint64(tt.requests) {
				t.Errorf("%d requests arrived, %d of them wrong, %d sent; want %d", s.requests.Load(), wrong.Load(), r.AllPhases.Sent, tt.requests)
			}
			if r.BodyBytesIn != uint64(tt.requests)*uint64(tt.body) { // each comes back
				t.Errorf("%d body bytes, want %d of %d", r.BodyBytesIn, tt.requests, tt.body)
			}
			if most := uint64(tt.requests) * uint64(tt.body); r.BytesIn < most || r.BytesOut < most {
				t.Errorf("%d bytes in, %d out, of bodies alone %d", r.BytesIn, r.BytesOut, most)
			}
			if opened := uint64(p.Connections); r.Connections.Opened != opened || r.Connections.ReusedRequests != uint64(tt.requests)-opened || r.Latency.QUIC.Count != opened {
				t.Errorf("%+v, %d handshakes, want %d connections", r.Connections, r.Latency.QUIC.Count, opened)
			}
			if r.Protocol != "h3" || r.TLS == nil || r.TLS.ALPN != "h3" || r.TLS.Version != "TLS 1.3" || r.QUIC.Connections != uint64(p.Connections) {
				t.Errorf("protocol %s, %+v, %+v", r.Protocol, r.TLS, r.QUIC)
			}
		})
	}
}

// hasField looks among names and values in turn.
func hasField(fields []string, name, value string) bool {
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == name && fields[i+1] == value {
			return true
		}
	}
	return false
}

// Bodies of all sizes are counted to the byte, whether their length is expected
// (then a large one is read as it comes from the start) or met.
func TestH3BodySizes(t *testing.T) {
	for _, tt := range []struct{ size, requests int }{
		{0, 40}, {1, 40}, {900, 40}, {901, 40}, {1200, 40}, {64 << 10, 20}, {1 << 20, 6}, {10 << 20, 2},
	} {
		for _, expected := range []bool{true, false} {
			t.Run(strconv.Itoa(tt.size)+", expected "+strconv.FormatBool(expected), func(t *testing.T) {
				body := patterned(tt.size)
				s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) { answer(r, body) })
				p := s.plan(int64(tt.requests), 2)
				if expected {
					p.Targets[0].ExpectBytes = int64(tt.size)
				}
				r := runH3(t, p)
				wantAll(t, r, uint64(tt.requests), "ok", "")
				if r.BodyBytesIn != uint64(tt.requests*tt.size) || r.AllPhases.Sent != uint64(s.requests.Load()) {
					t.Errorf("%d body bytes in %d requests, want %d of %d bytes", r.BodyBytesIn, r.AllPhases.Sent, tt.requests, tt.size)
				}
			})
		}
	}
}

// Sizes that change from one response to the next, and a length that is not the
// expected one.
func TestH3BodiesThatDiffer(t *testing.T) {
	sizes := []int{0, 5000, 3, 200_000, 900, 901}
	want := 0
	for n := range 60 {
		want += sizes[(n+1)%len(sizes)] // requests count from 1
	}
	s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		answer(r, make([]byte, sizes[n%int64(len(sizes))]))
	})
	r := runH3(t, s.plan(60, 3))
	wantAll(t, r, 60, "ok", "")
	if r.BodyBytesIn != uint64(want) {
		t.Errorf("%d body bytes, want %d", r.BodyBytesIn, want)
	}

	p := s.plan(60, 3)
	p.Targets[0].ExpectBytes = 3
	r = runH3(t, p)
	if r.Ledger.OK != 10 || r.Ledger.Errors["bad_body"].Sent != 50 || !strings.HasPrefix(r.FirstErrors["bad_body"], "body of ") {
		t.Errorf("%+v %v, want 10 ok", r.Ledger, r.FirstErrors) // every sixth is of 3 bytes
	}
}

// As many streams are out as were asked for, and no more than the server allows,
// which is told.
func TestH3Streams(t *testing.T) {
	const allowed = 100
	for _, streams := range []int{1, 10, 100, 200} {
		t.Run(strconv.Itoa(streams), func(t *testing.T) {
			var mu sync.Mutex
			var held []*quictest.Request
			var released bool
			most := 0
			s := serveH3(t, quictest.Options{Streams: allowed}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
				mu.Lock()
				defer mu.Unlock()
				held = append(held, r)
				most = max(most, len(held))
				// The first are held until all that may be out are out.
				if released = released || len(held) == min(streams, allowed); released {
					for _, one := range held {
						answer(one, []byte("ok"))
					}
					held = held[:0]
				}
			})
			p := s.plan(400, streams)
			p.Connections = 1
			r := runH3(t, p)
			wantAll(t, r, 400, "ok", "")
			mu.Lock()
			defer mu.Unlock()
			if most != min(streams, allowed) {
				t.Errorf("%d requests at a time, want %d", most, min(streams, allowed))
			}
			if got := hasWarning(r, loadgen.StreamsLimited); got != (streams > allowed) {
				t.Errorf("told that the server allows fewer: %v: %v", got, r.Warnings)
			}
			if streams > allowed && r.Latency.SendDelay.MaxUS <= r.Latency.Lateness.MaxUS { // half of them wait, through no fault of ours
				t.Errorf("send delay %v us, lateness %v us: waiting for a stream counts as late", r.Latency.SendDelay.MaxUS, r.Latency.Lateness.MaxUS)
			}
		})
	}
}

// After so many requests a connection is left for a new one, without an error.
func TestH3RequestsPerConnection(t *testing.T) {
	for _, tt := range []struct{ perConn, streams int }{{1, 1}, {3, 1}, {3, 2}} {
		s := serveH3(t, quictest.Options{}, answersOK)
		p := s.plan(60, tt.streams)
		p.RequestsPerConn = tt.perConn
		r := runH3(t, p)
		wantAll(t, r, 60, "ok", "")
		// The two connections share the requests as they come, so each may end
		// on one that is not full; and each may have one open that carries none.
		least := uint64(60 / tt.perConn)
		if opened := r.Connections.Opened; opened < least || opened > least+3 {
			t.Errorf("%d a connection: %d connections, want %d to %d", tt.perConn, opened, least, least+3)
		}
		if first := 60 - r.Connections.ReusedRequests; first > r.Connections.Opened || first < least {
			t.Errorf("%d a connection: %d requests on used connections of %d", tt.perConn, r.Connections.ReusedRequests, r.Connections.Opened)
		}
		if s.requests.Load() != 60 || r.AllPhases.Sent != 60 || r.Connections.RestartedRequests != 0 {
			t.Errorf("%d a connection: %d sent, %d arrived, %d restarted", tt.perConn, r.AllPhases.Sent, s.requests.Load(), r.Connections.RestartedRequests)
		}
	}
}

// What two workers did is added up.
func TestH3TwoWorkers(t *testing.T) {
	cpus, err := cpuset.Of(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if allowed, err := cpuset.Allowed(); err != nil || allowed.Intersect(cpus) != cpus {
		t.Skip("each of two workers needs a CPU, 0 and 1")
	}
	s := serveH3(t, quictest.Options{}, answersOK)
	p := s.plan(301, 3)
	p.CPUs, p.Connections = cpus, 5
	r := runH3(t, p)
	wantAll(t, r, 301, "ok", "")
	if len(r.Workers) != 2 || r.Workers[0].OK != 151 || r.Workers[1].OK != 150 || r.Workers[0].Connections != 3 { // the first has the odd one
		t.Errorf("workers %+v", r.Workers)
	}
	if s.requests.Load() != 301 || r.AllPhases.Sent != 301 || r.Connections.Opened != 5 || r.Latency.Service.Count != 301 || r.QUIC.Connections != 5 {
		t.Errorf("%d arrived, %d sent, %d connections, %+v", s.requests.Load(), r.AllPhases.Sent, r.Connections.Opened, r.QUIC)
	}
}

// A plan by the clock: what the server counts is what was sent in all phases.
func TestH3Timed(t *testing.T) {
	s := serveH3(t, quictest.Options{}, answersOK)
	p := s.plan(0, 2)
	p.WarmUp, p.Measure, p.Drain = 50*time.Millisecond, 150*time.Millisecond, time.Second
	r := runH3(t, p)
	if r.Ledger.NotOK() != 0 || r.MeasuredS != 0.15 || r.Ledger.OK == 0 {
		t.Errorf("%+v in %v s: %v", r.Ledger, r.MeasuredS, r.FirstErrors)
	}
	if sent := int64(r.AllPhases.Sent); sent != s.requests.Load() || sent <= int64(r.Ledger.OK) {
		t.Errorf("%d sent, %d arrived, %d in the window", sent, s.requests.Load(), r.Ledger.OK)
	}
}

// A run of a number of requests is over when the last is answered.
func TestH3EndsWithTheLastAnswer(t *testing.T) {
	var last atomic.Int64 // Unix ns
	s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
		answer(r, []byte("ok"))
		last.Store(time.Now().UnixNano())
	})
	p := s.plan(20, 2)
	p.Drain, p.Timeout, p.ConnectTimeout = 5*time.Second, 10*time.Second, 10*time.Second // none is waited for
	wantAll(t, runH3(t, p), 20, "ok", "")
	if took := time.Since(time.Unix(0, last.Load())); took > 200*time.Millisecond {
		t.Errorf("ended %v after the last answer", took)
	}
}

// A server that wants to see an address first gets its token, and is counted.
func TestH3Retry(t *testing.T) {
	s := serveH3(t, quictest.Options{Retry: true}, answersOK)
	p := s.plan(20, 1)
	p.QUICStats, p.RequestsPerConn = true, 5
	r := runH3(t, p)
	wantAll(t, r, 20, "ok", "")
	if r.QUIC.Retries == nil || *r.QUIC.Retries < 4 || r.QUIC.ProbeTimeouts == nil { // 20 requests over connections of 5
		t.Errorf("%+v, want a Retry for each of at least 4 connections", r.QUIC)
	}
	p.QUICStats = false
	if r := runH3(t, p); r.QUIC.Retries != nil || r.QUIC.ProbeTimeouts != nil {
		t.Errorf("counted although nobody asked: %+v", r.QUIC)
	}
}

// http3Server is quic-go's own, for what a scripted one has not: 0-RTT, IPv6, the
// client's address, and a socket that the test may close.
type http3Server struct {
	address  netip.AddrPort
	ca       []byte
	socket   *net.UDPConn
	requests atomic.Int64
}

// serveHTTP3 serves until the test ends. change may be nil.
func serveHTTP3(t *testing.T, address string, change func(*tls.Config, *quic.Config), handler http.HandlerFunc) *http3Server {
	t.Helper()
	t.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true") // it is about the host
	set, err := certs.Make(certs.Request{Names: []string{"127.0.0.1", "::1"}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(set.Cert, set.Key)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(address)))
	if err != nil && strings.HasPrefix(address, "[") {
		t.Skipf("no IPv6 loopback on this host: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	tlsConfig, quicConfig := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h3"}}, &quic.Config{}
	if change != nil {
		change(tlsConfig, quicConfig)
	}
	transport := &quic.Transport{Conn: socket}
	listener, err := transport.ListenEarly(tlsConfig, quicConfig)
	if err != nil {
		t.Fatal(err)
	}
	s := &http3Server{address: socket.LocalAddr().(*net.UDPAddr).AddrPort(), ca: set.CA, socket: socket}
	server := &http3.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.ServeListener(listener)
	}()
	t.Cleanup(func() {
		server.Close()
		listener.Close()
		transport.Close()
		socket.Close()
		<-served
	})
	return s
}

func (s *http3Server) plan(requests int64, streams int) loadgen.Plan {
	return h3plan(s.address, s.ca, requests, streams)
}

// Connections take turns over the source addresses, each with a socket of its own.
func TestH3SourceAddresses(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	s := serveHTTP3(t, "127.0.0.1:0", nil, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.RemoteAddr]++
		w.Write([]byte("ok"))
	})
	p := s.plan(60, 1)
	p.Connections = 4
	p.SourceIPs = []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")}
	wantAll(t, runH3(t, p), 60, "ok", "")
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 2 {
		t.Errorf("seen %v, want two sockets", seen)
	}
	for from := range seen {
		if a := netip.MustParseAddrPort(from).Addr(); a != p.SourceIPs[0] && a != p.SourceIPs[1] {
			t.Errorf("a request from %s", from)
		}
	}
}

func TestH3OverIPv6(t *testing.T) {
	s := serveHTTP3(t, "[::1]:0", nil, small)
	p := s.plan(60, 4)
	p.Targets[0].Method, p.Targets[0].Body = "POST", make([]byte, 50_000) // trains
	r := runH3(t, p)
	wantAll(t, r, 60, "ok", "")
	if s.requests.Load() != 60 || r.AllPhases.Sent != 60 || r.BodyBytesIn != 120 { // 60 bodies of 2 bytes
		t.Errorf("%d arrived, %d sent, %d body bytes", s.requests.Load(), r.AllPhases.Sent, r.BodyBytesIn)
	}
}

// racesOfZeroRTT are what the race detector finds.
const racesOfZeroRTT = "quic-go's own race: a stream that is opened early reads the transport parameters of the peer (newFlowController) " +
	"which the run loop replaces (handleTransportParameters)"

// underRace reports whether the race detector is on.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Requests that leave with the handshake are answered, or started again when the
// server refuses them: by its configuration of the moment, or because it cannot
// open its own tickets any more. Either is counted.
func TestH3ZeroRTT(t *testing.T) {
	const n = 40
	allows := func(_ *tls.Config, q *quic.Config) { q.Allow0RTT = true }
	for _, tt := range []struct {
		name             string
		change           func(*tls.Config, *quic.Config)
		conns            int
		perConn, streams int
		accepts, refuses bool // on some connection
		resumes          bool
	}{
		{"accepted", allows, 1, 1, 1, true, false, true},
		{"accepted, with 3 streams", allows, 1, 3, 3, true, false, true},
		{"accepted on 2 connections", allows, 2, 1, 1, true, false, true},
		{"never offered", func(*tls.Config, *quic.Config) {}, 1, 1, 1, false, false, true},
		{"not allowed any more", allowHalf, 1, 2, 1, false, true, true},
		{"ticket keys change", changingKeys, 2, 2, 1, false, true, false},
		{"ticket keys change, 1 a connection", changingKeys, 2, 1, 1, false, true, false},
		{"ticket keys change, with 3 streams", changingKeys, 2, 3, 3, false, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if (tt.accepts || tt.refuses) && underRace() { // refused ones are opened early, too
				t.Skip(racesOfZeroRTT)
			}
			s := serveHTTP3(t, "127.0.0.1:0", tt.change, small)
			p := s.plan(n, tt.streams)
			p.TLS.ZeroRTT, p.RequestsPerConn, p.Connections = true, tt.perConn, tt.conns
			r := runH3(t, p)
			wantAll(t, r, n, "ok", "")
			if s.requests.Load() != n || r.AllPhases.Sent != n {
				t.Errorf("%d arrived, %d sent, want %d", s.requests.Load(), r.AllPhases.Sent, n)
			}
			if (r.QUIC.ZeroRTTAccepted > 0) != tt.accepts || (r.QUIC.ZeroRTTRefused > 0) != tt.refuses {
				t.Errorf("%d accepted, %d refused of %d connections", r.QUIC.ZeroRTTAccepted, r.QUIC.ZeroRTTRefused, r.Connections.Opened)
			}
			if (r.Connections.Resumed > 0) != tt.resumes || (r.Connections.RestartedRequests > 0) != tt.refuses {
				t.Errorf("%+v", r.Connections)
			}
			// The run may end before the handshakes of the last two do.
			if told := r.Latency.QUIC.Count; told > r.Connections.Opened || told+2 < r.Connections.Opened {
				t.Errorf("%d handshakes of %d connections told", told, r.Connections.Opened)
			}
		})
	}
}

// allowHalf has the server allow 0-RTT on every other connection: of connections
// one after the other, the ticket of each that allows it meets one that does not.
func allowHalf(_ *tls.Config, q *quic.Config) {
	var connections atomic.Int64
	q.GetConfigForClient = func(*quic.ClientInfo) (*quic.Config, error) {
		return &quic.Config{Allow0RTT: connections.Add(1)%2 == 0}, nil
	}
}

// changingKeys has each handshake know no ticket but its own.
func changingKeys(c *tls.Config, q *quic.Config) {
	q.Allow0RTT = true
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		fresh := c.Clone()
		fresh.GetConfigForClient = nil
		var key [32]byte
		rand.Read(key[:]) // never fails
		fresh.SetSessionTicketKeys([][32]byte{key})
		return fresh, nil
	}
}

// 0-RTT is refused for what must not be replayed, before anything is sent.
func TestH3ZeroRTTOfAPost(t *testing.T) {
	s := serveH3(t, quictest.Options{}, answersOK)
	p := s.plan(1, 1)
	p.TLS.ZeroRTT, p.Targets[0].Method = true, "POST"
	_, err := runBounded(t, p, loadgen.Observer{})
	if !errors.Is(err, loadgen.ErrPlan) || !strings.Contains(err.Error(), "0-RTT") || s.connections.Load() != 0 {
		t.Errorf("got %v, %d connections", err, s.connections.Load())
	}
}

// A run that is cancelled ends soon, with what there is.
func TestH3Interrupt(t *testing.T) {
	for name, handle := range map[string]func(context.Context, *quictest.Conn, *quictest.Request, int64){
		"in the flow": answersOK,
		"with requests out": func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
			if n <= 4 {
				answer(r, []byte("ok"))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveH3(t, quictest.Options{}, handle)
			p := s.plan(0, 2)
			p.Measure, p.Window, p.Timeout = time.Minute, 20*time.Millisecond, 20*time.Second
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var at time.Time
			stop := time.AfterFunc(h3limit, cancel)
			defer stop.Stop()
			rows := 0
			r, err := loadgen.Run(ctx, p, loadgen.Observer{Row: func(loadgen.Window) {
				if rows++; rows == 3 {
					at = time.Now()
					cancel()
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			check(t, r)
			// The window ends within 150 ms, and the drain takes half a second.
			if took := time.Since(at); !r.Interrupted || took > 3*time.Second || r.MeasuredS > 10 {
				t.Errorf("interrupted %v, ended after %v, %v s measured", r.Interrupted, took, r.MeasuredS)
			}
			if r.Ledger.ErrorsTotal() != 0 || r.Ledger.OK == 0 {
				t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
			}
		})
	}
}
