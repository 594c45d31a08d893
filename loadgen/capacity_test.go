package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// simulated is what a step of 10 s at a rate looks like when all goes well.
func simulated(rps, p99US float64) *Result {
	n := uint64(rps * 10)
	return &Result{
		MeasuredS: 10, RPS: rps, Ledger: Ledger{Scheduled: n, OK: n}, Validity: Valid,
		Latency: Latency{Response: &Distribution{Count: n, P50US: ptr(p99US / 2), P99US: &p99US}},
	}
}

// queue is a server that handles mu requests a second, one at a time, arriving
// at random (M/M/1): response times are exponential with the mean 1/(mu - rps),
// so p99 = ln 100 / (mu - rps).
func queue(mu, rps float64) *Result {
	if rps >= mu {
		r := simulated(rps, 10e6)
		r.RPS, r.Ledger.OK, r.Ledger.NeverSent = mu, uint64(mu*10), r.Ledger.Scheduled-uint64(mu*10)
		return r
	}
	return simulated(rps, 1e6*math.Log(100)/(mu-rps))
}

// find searches with p99<5ms as the goal and the documented defaults.
func find(t *testing.T, start float64, measure func(rps float64) *Result) Capacity {
	t.Helper()
	c, err := FindCapacity(t.Context(), start, CapacityOptions{Goal: CapacityGoal{parsed(t, "p99<5ms")}},
		func(_ context.Context, rps float64) (*Result, error) { return measure(rps), nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// around fails unless the bracket is closed, certain, at most 2 % wide, and has
// the capacity in it.
func around(t *testing.T, c Capacity, capacity float64) {
	t.Helper()
	if c.Reason != CapacityFound || c.LowRPS != c.MaxRPS || !(c.LowRPS < capacity && capacity <= c.HighRPS) || c.HighRPS > 1.02*c.LowRPS {
		t.Errorf("%s: %v in [%v, %v], want a bracket of 2 %% around %v", c.Reason, c.MaxRPS, c.LowRPS, c.HighRPS, capacity)
	}
}

// With mu = 20 000, p99 = 4.605 / (mu - rps) is 5 ms at 20 000 - 921 = 19 079,
// wherever the search begins.
func TestCapacityOfQueue(t *testing.T) {
	capacity := 20_000 - math.Log(100)/0.005
	for _, start := range []float64{1_000, 18_000, 19_500, 100_000, 37} {
		c := find(t, start, func(rps float64) *Result { return queue(20_000, rps) })
		around(t, c, capacity)
		if len(c.Notes) > 0 {
			t.Errorf("from %v: notes %q", start, c.Notes)
		}
		// At most 10 doublings or halvings, 2 looks beyond, 6 bisections (2^(1/64) <
		// 1.02) of 4 steps and 6 to confirm.
		if n := len(c.Steps); n > 10+2+6*4+6 {
			t.Errorf("from %v: %d steps", start, n)
		}
	}
	c := find(t, 1_000, func(rps float64) *Result { return queue(20_000, rps) })
	if !strings.HasPrefix(c.Sure, "held in ") || !strings.Contains(c.Sure, ", broken in ") {
		t.Errorf("sure: %q", c.Sure)
	}
	first := CapacityStep{OfferedRPS: 1_000, AchievedRPS: 1_000, Held: true, Valid: true, Why: "p99 242 us, below 5 ms", Repeat: 1} // 4.605 / 19 000 s
	got := c.Steps[0]
	if got.P50US == nil || got.P99US == nil || got.P999US != nil {
		t.Errorf("percentiles of %+v", got)
	}
	got.P50US, got.P99US = nil, nil
	if got != first {
		t.Errorf("first step %+v, want %+v", got, first)
	}
}

// The sentence and the JSON of a search small enough to follow by hand: from
// 100, with the capacity at 150 and a precision of 1, so that any bracket will
// do: 100 holds, 200 does not; looks at 400 and 50; then the ends are repeated.
func TestCapacityStepByStep(t *testing.T) {
	measure := func(_ context.Context, rps float64) (*Result, error) {
		return simulated(rps, map[bool]float64{true: 1_000, false: 9_000}[rps < 150]), nil
	}
	c, err := FindCapacity(t.Context(), 100, CapacityOptions{Goal: CapacityGoal{parsed(t, "p99<5ms")}, Precision: 1}, measure)
	if err != nil {
		t.Fatal(err)
	}
	var rates []float64
	for _, s := range c.Steps {
		rates = append(rates, s.OfferedRPS)
	}
	// The second at 100 comes after a higher rate, the third after a lower one.
	// That has 200 measured on the way up, twice more.
	want := []float64{100, 200, 400, 50, 200, 100, 50, 100, 200}
	if !slices.Equal(rates, want) {
		t.Errorf("measured at %v, want %v", rates, want)
	}
	if want := "held in 3 of 3 at 100, broken in 3 of 3 at 200"; c.Sure != want || c.LowRPS != 100 || c.HighRPS != 200 || c.MaxRPS != 100 {
		t.Errorf("%q, %+v, want %q", c.Sure, c, want)
	}
	text, err := json.Marshal(c)
	if err != nil || !strings.HasPrefix(string(text), `{"max_rps":100,"low_rps":100,"high_rps":200,"reason":"found","sure":"held in 3 of 3`) || !strings.Contains(string(text), `"notes":[],"steps":[{"offered_rps":100,`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Noise of 10 % in every p99. Near the capacity d ln p99 / d rps is 1/921, so
// 10 % move the place where the goal breaks by 92 requests a second: 0.5 % of
// 19 079. With a precision of 2 % the answer is within 4 % for every seed.
func TestCapacityWithNoise(t *testing.T) {
	capacity := 20_000 - math.Log(100)/0.005
	disagreed := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := find(t, 1_000, func(rps float64) *Result {
			r := queue(20_000, rps)
			*r.Latency.Response.P99US *= math.Exp(0.1 * random.NormFloat64())
			return r
		})
		if c.Reason != CapacityFound || math.Abs(c.MaxRPS/capacity-1) > 0.04 || c.LowRPS > c.MaxRPS || c.HighRPS <= c.MaxRPS {
			t.Errorf("seed %d: %s %v in [%v, %v]: %s", seed, c.Reason, c.MaxRPS, c.LowRPS, c.HighRPS, c.Sure)
		}
		if strings.Contains(strings.Join(c.Notes, " "), "do not agree at") {
			disagreed++
		}
		for _, n := range c.Notes {
			if strings.Contains(n, "overload") {
				t.Errorf("seed %d: %s", seed, n)
			}
		}
	}
	// Half of the brackets end within 1 % of the capacity, which is 2 sigma.
	if disagreed < 10 {
		t.Errorf("repeats disagreed in %d of 100 searches: noise is not told", disagreed)
	}
}

// One wrong vote while the bracket is sought is overruled later.
func TestCapacityAfterBlip(t *testing.T) {
	for _, blip := range []int{0, 1, 2, 3, 4, 5, 6, 9, 12} {
		n := 0
		c := find(t, 1_000, func(rps float64) *Result {
			r := queue(20_000, rps)
			if n == blip {
				*r.Latency.Response.P99US = 1e6 * 0.005 * 0.005 / (*r.Latency.Response.P99US / 1e6) // on the other side of 5 ms
			}
			n++
			return r
		})
		capacity := 20_000 - math.Log(100)/0.005
		if c.Reason != CapacityFound || c.MaxRPS > capacity || c.MaxRPS < capacity/1.04 {
			t.Errorf("step %d wrong: %s, %v, %s, %q", blip, c.Reason, c.MaxRPS, c.Sure, c.Notes)
		}
	}
}

func TestCapacityThatAlwaysHolds(t *testing.T) {
	c := find(t, 100, func(rps float64) *Result { return simulated(rps, 1_000) })
	if c.Reason != CapacityAllHeld || c.MaxRPS != 102_400 || c.LowRPS != 102_400 || c.HighRPS != 0 { // 100 x 1024
		t.Errorf("%+v", c)
	}
	if want := "held in 3 of 3 at 102 400, broken at no rate"; c.Sure != want {
		t.Errorf("sure: %q, want %q", c.Sure, want)
	}
}

func TestCapacityThatNeverHolds(t *testing.T) {
	c := find(t, 1_024, func(rps float64) *Result { return simulated(rps, 7_000) })
	if c.Reason != CapacityNoneHeld || c.MaxRPS != 0 || c.LowRPS != 0 || c.HighRPS != 1 { // 1 024 / 1024
		t.Errorf("%+v", c)
	}
	if want := "held at no rate, broken in 3 of 3 at 1.00, p99 7 ms, not below 5 ms"; c.Sure != want {
		t.Errorf("sure: %q, want %q", c.Sure, want)
	}
}

// Broken from 900 to 1 100 and from 5 000 on: the answer is below the first, and
// the look beyond it tells of the second.
func TestCapacityNotMonotone(t *testing.T) {
	c := find(t, 500, func(rps float64) *Result {
		if rps >= 900 && rps <= 1_100 || rps >= 5_000 {
			return simulated(rps, 20_000)
		}
		return simulated(rps, 1_000)
	})
	around(t, c, 900)
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "the curve is not monotone: not held at 9") || !strings.Contains(c.Notes[0], "held again at 2 000;") {
		t.Errorf("notes %q", c.Notes)
	}
	// From above, 4 000 is the first that holds; the look below it, at 2 000, does
	// not, so that the lower stretch counts.
	c = find(t, 16_000, func(rps float64) *Result {
		if rps > 1_500 && rps <= 2_500 || rps >= 5_000 {
			return simulated(rps, 20_000)
		}
		return simulated(rps, 1_000)
	})
	around(t, c, 1_500)
}

// After a rate that it cannot hold (above 10 000) the server needs the next
// step to recover: half of its capacity, then. Every rate between 5 000 and
// 10 000 holds after a lower one and not after an overload.
func TestCapacityWithHysteresis(t *testing.T) {
	degraded := false
	c := find(t, 1_000, func(rps float64) *Result {
		broken := rps > 10_000 || degraded && rps > 5_000
		degraded = rps > 10_000
		return simulated(rps, map[bool]float64{true: 50_000, false: 1_000}[broken])
	})
	if c.Reason != CapacityFound || c.MaxRPS > 10_000 || c.MaxRPS < 10_000/1.02 {
		t.Errorf("%s: %v, %s", c.Reason, c.MaxRPS, c.Sure)
	}
	if len(c.Notes) != 2 || !strings.Contains(c.Notes[0], "the server stays slow after an overload") || !strings.Contains(c.Notes[1], "do not agree at") {
		t.Errorf("notes %q", c.Notes)
	}
}

// What the generator could not put on the server bounds the search and is no
// verdict on the server.
func TestCapacityNotOffered(t *testing.T) {
	limited := func(by func(r *Result)) func(rps float64) *Result {
		return func(rps float64) *Result {
			r := simulated(rps, 1_000)
			if rps > 30_000 {
				by(r)
			}
			return r
		}
	}
	for _, tt := range []struct {
		name string
		by   func(r *Result)
		why  string
	}{
		{"late sends", func(r *Result) {
			r.Validity, r.Warnings = Invalid, []Warning{{LateSends, "a worker had no CPU for 1s"}}
			r.Workers = []WorkerResult{{Busy: 0.9}} // by its own work
		}, "the generator was the limit: a worker had no CPU for 1s"},
		{"a saturated generator and a broken goal", func(r *Result) {
			r.Validity, r.Warnings = Suspect, []Warning{{GeneratorSaturated, "the generator was 99 % busy"}}
			r.Latency.Response.P99US = ptr(8_000.0)
		}, "the generator may have been the limit: the generator was 99 % busy (p99 8 ms, not below 5 ms)"},
		{"a saturated generator that falls short", func(r *Result) {
			r.RPS, r.Workers = 20_000, []WorkerResult{{Busy: 0.99}}
		}, "the generator was the limit (generator 99 % busy); 20 000 a second were achieved"},
		{"a closed loop's capacity", func(r *Result) {
			r.RPS, r.Server = 20_000, &Server{Busy: 1}
		}, "the server's closed-loop capacity was the limit, with all connections busy (generator 0 % busy); 20 000 a second"},
		{"too few connections", func(r *Result) { r.RPS = 20_000 }, "all connections were busy: more of them"},
	} {
		c := find(t, 1_000, limited(tt.by))
		if c.Reason != CapacityNotOffered || c.LowRPS > 30_000 || c.LowRPS < 30_000/1.02 || c.HighRPS <= 30_000 || c.HighRPS > 1.02*c.LowRPS {
			t.Errorf("%s: %s %v in [%v, %v]", tt.name, c.Reason, c.MaxRPS, c.LowRPS, c.HighRPS)
		}
		if !strings.Contains(c.Sure, "held in 3 of 3 at") || !strings.Contains(c.Sure, "not offered in 3 of 3 at") || !strings.Contains(c.Sure, tt.why) {
			t.Errorf("%s: sure: %q, want %q", tt.name, c.Sure, tt.why)
		}
		for _, s := range c.Steps {
			if limit := s.OfferedRPS > 30_000; s.Valid == limit || s.Held == limit || s.OfferedRPS > 32_000 {
				t.Errorf("%s: step %+v", tt.name, s)
			}
		}
	}
}

func TestCapacityJudge(t *testing.T) {
	goal := CapacityGoal{parsed(t, "p99<5ms"), parsed(t, "error_rate<1%")}
	for _, tt := range []struct {
		name   string
		change func(r *Result)
		vote   capacityVote
		why    string
	}{
		{"all thresholds hold", func(*Result) {}, voteHeld, "p99 1 ms, below 5 ms; error_rate 0 %, below 1 %"},
		{"one does not", func(r *Result) { r.Latency.Response.P99US = ptr(6_000.0) }, voteBroken, "p99 6 ms, not below 5 ms"},
		{"one is not known", func(r *Result) { r.Latency.Response = nil }, voteNone, "the step was too short: p99 unknown"},
		{"97.9 % of what was scheduled", func(r *Result) { r.RPS = 979 }, voteMissed, "all connections were busy"},
		{"98 % of it", func(r *Result) { r.RPS = 980 }, voteHeld, "p99 1 ms"},
		// Random arrivals: 970 a second were scheduled, and all of them done.
		{"fewer arrivals than the rate", func(r *Result) { r.RPS, r.Ledger.Scheduled = 970, 9_700 }, voteHeld, "p99 1 ms"},
		{"a saturated generator that keeps the goal", func(r *Result) { r.Warnings = []Warning{{GeneratorSaturated, "busy"}} }, voteHeld, "p99 1 ms"},
		{"a host that slept", func(r *Result) {
			r.Validity, r.Warnings = Invalid, []Warning{{ShortWindow, "short"}, {Suspended, "the host slept"}}
		}, voteNone, "the measurement is invalid: the host slept"},
	} {
		r := simulated(1_000, 1_000)
		tt.change(r)
		step, vote := goal.judge(1_000, r)
		if vote != tt.vote || !strings.HasPrefix(step.Why, tt.why) || step.Held != (vote == voteHeld) || step.Valid != (vote == voteHeld || vote == voteBroken) {
			t.Errorf("%s: vote %d, %+v, want %d, %q", tt.name, vote, step, tt.vote, tt.why)
		}
	}
	// Failed requests break a goal that does not ask for success.
	r := simulated(1_000, 1_000)
	r.RPS, r.Ledger.Errors = 900, map[string]Split{"reset": {Sent: 1_000}}
	if step, vote := goal[:1].judge(1_000, r); vote != voteBroken || step.Why != "1 000 of 10 000 requests failed (p99 1 ms, below 5 ms)" {
		t.Errorf("failures: vote %d, %+v", vote, step)
	}
}

// A measurement that says nothing is made again, and is no vote.
func TestCapacityRepeatsVoidSteps(t *testing.T) {
	n := 0
	c := find(t, 1_000, func(rps float64) *Result {
		r := queue(20_000, rps)
		if n++; n%4 == 1 {
			r.Validity, r.Warnings = Invalid, []Warning{{Suspended, "the host slept"}}
			r.Latency.Response.P99US = ptr(1.0)
		}
		return r
	})
	around(t, c, 20_000-math.Log(100)/0.005)
	if s := c.Steps; s[0].Valid || s[0].Held || s[1].OfferedRPS != 1_000 || s[1].Repeat != 2 || !s[1].Held {
		t.Errorf("the first steps: %+v", s[:2])
	}
}

func TestCapacityStepsUsed(t *testing.T) {
	measure := func(_ context.Context, rps float64) (*Result, error) { return queue(20_000, rps), nil }
	for steps := 1; steps < 30; steps++ {
		c, err := FindCapacity(t.Context(), 1_000, CapacityOptions{Goal: CapacityGoal{parsed(t, "p99<5ms")}, StepsMax: steps}, measure)
		if err != nil || len(c.Steps) > steps {
			t.Fatalf("%d steps of %d, %v", len(c.Steps), steps, err)
		}
		if c.Reason == CapacityFound {
			around(t, c, 20_000-math.Log(100)/0.005)
			if steps < 20 { // 6 to a bracket, 1 look, at least 3 for each of 6 bisections
				t.Errorf("found in %d steps", steps)
			}
			continue
		}
		if c.Reason != CapacityStepsUsed || len(c.Steps) != steps || !strings.HasPrefix(c.Sure, "ended early, after "+grouped(steps)+" measurements, held in") {
			t.Errorf("%d steps: %s, %q", steps, c.Reason, c.Sure)
		}
	}
}

func TestCapacityCut(t *testing.T) {
	refused := errors.New("connection refused")
	n := 0
	options := CapacityOptions{Goal: CapacityGoal{parsed(t, "p99<5ms")}}
	c, err := FindCapacity(t.Context(), 1_000, options, func(_ context.Context, rps float64) (*Result, error) {
		if n++; n == 4 {
			return nil, refused
		}
		return queue(20_000, rps), nil
	})
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "measure 8 000 requests a second: ") {
		t.Errorf("error %v", err)
	}
	if c.Reason != CapacityCut || len(c.Steps) != 3 || c.MaxRPS != 4_000 || c.LowRPS != 0 {
		t.Errorf("%+v, want what three steps have shown", c)
	}

	ctx, cancel := context.WithCancel(t.Context())
	c, err = FindCapacity(ctx, 1_000, options, func(_ context.Context, rps float64) (*Result, error) {
		cancel()
		r := queue(20_000, rps)
		r.Interrupted = true
		return r, nil
	})
	if !errors.Is(err, context.Canceled) || c.Reason != CapacityCut || len(c.Steps) != 0 || c.Sure == "" {
		t.Errorf("interrupted: %+v, %v, want no step", c, err)
	}
}

func TestCapacityOptionsFaults(t *testing.T) {
	goal := CapacityGoal{parsed(t, "p99<5ms")}
	never := func(context.Context, float64) (*Result, error) { panic("measured") }
	for _, tt := range []struct {
		start float64
		o     CapacityOptions
		want  []string
	}{
		{100, CapacityOptions{}, []string{"no goal"}},
		{0, CapacityOptions{Goal: goal}, []string{"start at 0"}},
		{math.NaN(), CapacityOptions{Goal: goal}, []string{"start at NaN"}},
		{math.Inf(1), CapacityOptions{Goal: goal}, []string{"start at +Inf"}},
		{100, CapacityOptions{Goal: goal, Precision: 1e-6, Repeats: 2, StepsMax: -1}, []string{"precision 1e-06", "2 repeats, want an odd number", "at most -1 steps"}},
		{100, CapacityOptions{Goal: goal, Precision: math.NaN()}, []string{"precision NaN"}},
	} {
		_, err := FindCapacity(t.Context(), tt.start, tt.o, never)
		for _, want := range tt.want {
			if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, %+v: %v, want ErrPlan with %q", tt.start, tt.o, err, want)
			}
		}
	}
}

func TestCapacityRounded(t *testing.T) {
	for _, tt := range []struct{ rps, precision, want float64 }{
		{18_384.77, 0.02, 18_380}, // a tenth of 2 % is 36.8: tens
		{12.3456, 0.02, 12.35},    // 0.0246: hundredths
		{0.0123456, 0.02, 0.01235},
		{999.996, 0.001, 1_000}, // 0.0999…: hundredths
	} {
		s := capacitySearch{CapacityOptions: CapacityOptions{Precision: tt.precision}}
		if got := s.rounded(tt.rps); got != tt.want {
			t.Errorf("rounded(%v) at %v = %v, want %v", tt.rps, tt.precision, got, tt.want)
		}
	}
}
