package loadgen_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// pairsPlan has two targets take turns, ten milliseconds each.
func pairsPlan(a, b string) loadgen.Plan {
	p := plan(a, 0)
	second := p.Targets[0]
	second.URL = b
	p.Targets = append(p.Targets, second)
	p.Slices = loadgen.SlicesOf(10 * time.Millisecond)
	p.Measure = time.Minute
	return p
}

// runPairs measures until there are so many pairs, and checks what must hold always.
func runPairs(t *testing.T, p loadgen.Plan, pairs int) *loadgen.Pairs {
	t.Helper()
	seen := 0
	r, err := loadgen.RunPairs(t.Context(), p, loadgen.PairObserver{Pair: func(loadgen.Pair) bool { seen++; return seen == pairs }})
	if err != nil {
		t.Fatal(err)
	}
	checkPairs(t, r)
	if len(r.Pairs) != pairs || seen != pairs || r.Lost != nil {
		t.Fatalf("%d pairs, %d told, want %d; lost: %v", len(r.Pairs), seen, pairs, r.Lost)
	}
	return r
}

// checkPairs checks that both results hold what the pairs do, and are what results are.
func checkPairs(t *testing.T, r *loadgen.Pairs) {
	t.Helper()
	for i, result := range []*loadgen.Result{r.A, r.B} {
		if err := result.Ledger.Check(); err != nil {
			t.Errorf("target %d: %v", i, err)
		}
		var rows, pairs uint64
		for _, w := range result.Windows {
			rows += w.OK
		}
		for _, p := range r.Pairs {
			pairs += [2]loadgen.Slice{p.A, p.B}[i].OK
		}
		if rows != result.CompletedInWindow || rows < pairs {
			t.Errorf("target %d: %d in the window, %d in its rows, %d in pairs", i, result.CompletedInWindow, rows, pairs)
		}
		if slices := float64(len(result.Windows)) * (r.Slices.Length - r.Slices.Settle).Seconds(); result.MeasuredS > slices+1e-9 {
			t.Errorf("target %d: %v s measured in slices of %v s", i, result.MeasuredS, slices)
		}
	}
	for n := 1; n < len(r.Pairs); n += 2 {
		if r.Pairs[n].BFirst == r.Pairs[n-1].BFirst {
			t.Errorf("pairs %d and %d are in the same order", n-1, n)
		}
	}
}

// alone fails the test when a request arrives while the other target has one.
type alone struct{ out [2]atomic.Int64 }

func (a *alone) handler(t *testing.T, i int, takes time.Duration) func(*scripted, *peer) {
	return func(_ *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			a.out[i].Add(1)
			if n := a.out[1-i].Load(); n > 0 {
				t.Errorf("target %d is asked while the other has %d requests out", i, n)
			}
			time.Sleep(takes)
			a.out[i].Add(-1)
			p.say(ok2)
		}
	}
}

