package stat

import (
	"fmt"
	"slices"
)

// Centre is a centre of values together with what each of them does to it.
type Centre struct {
	Value float64

	// Influence holds, for each value in the order in which it came, by how much it
	// pulls the centre, times their number; the mean is 0. The noise of the centre is
	// that of the mean of these, so that what is known of means holds for it, also
	// where the values depend on each other.
	Influence []float64
}

// TrimmedMean returns the mean of the values that remain when the fraction trim at
// either end is left out. Its influences are the values, with those left out moved
// to the outermost that remain, less their mean, divided by 1 − 2·trim (Tukey and
// McLaughlin 1963). Values left out still count as low or high ones: nothing is
// rejected. trim is in [0, 0.5); at 0.2 the centre has 91 % of the efficiency of the
// mean under normal noise, and holds as long as less than a fifth of the values on
// one side are bad. It needs one value.
//
// The Hodges-Lehmann centre is a little more efficient; but its influences hold the
// density of the noise, which would have to be estimated first.
func TrimmedMean(x []float64, trim float64) (Centre, error) {
	if err := checkSample(x, "values", 1); err != nil {
		return Centre{}, fmt.Errorf("trimmed mean: %w", err)
	}
	if !(trim >= 0 && trim < 0.5) {
		return Centre{}, fmt.Errorf("trimmed mean: trim %v is not between 0 and 0.5", trim)
	}
	n := len(x)
	out := int(trim * float64(n))
	sorted := slices.Sorted(slices.Values(x))
	lowest, highest := sorted[out], sorted[n-1-out]
	c := Centre{Value: mean(sorted[out : n-out]), Influence: make([]float64, n)}
	for i, v := range x {
		c.Influence[i] = min(max(v, lowest), highest)
	}
	remain := float64(n-2*out) / float64(n)
	middle := mean(c.Influence)
	for i, v := range c.Influence {
		c.Influence[i] = (v - middle) / remain
	}
	return c, nil
}
