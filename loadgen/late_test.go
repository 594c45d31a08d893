package loadgen

import (
	"net"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// A timeout counts from sending: the timer is set before, and is put off by what
// passed until then.
func TestTimeoutCountsFromSending(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the kernel connects; nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	w := startedWorker(t, DefaultPlan("http://"+listener.Addr().String()+"/"))
	defer w.loop.Shutdown()
	if _, err := w.turn(w.clock.Now()); err != nil {
		t.Fatal(err)
	}
	c, x := &w.conns[0], &w.slots[0]
	if c.out != 1 || c.sent == 0 {
		t.Fatalf("nothing is out: %+v", x)
	}
	c.sent = x.Ready.Add(300 * time.Millisecond)
	timeouts := func() uint64 { return w.recorder.ledger.outcomes[exchange.Timeout].Sent }
	const timeout = 30 * time.Second  // of the default plan
	w.expire(0, x.Ready.Add(timeout)) // 29.7 s after sending
	if timeouts() != 0 || c.out != 1 || w.timers.due[0] != x.Sent.Add(timeout) {
		t.Fatalf("%d timeouts, due %v after sending, want none and 30 s", timeouts(), w.timers.due[0].Sub(x.Sent))
	}
	w.expire(0, x.Sent.Add(timeout))
	if timeouts() != 1 {
		t.Errorf("%d timeouts 30 s after sending, want 1", timeouts())
	}
}

// The longest time without work counts as late, wherever it lay.
func TestLate(t *testing.T) {
	const ms = mono.Time(time.Millisecond)
	on := func(from, longestTurn mono.Time) *worker {
		return &worker{timeline: Timeline{From: 1000 * ms}, longestTurn: longestTurn, edges: edges{from: threadUse{at: from}}}
	}
	for name, tt := range map[string]struct {
		w        *worker
		lateness mono.Time
		want     time.Duration
	}{
		"in time":               {on(1000*ms, 9*ms), 30 * ms, 0}, // a turn may sleep for 10 ms; 30 ms is a burst
		"at the beginning":      {on(1070*ms, 9*ms), 0, 70 * time.Millisecond},
		"between two turns":     {on(1000*ms, 260*ms), 0, 250 * time.Millisecond}, // 260 less the 10 it may sleep
		"before sending at all": {on(1000*ms, 0), 200 * ms, 200 * time.Millisecond},
	} {
		r := newRecorder(nil)
		r.lateness.Record(int64(tt.lateness))
		if got := (finished{workers: []*worker{tt.w}}).late(r); got != tt.want {
			t.Errorf("%s: late by %v, want %v", name, got, tt.want)
		}
	}
}
