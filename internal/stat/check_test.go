package stat

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// near fails unless got is within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.10g, want %.10g within %.1g", what, got, want, tolerance)
	}
}

// needs fails unless err is a TooFewError that asks for need.
func needs(t *testing.T, what string, err error, need int) {
	t.Helper()
	var few *TooFewError
	if !errors.As(err, &few) || few.Need != need {
		t.Errorf("%s: error %v, want one that needs %d", what, err, need)
	}
}

// sample draws n values.
func sample(n int, draw func() float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = draw()
	}
	return x
}

// repeated is n times v.
func repeated(n int, v float64) []float64 { return sample(n, func() float64 { return v }) }

// shifted is x with c added to every value.
func shifted(x []float64, c float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v + c
	}
	return y
}

// negated is x with every sign changed, as when the variants are swapped.
func negated(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = -v
	}
	return y
}

// dyadic draws n whole multiples of 1/1024 between −1 and 1: sums and halves of
// them are exact, and among many there are ties.
func dyadic(random *rand.Rand, n int) []float64 {
	return sample(n, func() float64 { return float64(random.IntN(2049)-1024) / 1024 })
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5ca1ab1e)) }
