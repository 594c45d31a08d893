package stat

// segments answers what a stretch of a series contributes to the variance
// between stretches, from running sums. The series is centred first, so that
// rates in the ten thousands do not cancel the digits that matter.
type segments struct {
	centred []float64
	sums    []float64 // sums[i] is that of centred[:i]
}

func newSegments(y []float64) segments {
	s := segments{centred: make([]float64, len(y)), sums: make([]float64, len(y)+1)}
	m := mean(y)
	for i, v := range y {
		s.centred[i] = v - m
		s.sums[i+1] = s.sums[i] + s.centred[i]
	}
	return s
}

// between returns the sum of squares between y[i:j] and the rest of y[lo:hi],
// n1·n2/n·(m1 − m2)². What it takes from the sum of squares of the whole remains
// within the two: the largest is the best division.
func (s segments) between(lo, i, j, hi int) float64 {
	inside, whole := s.sums[j]-s.sums[i], s.sums[hi]-s.sums[lo]
	n1, n2 := float64(j-i), float64(hi-lo-(j-i))
	difference := inside/n1 - (whole-inside)/n2
	return n1 * n2 / (n1 + n2) * difference * difference
}
