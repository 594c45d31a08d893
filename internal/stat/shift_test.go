package stat

import (
	"errors"
	"math"
	"testing"
)

func TestShiftTest(t *testing.T) {
	tests := []struct {
		d            []float64
		tau          float64
		above, below float64
	}{
		// All above: the rarest of 32 patterns, and the most common tail.
		{[]float64{1, 2, 3, 4, 5}, 0, 1.0 / 32, 1},
		{[]float64{1, 2, 3, 4, 5}, 6, 1, 1.0 / 32},
		// One below, of rank 1 (|−0.5|): T = 1, reached by {} and {1}.
		{[]float64{-0.5, 2, 3, 4, 5}, 0, 2.0 / 32, 31.0 / 32},
		// Two pairs that tie across tau: averages −1, 0, 1, so T <= 2 both ways, which
		// is {}, {1}, {2} of 4.
		{[]float64{-1, 1}, 0, 0.75, 0.75},
		// All on tau.
		{[]float64{2, 2, 2}, 2, 1, 1},
		{[]float64{3}, 0, 0.5, 1},
	}
	for _, tt := range tests {
		got, err := ShiftTest(tt.d, tt.tau)
		if err != nil || got != (Shift{len(tt.d), tt.above, tt.below}) {
			t.Errorf("ShiftTest(%v, %v) = %+v, %v, want %v and %v", tt.d, tt.tau, got, err, tt.above, tt.below)
		}
		if got.PTwoSided() != min(1, 2*min(tt.above, tt.below)) {
			t.Errorf("ShiftTest(%v, %v): two-sided %v", tt.d, tt.tau, got.PTwoSided())
		}
	}
	if _, err := ShiftTest([]float64{1}, math.NaN()); !errors.Is(err, ErrNotFinite) {
		t.Errorf("tau NaN: %v", err)
	}
	_, err := ShiftTest(nil, 0)
	needs(t, "no pairs", err, 1)
}

// The p is within the level exactly when the bound is beyond tau, for tau on
// and between the Walsh averages, exact and approximate.
func TestShiftAgreesWithInterval(t *testing.T) {
	random := newRandom(4)
	crossed := 0
	for n := 7; n <= 64; n++ {
		d := dyadic(random, n)
		for _, level := range []float64{0.2, 0.05, 0.01} {
			iv, err := SignedRankInterval(d, level)
			if err != nil {
				t.Fatal(err)
			}
			taus := []float64{iv.Lo, iv.Hi, math.Nextafter(iv.Lo, -1), math.Nextafter(iv.Hi, 1)}
			for _, tau := range append(taus, dyadic(random, 10)...) {
				s, err := ShiftTest(d, tau)
				if err != nil {
					t.Fatal(err)
				}
				if (s.PAbove <= level) != (iv.Lo > tau) || (s.PBelow <= level) != (iv.Hi < tau) {
					t.Errorf("n %d, level %v, tau %v: %+v and %+v", n, level, tau, s, iv)
				}
				if iv.Lo > tau || iv.Hi < tau {
					crossed++
				}
			}
		}
	}
	if crossed < 100 {
		t.Errorf("only %d of the bounds were crossed", crossed)
	}
}

// Swapping the variants swaps the directions.
func TestShiftSwapped(t *testing.T) {
	random := newRandom(5)
	for n := 1; n <= 30; n++ {
		d, tau := dyadic(random, n), dyadic(random, 1)[0]
		s, err := ShiftTest(d, tau)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := ShiftTest(negated(d), -tau); got.PAbove != s.PBelow || got.PBelow != s.PAbove {
			t.Errorf("n %d: %+v swapped is %+v", n, s, got)
		}
	}
}
