package loadgen_test

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
	"github.com/scalws/scalbench/loadgen/internal/schedule"
)

// arrivals collects when requests came in at a server, by wall time.
type arrivals struct {
	mu sync.Mutex
	at []time.Time
}

func (a *arrivals) answer(_ *scripted, p *peer) {
	for r := p.request(); r != nil; r = p.request() {
		now := time.Now()
		a.mu.Lock()
		a.at = append(a.at, now) // before the answer, with which the run may end
		a.mu.Unlock()
		p.say(ok2)
	}
}

// inOrder returns all of them.
func (a *arrivals) inOrder() []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(slices.Values(a.at), time.Time.Compare)
}

// What a run with Poisson arrivals sends are those of its seed, and those are a
// Poisson process.
//
// Of the intended times, which are a function of the seed, the gaps are held against
// the exponential distribution exactly. What a server sees of them is later by what
// the host adds: so there it is asked that it sees as many, each at its own intended
// time or after it, and that half of them are within a millisecond of it. (A test of
// the gaps at the server alone would have to allow for the host, and be blunt.)
func TestInstrumentPoissonArrivals(t *testing.T) {
	longTest(t)
	const rps, seconds, seed = 1000, 2, 7
	cpus := twoCPUs(t)
	seen := new(arrivals)
	p := loadgen.DefaultPlan(serve(t, seen.answer).url)
	p.Connections, p.Measure = 64, seconds*time.Second
	p.CPUs, p.ServerPID = cpus.generator, loadgen.ServerNone
	p.Rate, p.Arrival, p.Seed = constantRate(rps), loadgen.Poisson, seed
	r := run(t, p)
	at := seen.inOrder()

	intended := intendedTimes(p)
	checkExponential(t, intended, rps)
	// Their number is Poisson with mean 2000, known for a seed: within 4 deviations of 45.
	if n := len(intended); n < 2000-180 || n > 2000+180 {
		t.Errorf("%d intended, want 2000 +- 180", n)
	}
	if n := uint64(len(intended)); r.Ledger.Scheduled != n || r.Ledger.OK != n || len(at) != len(intended) {
		t.Fatalf("%d scheduled, %d ok, %d seen by the server, the seed has %d", r.Ledger.Scheduled, r.Ledger.OK, len(at), n)
	}
	var late []time.Duration
	for i, due := range intended { // the first of both, the second of both, ...: none is early where no request is
		late = append(late, at[i].Sub(r.StartedAt)-due)
	}
	slices.Sort(late)
	if least := late[0]; least < -100*time.Microsecond { // two readings of the wall clock, which may be corrected in between
		t.Errorf("a request came %v before it was intended", -least)
	}
	if middle := late[len(late)/2]; middle > time.Millisecond {
		t.Errorf("half of the requests came %v or more after they were intended", middle)
	}
}

// intendedTimes are those of a plan with one worker.
func intendedTimes(p loadgen.Plan) []time.Duration {
	spec := schedule.Spec{Rate: p.Rate.Over(p.Measure), Arrival: p.Arrival, Seed: p.Seed}
	s := schedule.New(spec, 0, 1)
	var times []time.Duration
	for at, ok := s.Next(); ok; at, ok = s.Next() {
		times = append(times, at)
	}
	return times
}

// checkExponential is the test of Kolmogorov and Smirnov: the largest distance D
// between the share of gaps up to x and 1 - e^-x, x in mean gaps, is above
// c / sqrt(n) in one of a thousand samples of an exponential distribution, c being
// sqrt(ln(2000)/2) = 1.949 (the first term of Kolmogorov's series).
func checkExponential(t *testing.T, times []time.Duration, rps float64) {
	t.Helper()
	gaps := make([]float64, len(times))
	last := time.Duration(0)
	for i, at := range times {
		gaps[i] = (at - last).Seconds() * rps
		last = at
	}
	slices.Sort(gaps)
	n, d := float64(len(gaps)), 0.0
	for i, x := range gaps {
		want := 1 - math.Exp(-x)
		d = max(d, want-float64(i)/n, float64(i+1)/n-want)
	}
	if most := math.Sqrt(math.Log(2000)/2) / math.Sqrt(n); d > most {
		t.Errorf("gaps are not exponential: D = %.4f, critical %.4f", d, most)
	}
}
