package loadgen_test

import (
	"context"
	"errors"
	"math"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// delayed answers every request after a while.
func delayed(d time.Duration) func(*scripted, *peer) {
	return func(_ *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			time.Sleep(d)
			p.say(ok2)
		}
	}
}

// timed is a plan by the clock.
func timed(url string, warmUp, measure, drain time.Duration) loadgen.Plan {
	p := plan(url, 0)
	p.WarmUp, p.Measure, p.Drain = warmUp, measure, drain
	return p
}

func TestWarmUpIsNotCounted(t *testing.T) {
	s := serve(t, delayed(2*time.Millisecond))
	p := timed(s.url, 200*time.Millisecond, 200*time.Millisecond, time.Second)
	p.Window = 50 * time.Millisecond
	r := run(t, p)
	if r.Ledger.NotOK() != 0 || r.MeasuredS != 0.2 {
		t.Errorf("%+v in %v s", r.Ledger, r.MeasuredS)
	}
	// 2 connections x at most 400 ms / 2 ms = 400 requests, of which at most the
	// 200 of the window and the 2 that were out at its beginning are counted.
	if sent := r.AllPhases.Sent; int64(sent) != s.requests.Load() || r.Ledger.Scheduled > 202 || sent <= r.Ledger.Scheduled {
		t.Errorf("%d sent, %d read by the server, %d in the ledger", sent, s.requests.Load(), r.Ledger.Scheduled)
	}
	if len(r.Windows) < 4 || len(r.Windows) > 5 { // 200 ms / 50 ms, and what ends just at the edge
		t.Errorf("%d rows", len(r.Windows))
	}
}

// What is out when the window ends may finish in the drain: it is in the ledger
// and in the latencies, but not in the rate.
func TestDrain(t *testing.T) {
	s := serve(t, delayed(300*time.Millisecond))
	r := run(t, timed(s.url, 0, 100*time.Millisecond, 2*time.Second))
	if r.Ledger.OK != 2 || r.CompletedInWindow != 0 || r.RPS != 0 || r.Ledger.Scheduled != 2 {
		t.Errorf("%+v, %d completed in the window", r.Ledger, r.CompletedInWindow)
	}
	if p := r.Latency.Service; p == nil || p.MinUS < 300_000 {
		t.Errorf("service time %+v, want at least 300 ms", p)
	}
}

// What the drain does not see the end of is unfinished, at the age it has.
func TestUnfinished(t *testing.T) {
	s := serve(t, func(_ *scripted, p *peer) { p.request(); p.request() })
	r := run(t, timed(s.url, 0, 100*time.Millisecond, 50*time.Millisecond))
	if r.Ledger.Unfinished != 2 || r.Ledger.Scheduled != 2 || r.Validity == loadgen.Valid {
		t.Errorf("%+v, %s", r.Ledger, r.Validity)
	}
	if p := r.Latency.Response; p == nil || p.MinUS < 149_000 { // 100 + 50 ms, less what passed before the first byte
		t.Errorf("response time %+v, want about 150 ms", p)
	}
}