// Two targets take turns: none is asked while the other has a request, the connections
// stay if they are to, orders change, and who answers later answers fewer.
func TestPairs(t *testing.T) {
	var both alone
	a := serve(t, both.handler(t, 0, 200*time.Microsecond))
	b := serve(t, both.handler(t, 1, 2*time.Millisecond))
	p := pairsPlan(a.url, b.url)
	p.Slices.Keep = true
	r := runPairs(t, p, 9)
	if a.accepted.Load() != 2 || b.accepted.Load() != 2 {
		t.Errorf("%d and %d connections, want 2 each", a.accepted.Load(), b.accepted.Load())
	}
	if r.A.AllPhases.Sent != uint64(a.requests.Load()) || r.B.AllPhases.Sent != uint64(b.requests.Load()) {
		t.Errorf("sent %d and %d, arrived %d and %d", r.A.AllPhases.Sent, r.B.AllPhases.Sent, a.requests.Load(), b.requests.Load())
	}
	// 2 ms against some 300 us, whatever the host does to both: a slice of either may be
	// lost to it, and not most.
	slower := 0
	for _, p := range r.Pairs {
		if p.A.RPS > p.B.RPS {
			slower++
		}
	}
	if l := r.B.Latency.Response; slower < 5 || l == nil || l.MinUS < 2000 {
		t.Errorf("in %d of 9 pairs B is slower, which takes 2 ms and more: %+v", slower, l)
	}
	for i, result := range []*loadgen.Result{r.A, r.B} {
		if since := time.Since(result.StartedAt); since < r.Elapsed || result.StartupMS > 1e3*since.Seconds() {
			t.Errorf("target %d: started %v ago, first request after %v ms, pairs for %v", i, since, result.StartupMS, r.Elapsed)
		}
	}
	if a, b := r.A.Address, r.B.Address; a == b || a == "" {
		t.Errorf("addresses %s and %s", a, b)
	}
	// Half of the coins of any ten seeds fall the other way, but for one seed of a thousand.
	firsts := map[bool]bool{}
	for seed := range uint64(10) {
		p := pairsPlan(a.url, b.url)
		p.Seed, p.Slices = seed, loadgen.SlicesOf(2*time.Millisecond)
		firsts[runPairs(t, p, 1).Pairs[0].BFirst] = true
	}
	if len(firsts) != 2 {
		t.Error("ten seeds have the same target first")
	}
}

// Connections of both are renewed between units, and nothing of that is measured or lost.
func TestPairsRenewed(t *testing.T) {
	var both alone
	a, b := serve(t, both.handler(t, 0, 200*time.Microsecond)), serve(t, both.handler(t, 1, 200*time.Microsecond))
	r := runPairs(t, pairsPlan(a.url, b.url), 40)
	for i, result := range []*loadgen.Result{r.A, r.B} {
		server := []*scripted{a, b}[i]
		// Both twice at least: in 40 pairs of 20 ms a tenth of the time is 80 ms, and to renew
		// connections takes ten.
		if opened := result.Connections.Opened; opened < 6 || opened%2 != 0 || opened != uint64(server.accepted.Load()) {
			t.Errorf("target %d: %d connections opened, %d accepted", i, opened, server.accepted.Load())
		}
		if result.Ledger.NotOK() != 0 || result.AllPhases.Sent != uint64(server.requests.Load()) {
			t.Errorf("target %d: %+v; %d sent, %d arrived", i, result.Ledger, result.AllPhases.Sent, server.requests.Load())
		}
	}
}

// Slices of a slow server are so long that each slot sees some answers in one.
func TestPairsOfSlowTargets(t *testing.T) {
	s := serve(t, func(_ *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			time.Sleep(5 * time.Millisecond)
			p.say(ok2)
		}
	})
	p := pairsPlan(s.url, s.url) // the same twice is allowed
	p.WarmUp = 30 * time.Millisecond
	r := runPairs(t, p, 1)
	if l := r.Slices.Length; l < 100*time.Millisecond || l > time.Second { // 20 answers of 5 ms and more
		t.Errorf("slices of %v", l)
	}
	if share := float64(r.Slices.Settle) / float64(r.Slices.Length); share < 0.199 || share > 0.201 {
		t.Errorf("%v of %v are not counted, want a fifth", r.Slices.Settle, r.Slices.Length)
	}
}

// A host that stood still while a target warmed up does not make slices long for good.
func TestPairsSlowAtFirst(t *testing.T) {
	s := serve(t, func(s *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			if s.requests.Load() <= 4 { // the answers of the first warm-up, of two connections
				time.Sleep(40 * time.Millisecond)
			}
			p.say(ok2)
		}
	})
	p := pairsPlan(s.url, s.url)
	p.WarmUp, p.Slices = 60*time.Millisecond, loadgen.SlicesOf(20*time.Millisecond)
	r := runPairs(t, p, 1)
	if l := r.Slices.Length; l > 500*time.Millisecond { // 20 answers of 40 ms are 800 ms
		t.Errorf("slices of %v", l)
	}
}

