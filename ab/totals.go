package ab

import "math"

// totals measures rps by what was completed in all slices, and how far that is apart
// from the centre. The centre leaves the slowest slices out, which is right where the
// host made them, for it makes them for both. A server that stops now and then, to
// collect garbage, loses requests that its typical slice knows nothing of: where the two
// are surely apart, the totals are the answer.
func (m measuring) totals(u units, centre finding) (f, apart finding) {
	a, b := sum(u.a), sum(u.b)
	if !(a > 0 && b > 0) {
		return finding{value: math.NaN(), half: math.Inf(1)}, apart
	}
	// A unit's influence on ln(Σb/Σa), to first order.
	n := float64(u.n)
	influence := make([]float64, u.n)
	for i := range influence {
		influence[i] = n * (u.b[i]/b - u.a[i]/a)
	}
	f = m.bound(math.Log(b/a), influence)

	difference := make([]float64, u.n)
	for i := range difference {
		difference[i] = influence[i] - centre.influence[i]
	}
	return f, m.bound(f.value-centre.value, difference)
}

// outside tells that the totals do not look like a difference inside the margin. They
// need not be sure of it: what is called the same must not look different.
func outside(totals, apart finding, margin float64) bool {
	return math.Abs(totals.value) > math.Log1p(margin)+apart.blocks.SE
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}
