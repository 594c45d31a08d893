package loadgen_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/target"
	"github.com/scalws/scalbench/loadgen"
)

// The instrument tests inject what is to be measured and look for it in the
// result. The server is the embedded target in a process of its own on one CPU,
// the generator is on another, as in a real measurement; what each number must be
// follows from what was injected, and is derived beside it.
//
// A shared host only ever adds time: it may run a thread later than was due, never
// earlier. So lower bounds are exact, and what may be added is bounded where a
// percentile has room: in the middle of many equal values, not at their edge.
// docs/METHOD.md has the list.

// stand is the two CPUs of an instrument test, with the target on the first.
type stand struct {
	target    *target.Process
	server    cpuset.Set
	generator cpuset.Set
}

// newStand starts the target. A test that takes longer than two seconds is not
// for -short.
func newStand(t *testing.T) stand {
	t.Helper()
	s := twoCPUs(t)
	t.Setenv(targetVariable, "1") // restored when the test ends
	var err error
	s.target, err = target.Start(t.Context(), os.Args[0], nil, s.server, os.Stderr)
	os.Unsetenv(targetVariable) // other children of this test are no targets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.target.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// twoCPUs chooses them: the first and the last that this process may use.
func twoCPUs(t *testing.T) (s stand) {
	t.Helper()
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	if allowed.Count() < 2 {
		t.Skip("server and generator need a CPU each")
	}
	cpus := allowed.CPUs()
	if s.server, err = cpuset.Of(cpus[0]); err != nil {
		t.Fatal(err)
	}
	if s.generator, err = cpuset.Of(cpus[len(cpus)-1]); err != nil {
		t.Fatal(err)
	}
	return s
}

// closed is a plan of a closed loop against the target.
func (s stand) closed(path string, connections int, measure time.Duration) loadgen.Plan {
	p := loadgen.DefaultPlan(s.target.URL + path)
	p.Connections, p.Measure = connections, measure
	p.CPUs, p.ServerPID = s.generator, s.target.PID()
	return p
}

// open is a plan of an open loop at a constant rate.
func (s stand) open(path string, connections int, rps float64, measure time.Duration) loadgen.Plan {
	p := s.closed(path, connections, measure)
	p.Rate = constantRate(rps)
	return p
}

func constantRate(rps float64) loadgen.Rate {
	return loadgen.Rate{Steps: []loadgen.RateStep{{From: rps, To: rps}}}
}

// attempts is how often a run is made whose own result says that the instrument
// was not fit for it.
const attempts = 10

// sliceMS is how long a busy host lets somebody else have the CPU, in milliseconds: a
// slice of its scheduler and a tick.
const sliceMS = 4

// findings collect what a look at a result finds wrong with it.
type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// within finds a value, in ms, that is not in [least, most].
func (f *findings) within(what string, value, least, most float64) {
	if !(value >= least && value <= most) {
		f.add("%s is %.3f ms, want %.3f to %.3f", what, value, least, most)
	}
}

// measure runs a plan and looks at the result. Where something is wrong with it, and
// the result itself says that the generator or the server did not get the CPU when they
// needed it, it is measured again, as a user would who was told so. What is wrong and
// does not say so fails the test at once; what was never right fails it with all that
// was found. A result that is right needs no excuse: on a busy host everything comes
// later, which makes no wrong number right.
func measure(t *testing.T, p loadgen.Plan, look func(r *loadgen.Result, f *findings)) {
	t.Helper()
	var said []string
	for range attempts {
		r := run(t, p)
		var f findings
		look(r, &f)
		if len(f) == 0 {
			return
		}
		why := unfit(r)
		said = append(said, fmt.Sprintf("%s (unfit: %q)", strings.Join(f, ", "), why))
		if why == "" {
			break
		}
	}
	t.Errorf("in run %d of at most %d:\n%s", len(said), attempts, strings.Join(said, "\n"))
}

// othersMost is the share of the server's CPU that others, and the kernel on their
// behalf, use on a host that is quiet, at most.
const othersMost = 0.10

// unfit returns what a result says about the generator and the host that would
// explain a number that came out too high; "": nothing.
func unfit(r *loadgen.Result) string {
	for _, w := range r.Warnings {
		switch w.Code {
		case loadgen.LateSends, loadgen.Suspended, loadgen.GeneratorStalled, loadgen.NoisyHost, loadgen.CPUThrottled, loadgen.CPUContended, loadgen.GCPause:
			return w.Text
		}
	}
	if r.Server == nil || r.Server.CPUsBusy == nil {
		return ""
	}
	if others := *r.Server.CPUsBusy - r.Server.CoresUsed; others > othersMost { // of its one CPU
		return fmt.Sprintf("others used %.0f %% of the server's CPU", 100*others)
	}
	return ""
}

// ms is a duration as results have it, but in milliseconds.
func ms(us float64) float64 { return us / 1e3 }

func longTest(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: takes more than two seconds")
	}
}

// timedTest skips what holds numbers of the program as it is, whose cost the race
// detector multiplies.
func timedTest(t *testing.T) {
	t.Helper()
	if detectsRaces {
		t.Skip("is about times without the race detector")
	}
}

