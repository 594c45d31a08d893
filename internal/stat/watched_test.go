package stat

import (
	"math"
	"testing"
)

func TestWatchedBound(t *testing.T) {
	for _, test := range []struct{ level, fraction, n, want float64 }{
		{0.05, 1, 1e9, 2.508},
		{0.05, 2, 1e9, 2.508},            // later than planned
		{0.05, 0.5, 1e9, 2.508 * 1.1096}, // 2^0.15
		{0.05, 0.1, 1e9, 2.508 * 1.4125}, // 10^0.15
		{0.001, 1, 1e9, 3.677},
		{0.2, 1, 1e9, 1.961},
		// Half way between 0.05 and 0.1 by the logarithm, √((2.508² + 2.249²)/2).
		{0.0707107, 1, 1e9, 2.38202},
		// P(|Z| > 2.508) = 0.012142; Student's with 9 degrees of freedom has that
		// beyond 3.129 (0.02 is beyond 2.821, 0.01 beyond 3.250).
		{0.05, 1, 10, 3.129},
		{0.05, 1, 1, math.Inf(1)},
		{0.05, 1e-9, 3, math.Inf(1)}, // 56 sigma: e^(56²/2)
	} {
		got, err := WatchedBound(test.level, test.fraction, test.n)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(got, 1) != math.IsInf(test.want, 1) || !math.IsInf(got, 1) && math.Abs(got-test.want) > 5e-3 {
			t.Errorf("%+v: %v", test, got)
		}
	}
	for _, bad := range [][3]float64{{0.0009, 1, 10}, {0.21, 1, 10}, {math.NaN(), 1, 10}, {0.05, 0, 10}, {0.05, math.NaN(), 10}, {0.05, 1, math.NaN()}} {
		if b, err := WatchedBound(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v: %v, want an error", bad, b)
		}
	}
}

// The short formula for Student's distribution is 0.3 % away from the exact one where
// bounds of the end are, and never below it by as much as 0.1 %.
func TestStudentOfNormal(t *testing.T) {
	for _, df := range []float64{8, 15, 60, 1000} {
		for _, z := range []float64{1, 1.96, 2.5, 3.5, 5} {
			exact := studentUpper(normalTail(z), df)
			if share := studentOfNormal(z, df) / exact; share < 0.999 || share > 1.03 || z < 3 && share > 1.003 {
				t.Errorf("df %v, z %v: %v of %v", df, z, share, exact)
			}
		}
	}
}

// Looked at after every one of 500 values from the eighth on, the mean is ever farther from the truth than
// the bound in at most one sample of twenty. With the t interval of one moment, looked
// at as often, it is in nearly half of them.
func TestWatchedError(t *testing.T) {
	simulation(t)
	const samples, n = 2000, 500
	levels := []float64{0.05, 0.01}
	bounds := make([][]float64, len(levels)+1)
	for i := 2; i <= n; i++ {
		for l, level := range levels {
			b, err := WatchedBound(level, float64(i)/n, float64(i))
			if err != nil {
				t.Fatal(err)
			}
			bounds[l] = append(bounds[l], b)
		}
		bounds[len(levels)] = append(bounds[len(levels)], studentUpper(0.025, float64(i-1)))
	}
	random := newRandom(24)
	wrong := make([]int, len(bounds))
	for range samples {
		ever := make([]bool, len(bounds))
		sum, squares := 0.0, 0.0
		for i := 1; i <= n; i++ {
			x := random.NormFloat64()
			sum, squares = sum+x, squares+x*x
			if i < 8 {
				continue
			}
			m := sum / float64(i)
			se := math.Sqrt((squares/float64(i) - m*m) / float64(i-1))
			for k := range bounds {
				ever[k] = ever[k] || math.Abs(m) > bounds[k][i-2]*se
			}
		}
		for k := range ever {
			if ever[k] {
				wrong[k]++
			}
		}
	}
	t.Logf("ever exceeded, of %d: %d at 0.05, %d at 0.01; the interval of one moment %d", samples, wrong[0], wrong[1], wrong[2])
	for l, level := range levels {
		atMost(t, "ever exceeded", wrong[l], samples, level)
		if float64(wrong[l]) < float64(samples)*level/2 {
			t.Errorf("level %v: %d of %d: the bound is wider than it has to be", level, wrong[l], samples)
		}
	}
	if wrong[2] < samples*4/10 {
		t.Errorf("the interval of one moment was wrong in only %d of %d: the test shows nothing", wrong[2], samples)
	}
}
