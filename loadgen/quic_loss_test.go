package loadgen_test

import (
	"context"
	"crypto/tls"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/quictest"
	"github.com/scalws/scalbench/loadgen"
)

// lossy runs a plan through a relay that loses and reorders nothing until the
// connections are up.
func lossy(t *testing.T, s *h3server, p loadgen.Plan, drop float64, reorder int) (r *loadgen.Result, dropped int) {
	t.Helper()
	relay := quictest.NewRelay(t, s.Addr(), 0, 1)
	p.Targets[0].URL = "https://" + relay.Addr().String() + "/x"
	r, err := runBounded(t, p, loadgen.Observer{Started: func(string, int) {
		relay.SetDrop(drop)
		relay.Reorder(reorder)
	}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	up, down := relay.Dropped()
	return r, up + down
}

// On a path that loses datagrams, or brings them in another order, all requests
// end ok, and what is lost is told.
func TestH3Loss(t *testing.T) {
	for _, tt := range []struct {
		name     string
		drop     float64
		reorder  int
		request  int // bytes of body
		response int
		requests int64
		streams  int
	}{
		// Each request is a datagram: 1 % of 1000 are 10, 10 % of 200 are 20, and
		// 5 % of 200 are 10.
		{"small, 1 %", 0.01, 0, 0, 2, 1000, 1},
		{"small, 10 %", 0.1, 0, 0, 2, 200, 1},
		{"small, reordered", 0, 3, 0, 2, 400, 4},
		{"responses of 5 KiB, 5 %, reordered", 0.05, 4, 0, 5 << 10, 200, 1},
		// 200 KiB are 160 datagrams or more, each way.
		{"200 KiB both ways, 1 %", 0.01, 0, 200 << 10, 200 << 10, 20, 2},
		{"200 KiB both ways, 10 %", 0.1, 0, 200 << 10, 200 << 10, 10, 2},
		{"200 KiB both ways, reordered", 0, 5, 200 << 10, 200 << 10, 20, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body, response := patterned(tt.request), patterned(tt.response)
			var wrong atomic.Int64
			s := serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, _ int64) {
				if _, got, err := r.Message(); err != nil || string(got) != string(body) {
					wrong.Add(1)
				}
				answer(r, response)
			})
			p := s.plan(tt.requests, tt.streams)
			p.QUICStats, p.Timeout = true, 10*time.Second
			p.Targets[0].Method, p.Targets[0].Body, p.Targets[0].ExpectBytes = http.MethodPost, body, int64(tt.response)
			r, dropped := lossy(t, s, p, tt.drop, tt.reorder)
			wantAll(t, r, uint64(tt.requests), "ok", "")
			if wrong.Load() != 0 || s.requests.Load() != tt.requests || r.AllPhases.Sent != uint64(tt.requests) {
				t.Errorf("%d arrived, %d of them wrong, %d sent, want %d", s.requests.Load(), wrong.Load(), r.AllPhases.Sent, tt.requests)
			}
			if r.BodyBytesIn != uint64(tt.requests)*uint64(tt.response) || r.Connections.Opened != 2 || r.Connections.RestartedRequests != 0 {
				t.Errorf("%d body bytes, %+v", r.BodyBytesIn, r.Connections)
			}
			told := r.QUIC.PacketsLost
			if tt.streams == 1 { // each is alone on its way, and found lost by a probe: quic-go counts that only as such
				told += *r.QUIC.ProbeTimeouts
			}
			if lossy := tt.drop > 0; lossy != (dropped > 0) || lossy && told == 0 {
				t.Errorf("%d datagrams dropped, told are %d of %d: %+v", dropped, told, r.QUIC.PacketsSent, r.QUIC)
			}
			if r.QUIC.PacketsLost > r.QUIC.PacketsSent/2 || r.QUIC.SmoothedRTTMinUS == nil {
				t.Errorf("%+v", r.QUIC)
			}
		})
	}
}

