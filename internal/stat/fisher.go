package stat

import (
	"fmt"
	"math"
)

// countMax bounds a cell of a table: a million runs are nobody's session, and
// summing over all tables takes as many steps.
const countMax = 1_000_000

// FisherExact returns the two-sided p of independence in a table of two rows, as
// of mode by variant: the probability of all tables with the same margins that
// are no more likely than this one.
//
//	a b
//	c d
//
// An empty row or column leaves one table only: p is 1.
func FisherExact(a, b, c, d int) (float64, error) {
	for _, cell := range [...]int{a, b, c, d} {
		if cell < 0 || cell > countMax {
			return 0, fmt.Errorf("exact test: count %d is not between 0 and %d", cell, countMax)
		}
	}
	row1, row2, column1 := a+b, c+d, a+c
	whole := lnChoose(row1+row2, column1)
	probability := func(a int) float64 {
		return math.Exp(lnChoose(row1, a) + lnChoose(row2, column1-a) - whole)
	}
	// Tables that are as likely as this one must not be lost to rounding.
	limit := probability(a) * (1 + 1e-7)
	p := 0.0
	for k := max(0, column1-row2); k <= min(row1, column1); k++ {
		if q := probability(k); q <= limit {
			p += q
		}
	}
	return min(1, p), nil
}

// lnChoose returns ln of n over k.
func lnChoose(n, k int) float64 {
	lnFactorial := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	return lnFactorial(n) - lnFactorial(k) - lnFactorial(n-k)
}
