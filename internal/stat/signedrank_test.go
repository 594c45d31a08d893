package stat

import (
	"errors"
	"math"
	"testing"
)

func TestCriticalRank(t *testing.T) {
	tests := []struct {
		level float64
		c     map[int]int // by number of pairs
	}{
		{0.05, map[int]int{5: 0, 6: 2, 8: 5, 9: 8, 10: 10, 12: 17, 15: 30, 20: 60, 25: 100, 30: 151, 50: 466}},
		{0.025, map[int]int{6: 0, 8: 3, 10: 8, 15: 25, 20: 52, 30: 137, 50: 434}},
		{0.01, map[int]int{8: 1, 10: 5, 15: 19, 20: 43, 30: 120, 50: 397}},
		{0.005, map[int]int{8: 0, 10: 3, 15: 15, 20: 37, 30: 109, 50: 373}},
	}
	for _, tt := range tests {
		for n, want := range tt.c {
			c, achieved, err := CriticalRank(n, tt.level)
			if err != nil || c != want || achieved > tt.level || achieved <= 0 {
				t.Errorf("CriticalRank(%d, %v) = %d at %v, %v, want %d", n, tt.level, c, achieved, err, want)
			}
		}
	}
	// T <= 2 in the patterns {}, {1}, {2} of 64.
	if _, achieved, _ := CriticalRank(6, 0.05); achieved != 3.0/64 {
		t.Errorf("achieved %v, want 3/64", achieved)
	}
	// A level that is exactly 1/2^n is within reach of n pairs.
	if c, _, err := CriticalRank(5, 1.0/32); err != nil || c != 0 {
		t.Errorf("at 1/32: %d, %v, want 0", c, err)
	}
	// 15 pairs can stop a gate at a first look: 1/2^15 = 3.05e-5.
	if c, achieved, err := CriticalRank(15, 3.1e-5); err != nil || c != 0 || achieved != 1.0/(1<<15) {
		t.Errorf("at 3.1e-5: %d at %v, %v", c, achieved, err)
	}
}

func TestMinPairs(t *testing.T) {
	// 1/2^4 = 0.0625 is more than 0.05, 1/2^5 = 0.03125 is not.
	for level, want := range map[float64]int{0.05: 5, 0.025: 6, 0.01: 7, 0.25: 2, 0.49: 2, 1.0 / 32: 5} {
		if got, err := MinPairs(level); err != nil || got != want {
			t.Errorf("MinPairs(%v) = %d, %v, want %d", level, got, err, want)
		}
	}
	_, _, err := CriticalRank(4, 0.05)
	needs(t, "four pairs at 0.05", err, 5)
	if want := "signed-rank bound at level 0.05: needs >= 5 pairs, has 4"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	for _, level := range []float64{0, 0.5, 1, -0.1, math.NaN(), math.Inf(1)} {
		if n, err := MinPairs(level); err == nil {
			t.Errorf("MinPairs(%v) = %d, want an error", level, n)
		}
		if c, _, err := CriticalRank(10, level); err == nil {
			t.Errorf("CriticalRank(10, %v) = %d, want an error", level, c)
		}
	}
}

// The counts of all T are those of listing every sign pattern.
func TestSignedRankPatterns(t *testing.T) {
	for n := 1; n <= 12; n++ {
		atMost := make([]uint64, n*(n+1)/2+1)
		for pattern := range 1 << n {
			sum := 0
			for i := range n {
				if pattern>>i&1 == 1 {
					sum += i + 1
				}
			}
			for w := sum; w < len(atMost); w++ {
				atMost[w]++
			}
		}
		for w, got := range signedRankPatterns(n) {
			if got != atMost[w] {
				t.Errorf("n %d: %d patterns with T <= %d, want %d", n, got, w, atMost[w])
			}
		}
	}
	// The largest n whose count fits: all 2^60 patterns, none lost.
	all := signedRankPatterns(exactPairsMax)
	if got := all[len(all)-1]; got != 1<<60 {
		t.Errorf("%d patterns of 60 pairs, want 2^60", got)
	}
}

// Above 60 pairs the exact probability, in floating point, of what is taken for a
// level exceeds it by 3e-5 at most.
func TestNormalTailIsSafe(t *testing.T) {
	for _, n := range []int{61, 80, 120, 200, 300} {
		exact := []float64{1} // P(T = w) of the pairs so far
		for i := 1; i <= n; i++ {
			next := make([]float64, i*(i+1)/2+1)
			for w, p := range exact {
				next[w] += p / 2
				next[w+i] += p / 2
			}
			exact = next
		}
		for w := 1; w < len(exact); w++ {
			exact[w] += exact[w-1]
		}
		for _, level := range []float64{0.1, 0.05, 0.025, 0.01, 0.001, 1e-5} {
			c, _, err := CriticalRank(n, level)
			if err != nil || exact[c] > level+3e-5 || exact[c] < level/4 {
				t.Errorf("%d pairs at %v: T <= %d, %v, has %v", n, level, c, err, exact[c])
			}
		}
	}
}

// Where the exact distribution ends, the approximation must carry on: at 60
// pairs its critical values are those of the exact one or more careful, by ten
// of 1830 at most.
func TestNormalTailContinuesExactOne(t *testing.T) {
	exact, normal := signedRankTail(exactPairsMax), signedRankNormalTail(exactPairsMax)
	critical := func(tail func(int) float64, level float64) int {
		c := 0
		for tail(c+1) <= level {
			c++
		}
		return c
	}
	for _, level := range []float64{0.1, 0.05, 0.025, 0.01, 0.005, 0.001} {
		e, n := critical(exact, level), critical(normal, level)
		if n > e || n < e-10 {
			t.Errorf("level %v: critical rank %d, exact %d", level, n, e)
		}
	}
	if got := signedRankTail(61)(0); got != math.Ldexp(1, -61) {
		t.Errorf("P(T = 0) of 61 pairs = %v, want 2^-61", got)
	}
	if c, _, err := CriticalRank(61, 1e-15); err != nil || c != 0 {
		t.Errorf("61 pairs at 1e-15: %d, %v, want 0", c, err)
	}
	// Mean 2525, sd √(100·101·201/24) = 290.84: 2525 − 1.64485·290.84 − 1 = 2045.6.
	if c, _, err := CriticalRank(100, 0.05); err != nil || c != 2045 {
		t.Errorf("100 pairs: %d, %v, want 2045", c, err)
	}
	if _, _, err := CriticalRank(math.MaxInt, 0.05); err == nil || errors.As(err, new(*TooFewError)) {
		t.Errorf("absurdly many pairs: %v", err)
	}
}