// hdrBucket is what a percentile may lie above the true value: three digits.
const hdrBucket = 1.0 / 1024

// perRequestMS is what an answer may cost on its way, in milliseconds, in the
// middle of many: the target wakes within 200 us of the time it names, which its
// own tests hold, and two processes send and receive over loopback, which takes
// some 100 us where a CPU has to be woken for each. All of it once more for hosts
// that are slow.
const perRequestMS = 0.6

// within fails the test where a value, in ms, is not in [least, most], whatever the
// host does.
func within(t *testing.T, what string, value, least, most float64) {
	t.Helper()
	var f findings
	f.within(what, value, least, most)
	if len(f) > 0 {
		t.Error(f[0])
	}
}

// A server that freezes for 200 ms in every second, under an open loop of 500
// requests a second, for three whole periods, so that it does not matter where
// the window lies in them.
//
// A request that is due u after the beginning of a freeze is answered at its end:
// its response time is 200 ms - u, and u is spread evenly. So the share of all
// requests with a response time above x is (200 ms - x) / 1 s: a tenth are above
// 100 ms, 1 % above 190 ms. p75 is outside the freezes (only 20 % are in them).
//
// Of the 500 a second 100 fall into a freeze, and there are 128 connections: all
// are out at its end, none waits for a connection. The grid of the schedule is
// 2 ms, which is how far a quantile of it may lie below the even spread. At the end
// of the freeze all 100 are answered one after the other, at some 20 us each: 2 ms
// more. Together it is within 5 ms.
func TestInstrumentStallInOpenLoop(t *testing.T) {
	longTest(t)
	timedTest(t)
	s := newStand(t)
	p := s.open("/stall?every=1s&for=200ms", 128, 500, 3*time.Second)
	measure(t, p, func(r *loadgen.Result, f *findings) {
		checkAllOK(t, r, 1500) // 500/s x 3 s
		checkStallSeen(t, r, f)
		response := r.Latency.Response
		f.within("response p75", ms(*response.P75US), 0, 50)
		f.within("response p90", ms(*response.P90US), 100-5, 100+5)
		f.within("response p95", ms(*response.P95US), 150-5, 150+5)
		f.within("response p99", ms(*response.P99US), 190-5, 190+5)
		f.within("response max", ms(response.MaxUS), 200-2, 200+5*sliceMS) // a step of the grid less; more is of one answer
	})
}

// checkAllOK holds the ledger of a run in which nothing can fail, on any host.
func checkAllOK(t *testing.T, r *loadgen.Result, want uint64) {
	t.Helper()
	if r.Ledger.Scheduled != want || r.Ledger.OK != want {
		t.Fatalf("ledger %+v, want %d ok", r.Ledger, want)
	}
}

// checkStallSeen wants the warning, which a host may hide that stalls as much itself;
// valid the result is not on any host.
func checkStallSeen(t *testing.T, r *loadgen.Result, f *findings) {
	t.Helper()
	notValid(t, r)
	if !hasWarning(r, loadgen.StallSeen) {
		f.add("no stall_seen in %v", r.Warnings)
	}
}

// The same server under a closed loop of four connections: in each second four
// requests meet the freeze, one of each connection, and thousands do not. For p99 to
// show it, the four would have to be 1 % of all: no more than 100 exchanges of each
// connection in the 800 ms beside it, 8 ms each, where one takes 0.1 ms. So the
// percentiles hide it (50 ms is between what they show and what they hide), the maximum
// and the warning do not.
//
// Each connection has its next request out within one exchange of the beginning
// of the freeze, so that it waits for the whole of it, less such an exchange.
func TestInstrumentStallInClosedLoop(t *testing.T) {
	longTest(t)
	s := newStand(t)
	p := s.closed("/stall?every=1s&for=200ms", 4, 2*time.Second)
	measure(t, p, func(r *loadgen.Result, f *findings) {
		checkStallSeen(t, r, f)
		service := r.Latency.Service
		f.within("service p99", ms(*service.P99US), 0, 50)
		f.within("service max", ms(service.MaxUS), 200-10, 1000) // one that is held over two freezes there is not
	})
}

// A delay of 2 ms, in an open loop of which nothing waits: no answer is earlier,
// and the middle one is later by what an answer costs on its way.
func TestInstrumentFixedDelay(t *testing.T) {
	timedTest(t)
	s := newStand(t)
	measure(t, s.open("/delay/2ms", 16, 500, time.Second), func(r *loadgen.Result, f *findings) {
		checkAllOK(t, r, 500)
		within(t, "service min", ms(r.Latency.Service.MinUS), 2, math.Inf(1))
		within(t, "response min", ms(r.Latency.Response.MinUS), 2, math.Inf(1))
		f.within("service p50", ms(*r.Latency.Service.P50US), 2, 2*(1+hdrBucket)+perRequestMS)
		f.within("response p50", ms(*r.Latency.Response.P50US), 2, 2*(1+hdrBucket)+perRequestMS+0.1) // with the lateness that is allowed
	})
}

