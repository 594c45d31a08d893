package stat

import (
	"math"
	"testing"
)

func TestPositionTest(t *testing.T) {
	// Means 0.012 and 0.002; variance 4e-6 each, so t = 0.01/√(8e-6/3), t² = 37.5, with
	// 4 degrees of freedom: sin² = 37.5/41.5.
	p, err := PositionTest([]float64{0.010, 0.012, 0.014}, []float64{0, 0.002, 0.004})
	if err != nil || !p.Flagged() {
		t.Errorf("%+v, %v, want it flagged", p, err)
	}
	near(t, "Effect", p.Effect, 0.01, 1e-12)
	sin2 := 37.5 / 41.5
	near(t, "P", p.P, 1-math.Sqrt(sin2)*(1+(1-sin2)/2), 1e-10)

	// Unequal variances 2 and 0: only the first counts, with 1 degree of freedom;
	// t = 2/√(2/2) = 2, P = 1 − 2·atan(2)/π = 0.295.
	p, err = PositionTest([]float64{1, 3}, []float64{0, 0, 0})
	if err != nil || p.Flagged() {
		t.Errorf("%+v, %v, want no flag: it may be chance", p, err)
	}
	near(t, "P", p.P, 1-2*math.Atan(2)/math.Pi, 1e-10)

	small, err := PositionTest([]float64{0.004, 0.004}, []float64{0, 0})
	if err != nil || small.P != 0 || small.Flagged() {
		t.Errorf("0.4 %% for certain: %+v, %v, want P 0 and no flag", small, err)
	}
	if same, err := PositionTest([]float64{0.1, 0.1, 0.1}, []float64{0.1, 0.1}); err != nil || same.P != 1 {
		t.Errorf("no difference at all: %+v, %v", same, err)
	}
	_, err = PositionTest([]float64{1, 2}, []float64{1})
	needs(t, "one pair with new second", err, 2)
}

func TestLag1(t *testing.T) {
	tests := []struct {
		x    []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, 0.4},    // (2 + 0 + 0 + 2)/(4 + 1 + 0 + 1 + 4)
		{[]float64{1, -1, 1, -1}, -0.75},   // −3/4
		{[]float64{0.1, 0.1, 0.1, 0.1}, 0}, // a constant
	}
	for _, tt := range tests {
		got, err := Lag1(tt.x)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Lag1", got, tt.want, 1e-12)
	}
	_, err := Lag1([]float64{1, 2})
	needs(t, "two values", err, 3)
}

// twoLevels is n values that alternate between m − spread and m + spread.
func twoLevels(n int, m, spread float64) []float64 {
	x := repeated(n, m-spread)
	for i := 1; i < n; i += 2 {
		x[i] = m + spread
	}
	return x
}

func TestWarmUpTest(t *testing.T) {
	// Every value is 50 from the median of its part: s = 50·√(30/29) = 50.855, and
	// the limit 3·1.2533·0.050855·√(1/10 + 1/20) = 0.07405.
	noisy := 3 * 1.2533 * 0.05 * math.Sqrt(30.0/29) * math.Sqrt(0.15)
	near(t, "limit by hand", noisy, 0.07405, 5e-6)
	tests := []struct {
		name          string
		perSecond     []float64
		change, limit float64
		warm          bool
	}{
		{"quiet, 5 % slow at first", append(repeated(10, 950), repeated(20, 1000)...), -0.05, 0.01, false},
		{"quiet, 0.9 % slow at first", append(repeated(10, 991), repeated(20, 1000)...), -0.009, 0.01, true},
		{"quiet, fast at first", append(repeated(10, 1020), repeated(20, 1000)...), 0.02, 0.01, false},
		{"noisy, 5 % slow at first", append(twoLevels(10, 950, 50), twoLevels(20, 1000, 50)...), -0.05, noisy, true},
		{"noisy, 8 % slow at first", append(twoLevels(10, 920, 50), twoLevels(20, 1000, 50)...), -0.08, noisy, false},
		// Of 15 seconds the first 5.
		{"short", append(repeated(5, 950), repeated(10, 1000)...), -0.05, 0.01, false},
	}
	for _, tt := range tests {
		w, err := WarmUpTest(tt.perSecond)
		if err != nil || w.Warm() != tt.warm {
			t.Errorf("%s: %+v, %v, want warm %v", tt.name, w, err, tt.warm)
		}
		near(t, tt.name+": change", w.Change, tt.change, 1e-12)
		near(t, tt.name+": limit", w.Limit, tt.limit, 1e-12)
	}
	_, err := WarmUpTest(repeated(5, 1))
	needs(t, "five seconds", err, 6)
	if w, err := WarmUpTest(repeated(30, 0)); err == nil {
		t.Errorf("no completions: %+v, want an error", w)
	}
}

func TestFlipTest(t *testing.T) {
	// Fifteen seconds 36 below the mean, fifteen above: s = 36·√(30/29), the sum at the
	// flip is 15·36, D = 15/(√(30/29)·√30) = √29/2 = 2.693.
	flip, err := FlipTest(append(repeated(15, 1000), repeated(15, 1072)...))
	if err != nil || !flip.Flagged() || flip.Second != 16 {
		t.Errorf("flip in the middle: %+v, %v, want second 16", flip, err)
	}
	near(t, "D", flip.D, math.Sqrt(29)/2, 1e-12)
	// The same values in turns never get further than one from the mean.
	turns, err := FlipTest(twoLevels(30, 1036, 36))
	if err != nil || turns.Flagged() {
		t.Errorf("in turns: %+v, %v", turns, err)
	}
	near(t, "D in turns", turns.D, math.Sqrt(29)/30, 1e-12)
	if constant, err := FlipTest(repeated(30, 0.1)); err != nil || constant != (Flip{}) {
		t.Errorf("constant: %+v, %v", constant, err)
	}
	_, err = FlipTest(repeated(3, 1))
	needs(t, "three seconds", err, 4)
}