// What a slice leaves out at its end is unfinished, and never counted in the next:
// its connections are opened anew.
func TestPairsWithUnfinished(t *testing.T) {
	var n atomic.Int64
	slow := serve(t, func(_ *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			if n.Add(1)%20 == 0 {
				time.Sleep(60 * time.Millisecond)
			}
			time.Sleep(500 * time.Microsecond)
			p.say(ok2)
		}
	})
	quick := serve(t, answers(ok2))
	p := pairsPlan(slow.url, quick.url)
	p.Drain = 2 * time.Millisecond
	p.WarmUp, p.Slices = 0, loadgen.SlicesOf(20*time.Millisecond)
	r := runPairs(t, p, 10)
	l := r.A.Ledger
	if other := r.B.Ledger; l.Unfinished <= other.Unfinished || l.ErrorsTotal() != 0 || other.ErrorsTotal() != 0 { // the host may stand still for 2 ms at B's end
		t.Errorf("A %+v, B %+v", l, r.B.Ledger)
	}
	if opened := r.A.Connections.Opened; opened < 3 || opened != uint64(slow.accepted.Load()) {
		t.Errorf("%d connections opened, %d accepted", opened, slow.accepted.Load())
	}
}

// A target that has become slower than a slice is long answers in the drains, and is there:
// its warm-up was quick, so that slices stayed at 10 ms, and then it takes 25.
func TestPairsAnsweredLate(t *testing.T) {
	slow := serve(t, func(s *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			if s.requests.Load() > 300 {
				time.Sleep(25 * time.Millisecond)
			}
			p.say(ok2)
		}
	})
	quick := serve(t, answers(ok2))
	r := runPairs(t, pairsPlan(slow.url, quick.url), 30)
	late := 0
	for _, pair := range r.Pairs {
		if pair.A.OK == 0 && pair.A.RPS > 0 {
			late++
		}
	}
	if late < 5 {
		t.Errorf("%d slices of %d were answered in their drains alone: the test shows nothing", late, len(r.Pairs))
	}
}

// A target that is gone ends the run, which says which it was.
func TestPairsLost(t *testing.T) {
	stays := serve(t, answers(ok2))
	goes := serve(t, func(s *scripted, p *peer) {
		for r := p.request(); r != nil && s.requests.Load() < 200; r = p.request() {
			p.say(ok2)
		}
		s.listener.Close()
	})
	for _, tt := range []struct {
		a, b string
		want int
	}{{stays.url, goes.url, 1}} {
		r, err := loadgen.RunPairs(t.Context(), pairsPlan(tt.a, tt.b), loadgen.PairObserver{})
		if err != nil {
			t.Fatal(err)
		}
		checkPairs(t, r)
		if r.Lost == nil || r.Lost.Target != tt.want || !strings.Contains(r.Lost.Why, "refused") {
			t.Errorf("lost %+v, want target %d", r.Lost, tt.want)
		}
	}
	// One that was never there is the error of any run, and nothing of the other goes on,
	// also where nobody cancels.
	if _, err := loadgen.RunPairs(context.Background(), pairsPlan(stays.url, goes.url), loadgen.PairObserver{}); !errors.Is(err, loadgen.ErrUnreachable) {
		t.Errorf("got %v", err)
	}
}

// Who interrupts gets what there is.
func TestPairsInterrupted(t *testing.T) {
	s := serve(t, answers(ok2))
	for name, after := range map[string]int{"before the first pair": 0, "after two": 2} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := 0
			observer := loadgen.PairObserver{Pair: func(loadgen.Pair) bool {
				if n++; n == after {
					cancel()
				}
				return false
			}}
			if after == 0 {
				observer.Started = func(string, string, int) { cancel() }
			}
			began := time.Now()
			r, err := loadgen.RunPairs(ctx, pairsPlan(s.url, s.url), observer)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v to end", took)
			}
			if after == 0 {
				if !errors.Is(err, loadgen.ErrInterrupted) {
					t.Errorf("got %v, %v", r, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkPairs(t, r)
			if len(r.Pairs) < after || !r.A.Interrupted || !r.B.Interrupted {
				t.Errorf("%d pairs, interrupted %v, %v", len(r.Pairs), r.A.Interrupted, r.B.Interrupted)
			}
		})
	}
}