func TestInterruptInTheWindow(t *testing.T) {
	s := serve(t, answers(ok2))
	ctx, cancel := context.WithCancel(context.Background())
	p := timed(s.url, 0, time.Minute, time.Second)
	p.Window = 20 * time.Millisecond
	rows := 0
	r, err := loadgen.Run(ctx, p, loadgen.Observer{Row: func(loadgen.Window) {
		if rows++; rows == 3 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	if !r.Interrupted || r.MeasuredS > 30 || r.MeasuredS < 0.06 || r.Ledger.NotOK() != 0 {
		t.Errorf("interrupted %v after %v s, %+v", r.Interrupted, r.MeasuredS, r.Ledger)
	}
}

func TestInterruptBeforeTheWindow(t *testing.T) {
	s := serve(t, answers(ok2))
	ctx, cancel := context.WithCancel(context.Background())
	_, err := loadgen.Run(ctx, timed(s.url, time.Minute, time.Minute, time.Second), loadgen.Observer{
		Started: func(string, int) { cancel() },
	})
	if !errors.Is(err, loadgen.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	if _, err := loadgen.Run(ctx, plan(s.url, 10), loadgen.Observer{}); !errors.Is(err, loadgen.ErrInterrupted) {
		t.Errorf("cancelled before the start: %v", err)
	}
}

func TestRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	_, err = loadgen.Run(context.Background(), plan("http://"+listener.Addr().String(), 10), loadgen.Observer{})
	if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

func TestNameThatDoesNotResolve(t *testing.T) {
	_, err := loadgen.Run(context.Background(), plan("http://no-such-host.invalid/", 10), loadgen.Observer{})
	if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "no-such-host.invalid") {
		t.Errorf("got %v", err)
	}
}

// A host that does not answer at all is given up after the connect timeout. A
// listener whose queue is full drops the SYN, as such a host would.
func TestConnectTimeout(t *testing.T) {
	address := fullListener(t)
	p := plan("http://"+address, 10)
	p.ConnectTimeout = 100 * time.Millisecond
	began := time.Now()
	_, err := loadgen.Run(context.Background(), p, loadgen.Observer{})
	if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "timed out") {
		t.Errorf("got %v", err)
	}
	if d := time.Since(began); d < 100*time.Millisecond || d > 3*time.Second {
		t.Errorf("given up after %v", d)
	}
}

// fullListener listens and never accepts; its queue of one is full.
func fullListener(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String()
	for { // until a connection is not taken any more
		c, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { c.Close() })
	}
}

// A run of a number of requests whose server goes away for good must end, and
// say how many requests were never begun.
func TestServerGoesAway(t *testing.T) {
	s := serve(t, func(s *scripted, p *peer) {
		for r := p.request(); r != nil && s.requests.Load() < 10; r = p.request() {
			p.say(ok2)
		}
		s.listener.Close()
	})
	p := plan(s.url, 1_000_000)
	p.ConnectTimeout = 50 * time.Millisecond
	r := run(t, p)
	if r.Ledger.Scheduled != 1_000_000 || r.Ledger.OK == 0 || r.Ledger.NeverSent == 0 || r.Ledger.Errors["connect_failed"].Unsent == 0 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	if !hasWarning(r, loadgen.ServerGone) {
		t.Errorf("no warning of it: %v", r.Warnings)
	}
}

// Little's law holds in a closed loop: with N connections that each wait D for
// an answer, and R the mean time from one request to the next, the rate X is
// N / R. The three are measured apart from each other.
//
// A host that takes the CPU away at an edge of the window cuts exchanges out of
// one of the numbers and not of the other, so one clean run of three is asked
// for: a generator that miscounts has none.
func TestLittlesLaw(t *testing.T) {
	s := serve(t, delayed(5*time.Millisecond))
	p := timed(s.url, 50*time.Millisecond, time.Second, time.Second)
	p.Connections = 8
	var seen []float64
	for range 3 {
		r := run(t, p)
		if r.Latency.Service.MinUS < 5000 {
			t.Errorf("shortest service time %v us, the server takes at least 5000", r.Latency.Service.MinUS)
		}
		n := r.RPS * r.Latency.Response.MeanUS / 1e6
		if math.Abs(n-8)/8 <= 0.02 {
			return
		}
		seen = append(seen, n)
	}
	t.Errorf("rate x mean response time is %.3f in three runs, want 8 within 2 %%", seen)
}

func TestSomeConnectionsAreNeverServed(t *testing.T) {
	s := serve(t, func(s *scripted, p *peer) {
		starve := s.accepted.Load()%2 == 0
		for r := p.request(); r != nil; r = p.request() {
			if !starve {
				p.say(ok2)
			}
		}
	})
	r := run(t, timed(s.url, 0, 150*time.Millisecond, 20*time.Millisecond))
	if !hasWarning(r, loadgen.NotAllConnectionsServed) || r.Validity != loadgen.Suspect && !hasWarning(r, loadgen.LateSends) {
		t.Errorf("%s %v", r.Validity, r.Warnings)
	}
}

func hasWarning(r *loadgen.Result, code loadgen.WarningCode) bool {
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// Ten thousand connections work on one worker, in little memory.
func TestTenThousandConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes seconds")
	}
	const n = 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max < n+100 {
		t.Skipf("the hard limit of open files is %d", limit.Max)
	}
	p := plan(startTarget(t).URL+"/respond", 3*n)
	p.Connections = n
	r := run(t, p)
	if r.Ledger.OK != 3*n || r.Connections.Opened != n {
		t.Errorf("%+v over %d connections: %v", r.Ledger, r.Connections.Opened, r.FirstErrors)
	}
}

