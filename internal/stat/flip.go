package stat

import (
	"fmt"
	"math"
)

// flipLimit is the 1 % point of the Kolmogorov distribution, which the largest
// excursion of a Brownian bridge has. For a few dozen values it is on the safe
// side.
const flipLimit = 1.63

// Flip is the place inside a measurement at which the rate most likely changed.
type Flip struct {
	D      float64 // largest cumulative departure from the mean, in units of s√n
	Second int     // the first second of the new rate, from 1
}

// Flagged reports whether D is beyond what chance makes of a steady rate in one
// of a hundred measurements.
func (f Flip) Flagged() bool { return f.D > flipLimit }

// FlipTest looks for a change of level in the completions per second of one
// measurement: D = max_k |Σ_{i≤k}(y_i − ȳ)|/(s√n), s with n−1 (the CUSUM test
// of Ploberger and Krämer 1992, for a mean). A constant rate has D 0 and no
// second. It needs four seconds.
func FlipTest(perSecond []float64) (Flip, error) {
	if err := checkSample(perSecond, "seconds", 4); err != nil {
		return Flip{}, fmt.Errorf("flip: %w", err)
	}
	m, s := mean(perSecond), sd(perSecond)
	if s == 0 {
		return Flip{}, nil
	}
	var f Flip
	sum := 0.0
	for i, y := range perSecond[:len(perSecond)-1] {
		sum += y - m
		if d := math.Abs(sum) / (s * math.Sqrt(float64(len(perSecond)))); d > f.D {
			f = Flip{D: d, Second: i + 2}
		}
	}
	return f, nil
}