// A distribution in six steps. Each percentile of the result lies in one of them, no
// later in it than the middle:
//
//	share      delay  percentile, and where in the step it lies
//	0 - 40 %    1 ms
//	40 - 70     5     p50: 10/30
//	70 - 88    10     p75: 5/18
//	88 - 94    20     p90: 2/6
//	94 - 98    50     p95: 1/4
//	98 - 100  100     p99: 1/2
//
// The window has 1000 requests: ten times each rank, whichever is the first. As
// nothing is ever early, a percentile cannot fall into the step before its own, and
// it only leaves its own when as many requests as are above it there (of all, 20 %
// for p50, 1 % for p99) are later by the whole distance to the next step, 5 ms at
// least. Within its step it is the delay, a bucket of the histogram, the lateness
// that DESIGN allows (100 us), and what an answer costs that is not in the later
// half of its like.
func TestInstrumentKnownDistribution(t *testing.T) {
	longTest(t)
	timedTest(t)
	s := newStand(t)
	// 8.9 ms on average (below), 500 times a second: 4.5 are out.
	p := s.open("/delay-steps?p40=1ms&p70=5ms&p88=10ms&p94=20ms&p98=50ms&p100=100ms", 64, 500, 2*time.Second)
	measure(t, p, func(r *loadgen.Result, f *findings) {
		checkAllOK(t, r, 1000)
		for name, d := range map[string]*loadgen.Distribution{"service": r.Latency.Service, "response": r.Latency.Response} {
			for _, q := range []struct {
				name  string
				us    *float64
				delay float64 // ms
			}{
				{"p50", d.P50US, 5}, {"p75", d.P75US, 10}, {"p90", d.P90US, 20}, {"p95", d.P95US, 50}, {"p99", d.P99US, 100},
			} {
				within(t, name+" "+q.name, ms(*q.us), q.delay, math.Inf(1))
				f.within(name+" "+q.name, ms(*q.us), q.delay, q.delay*(1+hdrBucket)+0.1+perRequestMS)
			}
			within(t, name+" min", ms(d.MinUS), 1, math.Inf(1))
			within(t, name+" max", ms(d.MaxUS), 100, math.Inf(1))
			const mean = 0.40*1 + 0.30*5 + 0.18*10 + 0.06*20 + 0.04*50 + 0.02*100 // 8.9
			f.within(name+" mean", ms(d.MeanUS), mean, mean+sliceMS)
		}
	})
}

// Little's law in a closed loop: N connections, a mean response time R and a rate
// X that are counted apart from each other are bound by N = X R.
//
// It is exact for a window that cuts no exchange in two. R is of the exchanges that
// are intended in the window, X of those that are done in it: at each edge each
// connection has one that counts for one of them only, together at most the
// longest response time of N T connection-seconds. With answers of 5 ms and a
// window of 2 s the two edges make up 0.25 % each; 2 % is one of 40 ms.
func TestInstrumentLittlesLaw(t *testing.T) {
	longTest(t)
	s := newStand(t)
	const connections = 8
	measure(t, s.closed("/delay/5ms", connections, 2*time.Second), func(r *loadgen.Result, f *findings) {
		n := r.RPS * r.Latency.Response.MeanUS / 1e6
		if math.Abs(n-connections)/connections > 0.02 {
			f.add("rate %.1f/s x mean response time %.3f ms is %.3f, want %d within 2 %%", r.RPS, ms(r.Latency.Response.MeanUS), n, connections)
		}
		within(t, "response min", ms(r.Latency.Response.MinUS), 5, math.Inf(1))
	})
}

// Every request that leaves has its lateness and its send delay recorded, at a
// rate at which the generator waits awake. (How late they are is a figure of the
// host: DESIGN section 7 has it, and no test.)
func TestInstrumentLatenessOfEveryRequest(t *testing.T) {
	s := newStand(t)
	p := s.open("/respond", 64, 10_000, 500*time.Millisecond)
	r := run(t, p)
	if r.Ledger.Scheduled != 5000 { // 10 000/s x 0.5 s
		t.Errorf("%d scheduled, want 5000", r.Ledger.Scheduled)
	}
	// Without a warm-up all that leave are of the window.
	lateness, delay := r.Latency.Lateness, r.Latency.SendDelay
	if lateness == nil || lateness.Count != r.AllPhases.Sent || delay.Count != r.AllPhases.Sent {
		t.Fatalf("%d sent, but lateness %+v and send delay %+v", r.AllPhases.Sent, lateness, delay)
	}
	if lateness.MinUS < 0 || delay.MinUS < 0 || lateness.MeanUS > delay.MeanUS {
		t.Errorf("lateness from %v us, mean %v, send delay from %v us, mean %v: none is before it was due, and lateness is a part of the delay",
			lateness.MinUS, lateness.MeanUS, delay.MinUS, delay.MeanUS)
	}
}

// observed is run with somebody who is told how it goes.
func observed(t *testing.T, p loadgen.Plan, observer loadgen.Observer) *loadgen.Result {
	t.Helper()
	r, err := loadgen.Run(context.Background(), p, observer)
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	return r
}
