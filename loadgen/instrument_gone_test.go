package loadgen_test

import (
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// stopAfter runs a plan and stops the target (SIGSTOP) when so many rows of 100 ms
// have passed; it goes on when the run is over. To its clients it is a server that
// does not answer any more: its kernel still takes connections and bytes.
func stopAfter(t *testing.T, s stand, p loadgen.Plan, rows int) *loadgen.Result {
	t.Helper()
	p.Window = 100 * time.Millisecond
	seen := 0
	defer signal(t, s.target.PID(), syscall.SIGCONT)
	return observed(t, p, loadgen.Observer{Row: func(loadgen.Window) {
		if seen++; seen == rows {
			signal(t, s.target.PID(), syscall.SIGSTOP)
		}
	}})
}

func signal(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Error(err)
	}
}

// A server that stops for good in the middle of a window of 0.8 s, under 1000 requests a second over 16 connections, and a drain of 0.2 s.
//
// 800 are scheduled, whatever happens. The answered ones are ok. Of the others one
// is out on each connection, unfinished, and the rest was never sent.
//
// Number k, from 0, is intended at k ms. Among the first `ok` + 1 is one that was
// not answered, so that one of them is intended at `ok` ms or before. When the drain
// ends, at 1000 ms, it is 1000 - ok ms old, or more. As no more than 16 are out
// at a time, none before number ok - 16 is still open: it is at most 16 ms older,
// and the time by which the drain's end is noticed late.
func TestInstrumentServerGoneInOpenLoop(t *testing.T) {
	s := newStand(t)
	p := s.open("/respond", 16, 1000, 800*time.Millisecond)
	p.Drain = 200 * time.Millisecond
	r := stopAfter(t, s, p, 4)
	l := r.Ledger
	if l.Scheduled != 800 || l.Unfinished != 16 || l.NeverSent != 800-16-l.OK || l.ErrorsTotal() != 0 {
		t.Errorf("ledger %+v, want 800 scheduled, of which 16 are unfinished and the others ok or never sent", l)
	}
	if l.OK < 100 || l.OK > 700 { // about 500: the fourth row is told in the fifth
		t.Fatalf("%d ok: the server did not stop within the window", l.OK)
	}
	if n := r.Latency.Response.Count; n != 800 {
		t.Errorf("%d response times of 800 requests", n)
	}
	age := 1000 - float64(l.OK)
	within(t, "response max", ms(r.Latency.Response.MaxUS), age, age+16+50)
	notValid(t, r)
}

// The same in a closed loop: what is out on the 16 connections is unfinished, and
// nothing else is lost. Each of the 16 was intended when the answer before it came, on
// its connection: no later than the last answer of all, which lies in the last row
// that has one, and so does the stop. To the end of the drain, at 1000 ms, the oldest
// has at least the time from the end of that row, and at most that from its beginning,
// an answer, and what the host adds.
func TestInstrumentServerGoneInClosedLoop(t *testing.T) {
	s := newStand(t)
	p := s.closed("/respond", 16, 800*time.Millisecond)
	p.Drain = 200 * time.Millisecond
	r := stopAfter(t, s, p, 4)
	l := r.Ledger
	if l.Unfinished != 16 || l.NeverSent != 0 || l.OK+16 != l.Scheduled {
		t.Errorf("ledger %+v, want all but 16 ok and those unfinished", l)
	}
	last := 0.0 // ms, the end of that row
	for _, w := range r.Windows {
		if w.OK > 0 {
			last = w.StartS*1e3 + 100
		}
	}
	within(t, "response max", ms(r.Latency.Response.MaxUS), 1000-last, 1000-(last-100)+50)
	if !hasWarning(r, loadgen.ErrorsPresent) {
		t.Errorf("no warning of errors: %v", r.Warnings)
	}
	notValid(t, r)
}

// A server that stops while requests are given up after 100 ms: each that was out is
// a timeout and a new connection, again and again, and every one is in the ledger.
// The stop leaves at most 1000 - 400 ms: six times on each of the 16 connections.
func TestInstrumentServerGoneWithTimeouts(t *testing.T) {
	s := newStand(t)
	p := s.open("/respond", 16, 1000, 800*time.Millisecond)
	p.Drain, p.Timeout = 200*time.Millisecond, 100*time.Millisecond
	r := stopAfter(t, s, p, 4)
	l := r.Ledger
	timeouts := l.Errors["timeout"]
	if l.Scheduled != 800 || timeouts.Sent < 16 || timeouts.Sent > 16*6 || timeouts.Unsent != 0 {
		t.Errorf("ledger %+v, want 800 scheduled and 16 to 96 timeouts", l)
	}
	if n := r.Latency.Response.Count; n != 800 {
		t.Errorf("%d response times of 800 requests", n)
	}
	age := 1000 - float64(l.OK) // of what has waited for a connection since the stop
	if l.NeverSent > 0 && ms(r.Latency.Response.MaxUS) < age-16-float64(timeouts.Sent) {
		t.Errorf("response max %v ms, want that of what has waited longest", ms(r.Latency.Response.MaxUS))
	}
	notValid(t, r)
}

// A server that is too slow for the rate: one connection with answers of 10 ms
// carries at most 100 a second, of 1000. The window of 0.5 s and the drain of 0.1 s
// have room for 60. The others were never sent, each has its age, the oldest that
// of number `ok` + 1.
func TestInstrumentNeverSent(t *testing.T) {
	s := newStand(t)
	p := s.open("/delay/10ms", 1, 1000, 500*time.Millisecond)
	p.Drain = 100 * time.Millisecond
	r := run(t, p)
	l := r.Ledger
	if l.Scheduled != 500 || l.OK > 60 || l.Unfinished > 1 || l.NeverSent != 500-l.OK-l.Unfinished {
		t.Errorf("ledger %+v, want 500 scheduled, at most 60 ok, one unfinished, the others never sent", l)
	}
	// They are sent in their order: the first that is not is number ok + unfinished.
	age := 600 - float64(l.OK+l.Unfinished)
	within(t, "response max", ms(r.Latency.Response.MaxUS), age, age+1+50) // one ms more for the one that is out
	notValid(t, r)
}

// A server that has never answered: it has a queue for connections, and nobody
// who takes them out of it.
func silentServer(t *testing.T) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String() + "/"
}

// notValid wants a result that no script takes for a good one.
func notValid(t *testing.T, r *loadgen.Result) {
	t.Helper()
	if r.Validity == loadgen.Valid {
		t.Errorf("the result calls itself valid: %+v, %v", r.Ledger, r.Warnings)
	}
}