func TestSourceAddressesTakeTurns(t *testing.T) {
	var mu sync.Mutex
	from := map[string]int{}
	s := serve(t, func(_ *scripted, p *peer) {
		mu.Lock()
		from[p.RemoteAddr().(*net.TCPAddr).IP.String()]++
		mu.Unlock()
		answers(ok2)(nil, p)
	})
	p := plan(s.url, 30)
	p.RequestsPerConn = 1
	var err error
	if p.SourceIPs, err = loadgen.ParseSources("127.0.0.11-127.0.0.13"); err != nil {
		t.Fatal(err)
	}
	if r := run(t, p); r.Ledger.OK != 30 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	mu.Lock()
	defer mu.Unlock()
	// 30 requests, and up to 2 connections that carry none, over 3 addresses in turn.
	for _, ip := range []string{"127.0.0.11", "127.0.0.12", "127.0.0.13"} {
		if n := from[ip]; n < 10 || n > 11 {
			t.Errorf("%d connections from %s of %v", n, ip, from)
		}
	}
	p.SourceIPs, _ = loadgen.ParseSources("192.0.2.1")
	if _, err := loadgen.Run(context.Background(), p, loadgen.Observer{}); !errors.Is(err, loadgen.ErrPlan) {
		t.Errorf("from an address that is not ours: %v", err)
	}
}

// What the server used is told when its process can be found by its socket, or
// was named; the numbers are those of that process.
func TestServerUsage(t *testing.T) {
	server := startTarget(t)
	for name, pid := range map[string]int{"by its socket": loadgen.ServerAuto, "by its number": server.PID()} {
		p := timed(server.URL+"/respond", 0, 300*time.Millisecond, time.Second)
		p.ServerPID = pid
		r := run(t, p)
		s := r.Server
		if s == nil || s.PID != server.PID() || len(s.PIDs) != 1 || s.CPUPerRequestUS == nil {
			t.Fatalf("%s: %+v, %v", name, s, r.Warnings)
		}
		// Cores x time is CPU time, and so is CPU per request x requests.
		if a, b := s.CoresUsed*r.MeasuredS*1e6, *s.CPUPerRequestUS*float64(r.CompletedInWindow); math.Abs(a-b) > 0.01*a || a <= 0 {
			t.Errorf("%s: %v us of CPU by cores, %v by requests", name, a, b)
		}
		if s.PeakRSSBytes < 1<<20 || s.CoresUsed > float64(s.CoresAllowed)*1.05 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	p := timed(server.URL+"/respond", 0, 50*time.Millisecond, time.Second)
	p.ServerPID = loadgen.ServerNone
	if r := run(t, p); r.Server != nil {
		t.Errorf("nobody was asked for: %+v", r.Server)
	}
	p.ServerPID = 1 << 30
	if _, err := loadgen.Run(context.Background(), p, loadgen.Observer{}); !errors.Is(err, loadgen.ErrPlan) {
		t.Errorf("a process that there is not: %v", err)
	}
}

// A server in the generator's own process cannot be told apart from it.
func TestServerInOwnProcess(t *testing.T) {
	s := serve(t, answers(ok2))
	p := plan(s.url, 10)
	p.ServerPID = loadgen.ServerAuto
	if r := run(t, p); r.Server != nil || !hasWarning(r, loadgen.ServerUnknown) {
		t.Errorf("%+v, %v", r.Server, r.Warnings)
	}
}
