package loadgen

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/target"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
)

// A worker allocates nothing for an exchange, with kept connections and with a
// new one for each request, in each protocol. Handshakes of TLS do allocate.
func TestExchangeDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates on its own")
	}
	clear := otherProcess(t, nil)
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	secure := otherProcess(t, set)
	for name, tt := range map[string]struct {
		url    string
		change func(*Plan)
	}{
		"kept":              {clear, func(*Plan) {}},
		"churn":             {clear, func(p *Plan) { p.RequestsPerConn = 1 }},
		"TLS":               {secure, func(*Plan) {}},
		"HTTP/2":            {secure, func(p *Plan) { p.Protocol = HTTP2 }},
		"HTTP/2, 8 streams": {secure, func(p *Plan) { p.Protocol, p.Streams = HTTP2, 8 }},
	} {
		t.Run(name, func(t *testing.T) {
			p := DefaultPlan(tt.url + "/respond")
			p.TLS.CAs = set.CA
			tt.change(&p)
			w := startedWorker(t, p)
			defer w.loop.Shutdown()
			exchange := func(n uint64) {
				for until := w.recorder.completedInWindow + n; w.recorder.completedInWindow < until; {
					if now, err := w.turn(w.nextEdge()); err != nil || w.pass(now) {
						t.Fatal("the run ended", err)
					}
				}
			}
			exchange(1000) // warm: what is made once is made
			// Once a second the server's Date moves on, and its new field is kept.
			least := testing.AllocsPerRun(10, func() { exchange(1000) })
			for range 4 {
				least = min(least, testing.AllocsPerRun(10, func() { exchange(1000) }))
			}
			if least != 0 {
				t.Errorf("%v allocations in 1000 exchanges", least)
			}
			if w.recorder.ledger.scheduled < 11_000 || w.recorder.service.Count() < 11_000 {
				t.Errorf("%d scheduled, %d in the histogram: that was not what was to be measured", w.recorder.ledger.scheduled, w.recorder.service.Count())
			}
		})
	}
}

// otherProcess starts the embedded target in a process of its own, over TLS when
// there are certificates, and returns its URL.
func otherProcess(t *testing.T, set *certs.Set) (url string) {
	t.Helper()
	t.Setenv("LOADGEN_TEST_TARGET", "1")
	t.Setenv("LOADGEN_TEST_CERTS", "")
	if set != nil {
		dir := t.TempDir()
		if err := set.Write(dir); err != nil {
			t.Fatal(err)
		}
		t.Setenv("LOADGEN_TEST_CERTS", dir)
	}
	cpus, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	server, err := target.Start(context.Background(), os.Args[0], nil, cpus, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

// startedWorker is a worker of 8 connections, which are open, and whose window,
// of an hour, has begun; the test makes its turns.
func startedWorker(t *testing.T, p Plan) *worker {
	t.Helper()
	p.Connections = 8
	p.Measure, p.Window = time.Hour, time.Hour // one row: turning them is the collector's business
	p.NoPin, p.ServerPID = true, ServerNone
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	s, err := resolve(context.Background(), p, clock)
	if err != nil {
		t.Fatal(err)
	}
	_, workers, err := makeWorkers(p, placement{cpus: []int{-1}}, s, clock, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := workers[0]
	t.Cleanup(w.close)
	if w.loop, err = netloop.New(clock, netloop.Options{Slots: len(w.conns), Waker: w.waker}); err != nil {
		t.Fatal(err)
	}
	if err := w.openConnections(); err != nil {
		t.Fatal(err)
	}
	w.timeline = newTimeline(p, clock.Now())
	w.recorder.timeline = w.timeline
	w.pass(w.timeline.Start)
	w.beginAll()
	return w
}
