package loadgen_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// Every way in which a server can fail has its own line in the ledger.
func TestOutcomes(t *testing.T) {
	const n = 20
	for _, tt := range []struct {
		name   string
		handle func(*scripted, *peer)
		change func(*loadgen.Plan)
		want   string // the outcome of all n requests
		text   string // of the first error
	}{
		{name: "ok", handle: answers(ok2), want: "ok"},
		{name: "chunked", handle: answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"), want: "ok"},
		{name: "no content", handle: answers("HTTP/1.1 204 No Content\r\n\r\n"), want: "ok"},
		{name: "interim answers first", handle: answers("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok2), want: "ok"},
		{
			name: "head", handle: answers("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), want: "ok",
			change: func(p *loadgen.Plan) { p.Targets[0].Method = "HEAD" },
		},
		{
			name: "until the connection ends", want: "ok",
			handle: func(_ *scripted, p *peer) { p.request(); p.say("HTTP/1.0 200 OK\r\n\r\nas long as it takes") },
		},
		{name: "not found", handle: answers("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), want: "bad_status", text: "status 404, not 2xx"},
		{
			name: "expected status", handle: answers("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n"), want: "ok",
			change: func(p *loadgen.Plan) { p.Targets[0].ExpectStatus = 301 },
		},
		{
			name: "wrong length", handle: answers(ok2), want: "bad_body", text: "body of 2 bytes, not 3",
			change: func(p *loadgen.Plan) { p.Targets[0].ExpectBytes = 3 },
		},
		{name: "garbage", handle: answers("SSH-2.0-x\r\n"), want: "protocol_error", text: "HTTP"},
		{name: "more than the response", handle: answers(ok2 + "!"), want: "protocol_error", text: "more bytes than the response"},
		{name: "two lengths", handle: answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"), want: "protocol_error", text: "two different content-lengths"},
		{name: "closes without an answer", handle: func(_ *scripted, p *peer) { p.request() }, want: "reset", text: "closed"},
		{
			name: "resets without an answer", want: "reset", text: "reset",
			handle: func(_ *scripted, p *peer) { p.request(); p.SetLinger(0) },
		},
		{
			name: "breaks off in the head", want: "read_failed",
			handle: func(_ *scripted, p *peer) { p.request(); p.say("HTTP/1.1 200 OK\r\nCont") },
		},
		{
			name: "breaks off in the body", want: "read_failed",
			handle: func(_ *scripted, p *peer) { p.request(); p.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok") },
		},
		{
			name: "never answers", want: "timeout", text: "no response",
			handle: func(_ *scripted, p *peer) { p.request(); p.request() },
			change: func(p *loadgen.Plan) { p.Timeout = 20 * time.Millisecond },
		},
		{
			name: "stalls in the body", want: "timeout", text: "incomplete response",
			handle: func(_ *scripted, p *peer) {
				p.request()
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")
				p.request()
			},
			change: func(p *loadgen.Plan) { p.Timeout = 150 * time.Millisecond },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.handle)
			p := plan(s.url, n)
			if tt.change != nil {
				tt.change(&p)
			}
			r := run(t, p)
			got := r.Ledger.Errors[tt.want].Total()
			if tt.want == "ok" {
				got = r.Ledger.OK
			}
			if got != n || r.Ledger.Scheduled != n {
				t.Fatalf("%d of %d are %s: %+v %v", got, r.Ledger.Scheduled, tt.want, r.Ledger, r.FirstErrors)
			}
			if text := r.FirstErrors[tt.want]; !strings.Contains(text, tt.text) {
				t.Errorf("first error %q, want something with %q", text, tt.text)
			}
			if r.AllPhases.Sent != n || s.requests.Load() != n {
				t.Errorf("%d sent, the server has read %d, want %d", r.AllPhases.Sent, s.requests.Load(), n)
			}
			if tt.want != "ok" && r.Validity != loadgen.Suspect && !hasWarning(r, loadgen.LateSends) { // which the host may cause
				t.Errorf("validity %s", r.Validity)
			}
		})
	}
}

func TestKeptConnections(t *testing.T) {
	s := serve(t, answers(ok2))
	r := run(t, plan(s.url, 100))
	if r.Connections.Opened != 2 || s.accepted.Load() != 2 {
		t.Errorf("%d connections opened, %d accepted, want 2", r.Connections.Opened, s.accepted.Load())
	}
	if r.Connections.ReusedRequests != 98 { // 100 less the first of each connection
		t.Errorf("%d requests on used connections, want 98", r.Connections.ReusedRequests)
	}
	if r.BodyBytesIn != 200 { // 100 bodies of 2 bytes
		t.Errorf("%d body bytes, want 200", r.BodyBytesIn)
	}
	if r.Latency.Connect.Count != 2 || r.Latency.DNS != nil {
		t.Errorf("connect %+v, dns %+v", r.Latency.Connect, r.Latency.DNS)
	}
}

// With a number of requests for each connection, the last of them says so, the
// server closes, and a new connection is opened without an error.
func TestRequestsPerConnection(t *testing.T) {
	for _, perConn := range []int{1, 3} {
		s := serve(t, answers(ok2))
		p := plan(s.url, 60)
		p.RequestsPerConn = perConn
		r := run(t, p)
		// The two connections share the requests as they come, so each may end
		// on a connection that is not full; and each may have one open that
		// carries none.
		most := uint64(60/perConn + 3)
		if r.Ledger.OK != 60 || r.Connections.Opened < uint64(60/perConn) || r.Connections.Opened > most {
			t.Errorf("%d a connection: %d ok over %d connections, want 60 over %d to %d: %v", perConn, r.Ledger.OK, r.Connections.Opened, 60/perConn, most, r.FirstErrors)
		}
		// Every request is its connection's first, or on a used one.
		if first := 60 - r.Connections.ReusedRequests; first > r.Connections.Opened || first < r.Connections.Opened-2 {
			t.Errorf("%d a connection: %d requests on used connections, %d opened", perConn, r.Connections.ReusedRequests, r.Connections.Opened)
		}
	}
}

// A server that closes after each answer is not wrong: when it says so, or its
// FIN comes with the answer, the next request takes a new connection.
func TestServerClosesAfterEachAnswer(t *testing.T) {
	for name, answer := range map[string]string{
		"announced": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
		"HTTP/1.0":  "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
	} {
		s := serve(t, func(_ *scripted, p *peer) { p.request(); p.say(answer) })
		if r := run(t, plan(s.url, 40)); r.Ledger.OK != 40 {
			t.Errorf("%s: %+v %v", name, r.Ledger, r.FirstErrors)
		}
	}
	// Unannounced it is a race between the FIN and the next request. Whoever
	// wins, each request is ok or reset, and none is lost.
	s := serve(t, func(_ *scripted, p *peer) { p.request(); p.say(ok2) })
	r := run(t, plan(s.url, 40))
	lost := r.Ledger.Errors["reset"].Total() + r.Ledger.Errors["write_failed"].Total()
	if r.Ledger.OK+lost != 40 || r.Ledger.OK == 0 {
		t.Errorf("unannounced: %+v %v", r.Ledger, r.FirstErrors)
	}
}

// A server may refuse a large body before it has read it.
func TestAnswerBeforeTheBodyIsRead(t *testing.T) {
	s := serve(t, func(s *scripted, p *peer) {
		p.in.ReadString('\n')
		s.requests.Add(1)
		p.say("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		time.Sleep(20 * time.Millisecond) // closing with unread bytes resets: let the answer be read first
	})
	p := plan(s.url, 4)
	p.Targets[0].Method = "POST"
	p.Targets[0].Body = bytes.Repeat([]byte("x"), 16<<20)
	p.Targets[0].ExpectStatus = 413
	if r := run(t, p); r.Ledger.OK != 4 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

func TestLargeBodyArrivesWhole(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	got := make(chan int64, 4)
	s := serve(t, func(s *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			got <- r.ContentLength
			p.say(ok2)
		}
	})
	p := plan(s.url, 4)
	p.Targets[0].Method, p.Targets[0].Body = "POST", body
	r := run(t, p)
	if r.Ledger.OK != 4 || r.BytesOut < 4<<20 {
		t.Errorf("%+v %v, %d bytes out", r.Ledger, r.FirstErrors, r.BytesOut)
	}
	for range 4 {
		if n := <-got; n != 1<<20 {
			t.Errorf("the server got a body of %d bytes", n)
		}
	}
}

// A large answer is dropped inside the kernel and counted all the same.
func TestLargeAnswerIsCounted(t *testing.T) {
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 3145728\r\n\r\n" + strings.Repeat("y", 3<<20)
	s := serve(t, answers(answer))
	p := plan(s.url, 10)
	p.Targets[0].ExpectBytes = 3 << 20
	r := run(t, p)
	if r.Ledger.OK != 10 || r.BodyBytesIn != 30<<20 || r.BytesIn < 30<<20 {
		t.Errorf("%+v %v, %d body bytes, %d bytes", r.Ledger, r.FirstErrors, r.BodyBytesIn, r.BytesIn)
	}
}

// A server that speaks before it is asked. Whether its answer is there before
// the request leaves is a race: whoever wins, each request is in the ledger, and
// none has a time that it did not take.
func TestServerSpeaksFirst(t *testing.T) {
	s := serve(t, func(_ *scripted, p *peer) { p.say(ok2); p.CloseWrite(); p.request() })
	p := plan(s.url, 200)
	p.Connections = 8
	r, err := loadgen.Run(context.Background(), p, loadgen.Observer{})
	if err != nil { // all eight had spoken before the clock started
		if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "before anything was asked") && !strings.Contains(err.Error(), "no request asked for") {
			t.Error(err)
		}
		return
	}
	check(t, r)
	var lost uint64
	for _, outcome := range []string{"protocol_error", "reset", "write_failed", "connect_failed"} {
		lost += r.Ledger.Errors[outcome].Total()
	}
	if r.Ledger.OK+lost != 200 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	if d := r.Latency.Service; d != nil && d.MaxUS > 60e6 {
		t.Errorf("a service time of %v us", d.MaxUS)
	}
}

// A server that sends faster than it can be read takes nobody's time: the other
// sockets, the timeouts and the end of the run come when they are due.
func TestEndlessTinyChunks(t *testing.T) {
	chunks := []byte(strings.Repeat("1\r\na\r\n", 1<<16))
	s := serve(t, func(_ *scripted, p *peer) {
		p.request()
		p.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for {
			if _, err := p.Write(chunks); err != nil {
				return
			}
		}
	})
	p := timed(s.url, 0, 300*time.Millisecond, 100*time.Millisecond)
	p.Timeout = 100 * time.Millisecond
	began := time.Now()
	r := run(t, p)
	if d := time.Since(began); d > 5*time.Second { // 0.4 s, on a host that may be busy
		t.Errorf("ended after %v", d)
	}
	if r.Ledger.OK != 0 || r.Ledger.Errors["timeout"].Sent == 0 {
		t.Errorf("%+v", r.Ledger)
	}
}
