package loadgen

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/target"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
)

// A worker allocates nothing for an exchange, with kept connections and with a
// new one for each request.
func TestExchangeDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates on its own")
	}
	t.Setenv("LOADGEN_TEST_TARGET", "1")
	cpus, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	server, err := target.Start(context.Background(), os.Args[0], nil, cpus, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for name, perConn := range map[string]int{"kept": 0, "churn": 1} {
		t.Run(name, func(t *testing.T) {
			w := startedWorker(t, server.URL+"/respond", perConn)
			defer w.loop.Shutdown()
			exchange := func(n uint64) {
				for until := w.recorder.completedInWindow + n; w.recorder.completedInWindow < until; {
					if now, err := w.turn(w.nextEdge()); err != nil || w.pass(now) {
						t.Fatal("the run ended", err)
					}
				}
			}
			exchange(1000) // warm: what is made once is made
			if n := testing.AllocsPerRun(10, func() { exchange(1000) }); n != 0 {
				t.Errorf("%v allocations in 1000 exchanges", n)
			}
			if w.recorder.ledger.scheduled < 11_000 || w.recorder.service.Count() < 11_000 {
				t.Errorf("%d scheduled, %d in the histogram: that was not what was to be measured", w.recorder.ledger.scheduled, w.recorder.service.Count())
			}
		})
	}
}

// startedWorker is a worker whose connections are open and whose window, of an
// hour, has begun; the test makes its turns.
func startedWorker(t *testing.T, url string, perConn int) *worker {
	t.Helper()
	p := DefaultPlan(url)
	p.Connections, p.RequestsPerConn = 8, perConn
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
	_, workers, err := makeWorkers(p, placement{cpus: []int{-1}}, s, clock)
	if err != nil {
		t.Fatal(err)
	}
	w := workers[0]
	if w.loop, err = netloop.New(clock, netloop.Options{Slots: len(w.conns)}); err != nil {
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
