package stat

import (
	"math"
	"slices"
	"testing"
)

// static1m is a scenario that flips between 9 580 and 10 300 req/s, with a
// standard deviation of 0.3 % in each of two modes of n runs, in turns.
func static1m(n int) []float64 {
	spread := 0.003 / math.Sqrt(float64(n)/float64(n-1)) // n−1 makes 0.3 % of it
	lower, upper := twoLevels(n, math.Log(9580), spread), twoLevels(n, math.Log(10300), spread)
	var x []float64
	for i := range lower {
		x = append(x, lower[i], upper[i])
	}
	return x
}

func TestFindModes(t *testing.T) {
	m, err := FindModes(static1m(16))
	if err != nil || !m.Bimodal() {
		t.Fatalf("%+v, %v, want two modes", m, err)
	}
	// ln(10300/9580) = 0.07247, over 0.003: D = 24.2. Each mode reaches 0.002905 towards
	// the other: (0.07247 − 0.00581)/0.003 = 22.2.
	distance := math.Log(10300.0 / 9580)
	near(t, "D", m.D, distance/0.003, 1e-6)
	near(t, "D", m.D, 24.2, 0.05)
	near(t, "Gap", m.Gap, (distance-2*0.003/math.Sqrt(16.0/15))/0.003, 1e-6)
	near(t, "WithinSD", m.WithinSD, 0.003, 1e-12)
	near(t, "lower", m.Lower.Mean, math.Log(9580), 1e-12)
	near(t, "upper", m.Upper.Mean, math.Log(10300), 1e-12)
	if m.Lower.N != 16 || m.Upper.N != 16 || m.InUpper(math.Log(9600)) || !m.InUpper(math.Log(10290)) || m.MValue != 0 {
		t.Errorf("%+v", m)
	}
	if m, err := FindModes(static1m(20)); err != nil || m.MValue != 4 {
		t.Errorf("40 values: %+v, %v, want an m-value of 4", m, err)
	}
}

func TestOneMode(t *testing.T) {
	// Evenly spread over 29 %: no gap.
	var even []float64
	for i := range 30 {
		even = append(even, 0.01*float64(i))
	}
	tests := []struct {
		name   string
		values []float64
	}{
		{"even", even},
		{"one run out of 30 is off", append(repeated(29, 9.2), 9.3)},
		// 0.5 % apart: D = 5 in units of the 0.1 % floor, and too little to matter.
		{"two heaps too close", append(repeated(15, 9.2), repeated(15, 9.205)...)},
		{"constant", repeated(30, 9.2)},
	}
	for _, tt := range tests {
		m, err := FindModes(tt.values)
		if err != nil || m.Bimodal() {
			t.Errorf("%s: %+v, %v, want one mode", tt.name, m, err)
		}
	}
	// Neither heap may take an equal of the other's: 28 and 2 cannot become 27 and 3.
	if m, _ := FindModes(append(repeated(28, 9.2), repeated(2, 9.3)...)); m != (Modes{}) {
		t.Errorf("two runs out of 30: %+v, want no division", m)
	}
	if m, _ := FindModes(repeated(4, 9.2)); m != (Modes{}) || m.InUpper(9.2) {
		t.Errorf("constant: %+v", m)
	}
	// The floor: without it D would be infinite. 2 % over 0.1 %.
	if m, _ := FindModes(append(repeated(5, 9.2), repeated(5, 9.22)...)); math.Abs(m.D-20) > 1e-9 || math.Abs(m.Gap-20) > 1e-9 || m.WithinSD != 0 {
		t.Errorf("two constants: %+v, want D and Gap 20", m)
	}
	_, err := FindModes([]float64{1, 2, 3})
	needs(t, "three values", err, 4)
}

// What is two modes in 32 runs may be chance in 16.
func TestTooFewForModes(t *testing.T) {
	m, err := FindModes(static1m(8))
	if err != nil || m.D < 20 || m.Bimodal() {
		t.Errorf("16 values: %+v, %v, want a large D and no verdict", m, err)
	}
	if m, err := FindModes(static1m(10)); err != nil || !m.Bimodal() {
		t.Errorf("20 values: %+v, %v, want two modes", m, err)
	}
}

// The cut is where the sums of squares within are least, as trying all shows.
func TestBestCut(t *testing.T) {
	random := newRandom(6)
	for n := 4; n <= 40; n++ {
		x := slices.Sorted(slices.Values(dyadic(random, n)))
		least, want := math.Inf(1), 0
		for k := 2; k <= n-2; k++ {
			within := sumOfSquares(x[:k], mean(x[:k])) + sumOfSquares(x[k:], mean(x[k:]))
			if x[k-1] < x[k] && within < least {
				least, want = within, k
			}
		}
		if got := bestCut(x, 2); got != want {
			t.Errorf("n %d: cut at %d, want %d", n, got, want)
		}
	}
}

func TestMValue(t *testing.T) {
	tests := []struct {
		name string
		x    []float64
		want float64
	}{
		{"two peaks", append(repeated(20, 0), repeated(20, 1)...), 4},
		// Bins 30, 0, 10: steps 30 + 30 + 10 + 10 over 30.
		{"three to one", append(repeated(30, 0), repeated(10, 1)...), 80.0 / 30},
		// Two constants 1 apart, n/2 each: s = √(n/4/(n−1)). Bins are 3.5·0.577/∛4 = 1.27 wide,
		// one holds all; for eight 3.5·0.535/2 = 0.94, with an empty one in between.
		{"one bin", append(repeated(2, 0), repeated(2, 1)...), 2},
		{"three bins", append(repeated(4, 0), repeated(4, 1)...), 4},
		{"constant", repeated(40, 3), 2},
		{"one value", []float64{3}, 2},
	}
	for _, tt := range tests {
		got, err := MValue(tt.x)
		if err != nil {
			t.Fatal(err)
		}
		near(t, tt.name, got, tt.want, 1e-12)
	}
	_, err := MValue(nil)
	needs(t, "no value", err, 1)
}

func TestBins(t *testing.T) {
	// Anchored at 0, then at 1.5; between 1.6 and 4 is more than a bin.
	if got := bins([]float64{0, 0.5, 1, 1.5, 1.6, 4}, 1); !slices.Equal(got, []int{3, 2, 0, 1}) {
		t.Errorf("bins %v, want [3 2 0 1]", got)
	}
}
