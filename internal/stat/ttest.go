package stat

import "math"

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
