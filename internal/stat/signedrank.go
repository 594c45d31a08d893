package stat

import (
	"fmt"
	"math"
	"sort"
)

// exactPairsMax is the largest number of pairs for which the null distribution
// of the signed-rank statistic is counted out. Its 2^n sign patterns then still
// fit 64 bits.
const exactPairsMax = 60

// MinPairs returns the least number of pairs that can give a signed-rank bound
// at an error level: the most extreme of 2^n sign patterns has to be that rare.
// 5 at 0.05. Level is between 0 and 0.5.
func MinPairs(level float64) (int, error) {
	if err := checkLevel(level); err != nil {
		return 0, fmt.Errorf("pairs for a bound: %w", err)
	}
	return minPairs(level), nil
}

func minPairs(level float64) int {
	n := 1
	for p := 0.5; p > level; p /= 2 {
		n++
	}
	return n
}

// CriticalRank returns the largest c with P(T <= c) <= level under the null
// hypothesis, T being the Wilcoxon signed-rank statistic of n pairs, and that
// probability: the error the bound really has. Fewer pairs than [MinPairs] are a
// [TooFewError].
func CriticalRank(n int, level float64) (c int, achieved float64, err error) {
	if err := checkLevel(level); err != nil {
		return 0, 0, fmt.Errorf("signed-rank bound: %w", err)
	}
	if n > pairsMax {
		return 0, 0, fmt.Errorf("signed-rank bound: %d pairs, at most %.0e", n, pairsMax)
	}
	if need := minPairs(level); n < need {
		return 0, 0, fmt.Errorf("signed-rank bound at level %v: %w", level, &TooFewError{Of: "pairs", Have: n, Need: need})
	}
	tail := signedRankTail(n)
	c = sort.Search(n*(n+1)/2, func(c int) bool { return tail(c) > level }) - 1
	return c, tail(c), nil
}

// signedRankTail returns P(T <= t) for n pairs as a function of t from 0 to
// n(n+1)/2: exact up to exactPairsMax, the normal approximation above.
func signedRankTail(n int) func(t int) float64 {
	if n > exactPairsMax {
		return signedRankNormalTail(n)
	}
	patterns := signedRankPatterns(n)
	return func(t int) float64 { return math.Ldexp(float64(patterns[t]), -n) }
}

// signedRankPatterns counts, for every t, the sign patterns of n pairs with
// T <= t. The pair of rank i adds i to T or nothing, so that
// f_i(w) = f_{i-1}(w) + f_{i-1}(w-i); from the top down it works in place.
func signedRankPatterns(n int) []uint64 {
	patterns := make([]uint64, n*(n+1)/2+1)
	patterns[0] = 1
	for i := 1; i <= n; i++ {
		for w := i * (i + 1) / 2; w >= i; w-- {
			patterns[w] += patterns[w-i]
		}
	}
	for w := 1; w < len(patterns); w++ {
		patterns[w] += patterns[w-1]
	}
	return patterns
}

// signedRankNormalTail uses mean n(n+1)/4 and variance n(n+1)(2n+1)/24. T has
// lighter tails than the normal, but wider shoulders: with half a rank as
// continuity correction a bound at 0.05 would err 1e-4 too often. With a whole
// rank it errs 3e-5 too often at most, at levels up to 0.1, and otherwise too
// seldom. The end of the tail, one pattern, is known.
func signedRankNormalTail(n int) func(t int) float64 {
	size := float64(n) * float64(n+1) / 2
	mean, sd := size/2, math.Sqrt(size*float64(2*n+1)/12)
	return func(t int) float64 {
		switch {
		case t == 0:
			return math.Ldexp(1, -n)
		case float64(t) >= size:
			return 1
		}
		return normalTail(-(float64(t) + 1 - mean) / sd)
	}
}
