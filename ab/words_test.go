package ab

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func bounds(ratio, lo, hi float64) Estimate {
	return Estimate{Ratio: ratio, Lo: lo, Hi: hi, Level: 0.95}
}

var unknown = Estimate{Ratio: math.NaN(), Hi: math.Inf(1)}

func TestLine(t *testing.T) {
	rule := Rule{}.complete()
	gate := Rule{MaxLoss: 0.03}.complete()
	for _, test := range []struct {
		s    State
		want string
	}{
		{State{Rule: rule, Verdict: Slower, Decided: true, RPS: bounds(0.983, 0.980, 0.986), Elapsed: 22 * time.Second},
			"B is 1.7 % slower (1.4 to 2.0 %), 22 s"},
		{State{Rule: rule, Verdict: Faster, Decided: true, RPS: bounds(1.1, 1.05, 1.153), Elapsed: 6400 * time.Millisecond},
			"B is 10.0 % faster (5.0 to 15.3 %), 6.4 s"},
		// A bound of 0.03 % is not 0.0 %.
		{State{Rule: rule, Verdict: Slower, Decided: true, RPS: bounds(0.991, 0.982, 0.9997), Elapsed: 8 * time.Second},
			"B is 0.90 % slower (0.03 to 1.80 %), 8 s"},
		{State{Rule: Rule{Margin: 0.005}.complete(), Verdict: Same, Decided: true, RPS: bounds(0.999, 0.9958, 1.002), Elapsed: 31 * time.Second},
			"no difference above 0.5 %, 31 s"}, // 0.42 %, rounded up
		{State{Rule: Rule{Margin: 0.0025}.complete(), Verdict: Same, Decided: true, RPS: bounds(1, 0.9976, 1.0023), Elapsed: 31 * time.Second},
			"no difference above 0.25 %, 31 s"}, // 0.24 % would be 0.3 %
		{State{Rule: rule, Verdict: Same, Decided: true, RPS: bounds(1, 1, 1), Elapsed: 6 * time.Second},
			"no difference above 0 %, 6 s"},
		{State{Rule: rule, Verdict: Faster, Decided: true, RPS: bounds(2000, 1999.5, 20537.186), Elapsed: 6 * time.Second},
			"B is 2e+05 % faster (2e+05 to 2.05e+06 %), 6 s"},
		{State{Rule: rule, Verdict: CannotTell, RPS: bounds(0.991, 0.979, 1.004), Elapsed: time.Minute, Needs: 250 * time.Second},
			"cannot tell: would need about 4 min; so far B is between 2.1 % slower and 0.4 % faster, 60 s"},
		{State{Rule: rule, Verdict: CannotTell, RPS: bounds(0.991, 0.979, 1.004), Elapsed: time.Minute, Needs: needsMax},
			"cannot tell: would need more than a day; so far B is between 2.1 % slower and 0.4 % faster, 60 s"},
		{State{Rule: rule, Verdict: CannotTell, RPS: Estimate{Ratio: 0.9, Hi: math.Inf(1)}, Elapsed: 3 * time.Second},
			"cannot tell: too little was seen, 3 s"},
		{State{Rule: Rule{Max: 5 * time.Second}.complete(), Verdict: CannotTell, RPS: unknown, Elapsed: 5 * time.Second},
			"cannot tell: too little was seen, and nothing is said before 6 s, 5 s"},
		{State{Rule: rule, Verdict: Slower, Decided: true, ByTotals: true, RPS: bounds(0.96, 0.94, 0.98), Elapsed: 15 * time.Second},
			"B is 4.0 % slower (2.0 to 6.0 %) in total, rare slow slices included, 15 s"},
		{State{Rule: gate, Verdict: CannotTell, Loss: LossWithin, Decided: true, RPS: bounds(0.991, 0.979, 1.004), Elapsed: 6 * time.Second},
			"no loss above 3 %: B is between 2.1 % slower and 0.4 % faster, 6 s"},
		{State{Rule: gate, Verdict: Slower, Loss: LossExceeded, Decided: true, RPS: bounds(0.95, 0.94, 0.96), Elapsed: 9 * time.Second},
			"a loss above 3 %: B is 5.0 % slower (4.0 to 6.0 %), 9 s"},
		{State{Rule: gate, Verdict: Slower, Loss: LossCannotTell, RPS: bounds(0.97, 0.96, 0.98), Elapsed: time.Minute, Needs: 3 * time.Hour},
			"cannot tell a loss above 3 %: would need about 3 h; so far B is between 4.0 and 2.0 % slower, 60 s"},
	} {
		if got := test.s.Line(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestLive(t *testing.T) {
	s := State{Rule: Rule{}.complete(), RPS: bounds(0.987, 0.971, 1.004), Elapsed: 8 * time.Second, Needs: 25 * time.Second}
	if got, want := s.Live(), "-1.3 % (-2.9 to +0.4 %), 8 s of about 25 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s = State{RPS: unknown, Elapsed: 2 * time.Second}
	if got, want := s.Live(), "measuring, 2 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHopeless(t *testing.T) {
	s := State{Rule: Rule{Margin: 0.005}.complete(), Verdict: CannotTell, RPS: bounds(0.99, 0.96, 1.02), Needs: time.Minute, MarginNeeds: 245 * time.Second}
	if got, want := s.Hopeless(), "too noisy for a margin of 0.5 % in 60 s: would need about 4 min; larger differences show earlier"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Decided = true
	if got := s.Hopeless(); got != "" {
		t.Errorf("decided: %q", got)
	}
	s.Decided, s.MarginNeeds = false, time.Minute
	if got := s.Hopeless(); got != "" {
		t.Errorf("in time: %q", got)
	}
	s.Rule.MaxLoss, s.Needs = 0.03, 2*time.Minute
	if got, want := s.Hopeless(), "too noisy to tell a loss of 3 % in 60 s: would need about 2 min"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDetails(t *testing.T) {
	rps := bounds(0.983, 0.98, 0.986)
	rps.Pairs, rps.BlockPairs, rps.Block, rps.EffectivePairs = 220, 8, 800*time.Millisecond, 171.4
	s := State{Rule: Rule{}.complete(), RPS: rps, P50: bounds(1.018, 1.012, 1.024), P99: bounds(1.01, 0.97, 1.05), CPU: bounds(1, 0.996, 1.004)}
	want := []string{
		"p50          1.8 % higher (1.2 to 2.4 %)",
		"p99          cannot tell: between 3.0 % lower and 5.0 % higher",
		"CPU/request  no difference above 0.4 %",
		"noise        220 pairs in blocks of 8 (0.8 s), as good as 171 independent ones",
	}
	if got := s.Details(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.P50.Pairs, s.P99.Pairs, s.CPU.Pairs = 220, 150, 0 // slow slices have no p99
	want[1] += ", in 150 of 220 pairs"
	if got := s.Details(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.P50, s.CPU, s.P99, s.RPS = unknown, unknown, Estimate{Ratio: 1.2, Hi: math.Inf(1)}, unknown
	if got := s.Details(); !slices.Equal(got, []string{"p99          cannot tell"}) {
		t.Errorf("got %q", got)
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0.4 s", 9940 * time.Millisecond: "9.9 s", 9960 * time.Millisecond: "10 s", time.Minute: "60 s",
		89 * time.Second: "89 s", 90 * time.Second: "2 min", 245 * time.Second: "4 min", 89 * time.Minute: "89 min", 90 * time.Minute: "2 h",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