// What is lost for a while costs time, not requests.
func TestH3Outage(t *testing.T) {
	t.Parallel()
	s := serveH3(t, quictest.Options{}, answersOK)
	relay := quictest.NewRelay(t, s.Addr(), 0, 1)
	p := h3plan(relay.Addr(), s.CA(), 0, 2)
	p.Measure, p.Window, p.QUICStats = 800*time.Millisecond, 20*time.Millisecond, true
	rows := 0
	r, err := runBounded(t, p, loadgen.Observer{Row: func(loadgen.Window) {
		switch rows++; rows {
		case 5: // from 100 to 300 ms
			relay.SetDrop(1)
		case 15:
			relay.SetDrop(0)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	if r.Ledger.NotOK() != 0 || r.Connections.Opened != 2 || *r.QUIC.ProbeTimeouts == 0 {
		t.Errorf("%+v %v, %+v, %+v", r.Ledger, r.FirstErrors, r.Connections, r.QUIC)
	}
	if s := r.Latency.Service; s.MaxUS < 100_000 { // of 200 ms, less what the two sides saw late
		t.Errorf("the longest service time is %v us, with 200 ms without a datagram", s.MaxUS)
	}
}

// A path that stays dead is timed out, and does not hold up the end.
func TestH3DeadPath(t *testing.T) {
	t.Parallel()
	s := serveH3(t, quictest.Options{}, answersOK)
	p := s.plan(20, 2)
	p.Timeout, p.ConnectTimeout = 100*time.Millisecond, 300*time.Millisecond
	r, _ := lossy(t, s, p, 1, 0)
	if lost := r.Ledger.Errors["timeout"].Total(); r.Ledger.Scheduled != 20 || lost+r.Ledger.OK+r.Ledger.NeverSent != 20 || lost == 0 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

// A server that forgets its connections, as after a crash, says so when something
// comes on one of them, and the run goes on over new ones.
func TestH3StatelessReset(t *testing.T) {
	t.Parallel()
	var s *h3server
	started := make(chan struct{})
	s = serveH3(t, quictest.Options{StatelessReset: true}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		if n%40 == 0 {
			<-started
			s.Restart(t)
			return
		}
		answer(r, []byte("ok"))
	})
	close(started)
	p := s.plan(100, 2)
	p.Timeout, p.ConnectTimeout = 500*time.Millisecond, 500*time.Millisecond
	r := runH3(t, p)
	reset, others := r.Ledger.Errors["reset"].Total(), r.Ledger.Errors["timeout"].Total()+r.Ledger.Errors["connect_failed"].Total()
	// What was acknowledged before is not asked for again, and times out. So is a
	// handshake that the second of two restarts meets.
	if r.Ledger.OK+reset+others != 100 || r.Ledger.OK < 80 || reset == 0 || !strings.Contains(r.FirstErrors["reset"], "(stateless reset)") {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	if r.Connections.Opened < 3 {
		t.Errorf("%+v", r.Connections)
	}
}

// A server that forgets them and does not say so.
func TestH3Forgotten(t *testing.T) {
	t.Parallel()
	var s *h3server
	started := make(chan struct{})
	s = serveH3(t, quictest.Options{}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		if n == 10 {
			<-started
			s.Restart(t)
			return
		}
		answer(r, []byte("ok"))
	})
	close(started)
	p := s.plan(0, 2)
	p.Measure, p.Drain, p.Timeout = 300*time.Millisecond, 100*time.Millisecond, 50*time.Millisecond
	r := runH3(t, p)
	if lost := r.Ledger.Errors["timeout"].Total(); lost == 0 || r.Ledger.OK+lost+r.Ledger.Unfinished+r.Ledger.NeverSent != r.Ledger.Scheduled || r.Ledger.OK < 6 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

// A connection that is idle for longer than the server allows is told so. (quic-go
// takes less than 5 s for 5 s, and golang.org/x/net/quic announces no limit.)
func TestH3IdleTimeout(t *testing.T) {
	var s *http3Server
	started := make(chan struct{})
	idle := func(_ *tls.Config, q *quic.Config) { q.MaxIdleTimeout = 5 * time.Second }
	s = serveHTTP3(t, "127.0.0.1:0", idle, func(w http.ResponseWriter, r *http.Request) {
		if <-started; s.requests.Load() > 2 {
			<-r.Context().Done()
		}
		w.Write([]byte("ok"))
	})
	close(started)
	p := s.plan(4, 1)
	p.Timeout = 10 * time.Second
	r := runH3(t, p)
	if r.Ledger.OK != 2 || r.Ledger.Errors["reset"].Sent != 2 || !strings.Contains(r.FirstErrors["reset"], "idle for too long") {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	if d := r.Latency.Failed; d == nil || d.MinUS < 5e6 {
		t.Errorf("given up after %+v, want 5 s", d)
	}
}

// A server that ends while it is asked: what is out is lost with what happened,
// and the run does not wait for a server that does not come back.
func TestH3ServerDies(t *testing.T) {
	const text = "nothing listens on the UDP port"
	for _, tt := range []struct {
		name string
		plan func(p *loadgen.Plan)
	}{
		{"a number of requests", func(p *loadgen.Plan) { p.Requests = 100_000 }},
		{"by the clock", func(p *loadgen.Plan) { p.Measure = 400 * time.Millisecond }},
		{"a connection for each", func(p *loadgen.Plan) { p.Requests, p.RequestsPerConn, p.Streams = 100_000, 1, 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s *http3Server
			started := make(chan struct{})
			s = serveHTTP3(t, "127.0.0.1:0", nil, func(w http.ResponseWriter, r *http.Request) {
				if <-started; s.requests.Load() == 50 {
					s.socket.Close() // no goodbye
				}
				w.Write([]byte("ok"))
			})
			close(started)
			p := s.plan(0, 2)
			p.Timeout, p.ConnectTimeout = 300*time.Millisecond, 300*time.Millisecond
			tt.plan(&p)
			r := runH3(t, p)
			l := r.Ledger
			if l.OK == 0 || l.OK > 60 || l.NotOK() == 0 || l.Errors["protocol_error"].Total() != 0 {
				t.Errorf("%+v %v", l, r.FirstErrors)
			}
			if told := r.FirstErrors["reset"] + r.FirstErrors["connect_failed"]; !strings.Contains(told, text) {
				t.Errorf("told is %v, want %q", r.FirstErrors, text)
			}
			if p.Requests > 0 && (l.Scheduled != 100_000 || !hasWarning(r, loadgen.ServerGone)) {
				t.Errorf("%+v %v", l, r.Warnings)
			}
		})
	}
}

// A server that comes back is asked again.
func TestH3ServerComesBack(t *testing.T) {
	t.Parallel()
	var s *h3server
	var restarted atomic.Bool
	started := make(chan struct{})
	s = serveH3(t, quictest.Options{StatelessReset: true}, func(_ context.Context, _ *quictest.Conn, r *quictest.Request, n int64) {
		if <-started; n == 20 && restarted.CompareAndSwap(false, true) {
			s.Restart(t)
		}
		answer(r, []byte("ok"))
	})
	close(started)
	p := s.plan(0, 1)
	p.Measure, p.Timeout = time.Second, 100*time.Millisecond
	r := runH3(t, p)
	if r.Ledger.OK < 100 || r.Ledger.NotOK() == 0 || r.Ledger.NotOK() > 20 || r.Connections.Opened < 3 {
		t.Errorf("%+v %v, %+v", r.Ledger, r.FirstErrors, r.Connections)
	}
}