// Every protocol takes turns.
func TestPairsOfProtocols(t *testing.T) {
	url, ca := secureServer(t, small, "h2", "http/1.1")
	h3 := serveHTTP3(t, "127.0.0.1:0", nil, small)
	for name, tt := range map[string]struct {
		url      string
		ca       []byte
		protocol loadgen.Protocol
		streams  int
	}{
		"HTTP/1.1 over TLS": {url, ca, loadgen.HTTP1, 1},
		"HTTP/2":            {url, ca, loadgen.HTTP2, 3},
		"HTTP/3":            {"https://" + h3.address.String() + "/x", h3.ca, loadgen.HTTP3, 3},
	} {
		for _, keep := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, kept %t", name, keep), func(t *testing.T) {
				p := pairsPlan(tt.url, tt.url)
				p.TLS.CAs, p.Protocol, p.Streams, p.Slices.Keep = tt.ca, tt.protocol, tt.streams, keep
				r := runPairs(t, p, 10)
				for i, result := range []*loadgen.Result{r.A, r.B} {
					opened := result.Connections.Opened
					if result.Protocol != tt.protocol.String() || result.Ledger.NotOK() != 0 || keep != (opened == 2) {
						t.Errorf("target %d: %s, %+v, %+v", i, result.Protocol, result.Ledger, result.Connections)
					}
				}
			})
		}
	}
}

// A frozen target is stopped whenever it is not loaded, and goes on in the end. What it
// used is known of each slice.
func TestPairsFreeze(t *testing.T) {
	a, b := startTarget(t), startTarget(t)
	p := pairsPlan(a.URL+"/respond", b.URL+"/respond")
	p.ServerPID, p.Slices.Freeze = loadgen.ServerAuto, true
	pids := []int{a.PID(), b.PID()}
	n := 0
	r, err := loadgen.RunPairs(t.Context(), p, loadgen.PairObserver{Pair: func(loadgen.Pair) bool {
		for _, pid := range pids {
			// The signal takes a moment to arrive on a busy host.
			for until := time.Now().Add(10 * time.Second); processState(t, pid) != "T"; time.Sleep(time.Millisecond) {
				if time.Now().After(until) {
					t.Fatalf("process %d is in state %s while nobody loads it", pid, processState(t, pid))
				}
			}
		}
		n++
		return n == 4
	}})
	if err != nil {
		t.Fatal(err)
	}
	checkPairs(t, r)
	for n, pair := range r.Pairs {
		for _, s := range []loadgen.Slice{pair.A, pair.B} {
			// 1 us to 1 ms a request is any server in memory on any host.
			if s.CPUPerRequestUS == nil || *s.CPUPerRequestUS < 1 || *s.CPUPerRequestUS > 1000 {
				t.Errorf("pair %d: CPU time of a request %v", n, s.CPUPerRequestUS)
			}
		}
	}
	for _, pid := range pids {
		if state := processState(t, pid); state == "T" {
			t.Errorf("process %d is left stopped", pid)
		}
	}
	if answer, err := http.Get(b.URL + "/respond"); err != nil || answer.StatusCode != 200 {
		t.Errorf("afterwards: %v, %v", answer, err)
	} else {
		answer.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}
}

