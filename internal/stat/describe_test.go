package stat

import (
	"math"
	"testing"
)

func TestMedian(t *testing.T) {
	tests := []struct {
		x           []float64
		median, mad float64
	}{
		{[]float64{3}, 3, 0},
		{[]float64{4, 1}, 2.5, 1.5},
		// Distances from 4: 1, 0, 1, 2, 96.
		{[]float64{5, 4, 3, 2, 100}, 4, 1},
		// Distances from 2.5: 1.5, 0.5, 0.5, 1.5.
		{[]float64{4, 3, 2, 1}, 2.5, 1},
	}
	for _, tt := range tests {
		if got, err := Median(tt.x); err != nil || got != tt.median {
			t.Errorf("Median(%v) = %v, %v, want %v", tt.x, got, err, tt.median)
		}
		if got, err := MAD(tt.x); err != nil || got != tt.mad {
			t.Errorf("MAD(%v) = %v, %v, want %v", tt.x, got, err, tt.mad)
		}
	}
}

func TestCV(t *testing.T) {
	// Mean 100, squared distances 4 + 0 + 4 over n−1 = 2: sd 2. With n it would be
	// 1.633.
	if got, err := CV([]float64{98, 100, 102}); err != nil || got != 0.02 {
		t.Errorf("CV = %v, %v, want 0.02", got, err)
	}
	_, err := CV([]float64{1})
	needs(t, "CV of one value", err, 2)
	for _, x := range [][]float64{{-1, 1}, {-3, -2}} {
		if got, err := CV(x); err == nil {
			t.Errorf("CV(%v) = %v, want an error: the mean is not above 0", x, got)
		}
	}
}

// The mean of equal values is that value, however it rounds: the plain sum of
// 0.1, 0.1 and 0.1 is 0.30000000000000004, a third of which is not 0.1.
func TestConstantHasNoVariance(t *testing.T) {
	for n := 2; n < 40; n++ {
		for _, v := range []float64{0.1, 1e-7 / 3, -math.Pi, 112542.1} {
			x := repeated(n, v)
			if m, s := mean(x), variance(x); m != v || s != 0 {
				t.Errorf("%d times %v: mean %v, variance %v", n, v, m, s)
			}
		}
	}
}

// Rates in the hundred thousands that differ in the seventh digit: the formula
// E(x²) − E(x)² has no digit left here.
func TestVarianceOfLargeValues(t *testing.T) {
	x := []float64{1e9 + 0.25, 1e9 + 0.5, 1e9 + 0.75} // distances 0.25, 0, 0.25
	if got := variance(x); got != 0.0625 {
		t.Errorf("variance = %v, want 0.0625", got)
	}
}

// The published gate of 2026-10-15 has a row (cache-hit, new) of five runs with
// minimum 82 510, median 83 373, maximum 84 506 and CV 1.2 %. The two unknown runs
// widest apart give 1.198 % with n−1 and 1.071 % with n, which prints as 1.1:
// so the reports use n−1.
func TestCVHasNMinus1(t *testing.T) {
	widest, err := CV([]float64{82510, 82510, 83373, 84506, 84506})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "widest", widest, 0.01198, 5e-6)
	near(t, "widest with n", widest*math.Sqrt(4.0/5), 0.01071, 5e-6)
	narrowest, err := CV([]float64{82510, 83373, 83373, 83373, 84506})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "narrowest", narrowest, 0.00850, 6e-6)
}
