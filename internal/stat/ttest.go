package stat

import (
	"fmt"
	"math"
)

// welchP returns the two-sided p of Welch's t test for equal means, of samples
// of at least two values each. Two constants have p 1 if they are equal and 0 if
// not.
func welchP(a, b []float64) float64 {
	va, vb := variance(a)/float64(len(a)), variance(b)/float64(len(b))
	difference := mean(a) - mean(b)
	if va+vb == 0 {
		return constantsP(difference)
	}
	// Welch-Satterthwaite, with the shares of the variance so that nothing
	// underflows when it is squared.
	sa, sb := va/(va+vb), vb/(va+vb)
	df := 1 / (sa*sa/float64(len(a)-1) + sb*sb/float64(len(b)-1))
	return studentTwoTails(difference/math.Sqrt(va+vb), df)
}

// pooledP returns the two-sided p of Student's t test with pooled variance, of
// samples of together at least three values.
func pooledP(a, b []float64) float64 {
	df := float64(len(a) + len(b) - 2)
	ma, mb := mean(a), mean(b)
	v := (sumOfSquares(a, ma) + sumOfSquares(b, mb)) / df * (1/float64(len(a)) + 1/float64(len(b)))
	if v == 0 {
		return constantsP(ma - mb)
	}
	return studentTwoTails((ma-mb)/math.Sqrt(v), df)
}

func constantsP(difference float64) float64 {
	if difference == 0 {
		return 1
	}
	return 0
}

// Measured is an estimate with its noise: the standard error and with how many degrees
// of freedom it is known.
type Measured struct{ Value, SE, DF float64 }

// WelchInterval bounds b − a, two estimates that were made independently of each other
// and need not be equally noisy (Welch 1947): with level per side and the degrees of
// freedom of Satterthwaite. Degrees of freedom below 1 are refused.
func WelchInterval(a, b Measured, level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, fmt.Errorf("interval of Welch: %w", err)
	}
	for _, m := range []Measured{a, b} {
		for _, v := range []float64{m.Value, m.SE, m.DF} {
			if err := checkFinite(v); err != nil {
				return Interval{}, fmt.Errorf("interval of Welch: %w", err)
			}
		}
		if m.SE < 0 || m.DF < 1 {
			return Interval{}, fmt.Errorf("interval of Welch: standard error %v of %v degrees of freedom", m.SE, m.DF)
		}
	}
	difference := b.Value - a.Value
	se := math.Hypot(a.SE, b.SE)
	if se == 0 {
		return Interval{Lo: difference, Hi: difference, Level: level}, nil
	}
	sa, sb := a.SE/se, b.SE/se
	df := 1 / (sa*sa*sa*sa/a.DF + sb*sb*sb*sb/b.DF)
	half := studentUpper(level, df) * se
	return Interval{Lo: difference - half, Hi: difference + half, Level: level}, nil
}