// Whoever plans may know the processes of each target. The turns are announced before the
// first of them, and their time is the plan's.
func TestPairsAnnounced(t *testing.T) {
	a, b := startTarget(t), startTarget(t)
	p := pairsPlan(a.URL+"/respond", b.URL+"/respond")
	p.ServerPID, p.Measure = loadgen.ServerNone, 100*time.Millisecond
	p.Targets[0].ServerPIDs, p.Targets[1].ServerPIDs = []int{a.PID()}, []int{b.PID()}
	var told []loadgen.Timeline
	r, err := loadgen.RunPairs(t.Context(), p, loadgen.PairObserver{Timeline: func(line loadgen.Timeline) { told = append(told, line) }})
	if err != nil {
		t.Fatal(err)
	}
	checkPairs(t, r)
	if len(told) != 1 || told[0].To.Sub(told[0].From) != p.Measure || told[0].Start >= told[0].From || r.Elapsed < p.Measure || r.Schema != loadgen.PairsSchema {
		t.Errorf("told %+v, elapsed %v, schema %q", told, r.Elapsed, r.Schema)
	}
	for i, server := range []*loadgen.Server{r.A.Server, r.B.Server} {
		if want := []int{a.PID(), b.PID()}[i]; server == nil || server.PID != want || server.CPUPerRequestUS == nil {
			t.Errorf("server %d: %+v, want pid %d", i, server, want)
		}
	}
}

// However slow the targets are, there is room for four pairs: of 160 ms slices get 20.
func TestPairsOfSlowTargetsInShort(t *testing.T) {
	s := serve(t, func(_ *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			time.Sleep(5 * time.Millisecond)
			p.say(ok2)
		}
	})
	p := pairsPlan(s.url, s.url)
	p.WarmUp, p.Measure = 30*time.Millisecond, 160*time.Millisecond
	r, err := loadgen.RunPairs(t.Context(), p, loadgen.PairObserver{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Slices.Length != 20*time.Millisecond {
		t.Errorf("slices of %v", r.Slices.Length)
	}
}

// processState is the letter of proc_pid_stat(5).
func processState(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), ") ")
	if !found {
		t.Fatalf("stat of %d: %s", pid, text)
	}
	return rest[:1]
}

// What cannot be done in slices is refused before anything is sent.
func TestPairsPlan(t *testing.T) {
	s := serve(t, answers(ok2))
	for name, tt := range map[string]struct {
		change func(p *loadgen.Plan)
		want   string
	}{
		"one target":    {func(p *loadgen.Plan) { p.Targets = p.Targets[:1] }, "want the 2 that take turns"},
		"too short":     {func(p *loadgen.Plan) { p.Slices = loadgen.SlicesOf(time.Microsecond) }, "slice: 1µs, want 1ms to 10s"},
		"nothing left":  {func(p *loadgen.Plan) { p.Slices.Settle = p.Slices.Length }, "10ms are not counted of 10ms"},
		"an open loop":  {func(p *loadgen.Plan) { p.Rate = loadgen.Rate{Steps: []loadgen.RateStep{{From: 1000, To: 1000}}} }, "want a closed loop"},
		"a number":      {func(p *loadgen.Plan) { p.Requests = 10 }, "not for 10 requests"},
		"without":       {func(p *loadgen.Plan) { p.Slices = loadgen.Slices{}; p.Targets = p.Targets[:1] }, "want a length"},
		"no process":    {func(p *loadgen.Plan) { p.Targets[1].ServerPIDs = []int{0} }, "server pid: 0, want a pid"},
		"freeze of two": {func(p *loadgen.Plan) { p.Slices = loadgen.Slices{Freeze: true}; p.Targets = p.Targets[:1] }, "no length"},
	} {
		p := pairsPlan(s.url, s.url)
		tt.change(&p)
		if _, err := loadgen.RunPairs(t.Context(), p, loadgen.PairObserver{}); !errors.Is(err, loadgen.ErrPlan) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if _, err := loadgen.Run(t.Context(), pairsPlan(s.url, s.url), loadgen.Observer{}); !errors.Is(err, loadgen.ErrPlan) {
		t.Errorf("a run of two targets: %v", err)
	}
	if s.accepted.Load() != 0 {
		t.Error("something was sent")
	}
}
