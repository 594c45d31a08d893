package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// plain is a blocking without pessimism.
var plain = Blocking{Length: 1, Fewest: 16, Most: 64, Correlated: 0.3}

// autoregression draws n values of variance 1 with x_i = phi·x_{i−1} + noise.
func autoregression(random *rand.Rand, n int, phi float64) []float64 {
	last := random.NormFloat64()
	return sample(n, func() float64 {
		last = phi*last + math.Sqrt(1-phi*phi)*random.NormFloat64()
		return last
	})
}

func TestBlocks(t *testing.T) {
	// Blocks of two of 1, 3, 2, 4, 0, 4, 5, 3, and 9, which fills none: means 2, 3, 2, 4
	// with mean 2.75, deviations −0.75, 0.25, −0.75, 1.25 and sum of squares 2.75. Lag 1
	// is (−0.1875 − 0.1875 − 0.9375)/2.75 = −0.4773, corrected (4·lag + 1)/1 = −0.9091:
	// no inflation. Variance 2.75/3, standard error √(2.75/3·2/9).
	b, err := Blocking{Length: 2, Fewest: 4, Most: 64, Correlated: 0.3}.Of([]float64{1, 3, 2, 4, 0, 4, 5, 3, 9})
	if err != nil {
		t.Fatal(err)
	}
	if b.Length != 2 || b.Count != 4 || b.Values != 9 || b.Inflation != 1 || b.Independent != 4 {
		t.Errorf("%+v", b)
	}
	near(t, "lag 1", b.Lag1, -0.90909, 1e-5)
	near(t, "standard error", b.SE, math.Sqrt(2.75/3*2/9), 1e-12)
	// Nine values of variance 1.
	near(t, "effective", b.Effective(1), 1/(2.75/3*2/9), 1e-12)

	// A doubt of one standard error: of 4 blocks 1/2, so a correlation of −0.4091, none.
	// Of half a correlation of 0.9 or more no more than 0.9 is left: 1.9/0.1.
	doubtful := Blocking{Length: 1, Fewest: 4, Most: 64, Correlated: 0.3, Doubt: 1}
	near(t, "inflation at most", doubtful.inflation(0.8, 16), 19, 1e-9) // 0.8 + 1/4
	near(t, "inflation", doubtful.inflation(0, 16), 1.25/0.75, 1e-9)    // 1/4
	near(t, "inflation at least", doubtful.inflation(-0.5, 16), 1, 1e-9)
}

func TestBlocksRefuse(t *testing.T) {
	needs(t, "seven values in blocks of two", errorOf(Blocking{Length: 2, Fewest: 4, Most: 8, Correlated: 0.3}.Of(ramp(7))), 8)
	for _, bad := range []Blocking{
		{Length: 0, Fewest: 4, Most: 8, Correlated: 0.3}, {Length: 1, Fewest: 3, Most: 8, Correlated: 0.3},
		{Length: 1, Fewest: 8, Most: 4, Correlated: 0.3}, {Length: 1, Fewest: 4, Most: 8},
		{Length: 1, Fewest: 4, Most: 8, Correlated: 0.3, Doubt: -1}, {Length: 1, Fewest: 4, Most: 8, Correlated: math.NaN()},
	} {
		if b, err := bad.Of(ramp(100)); err == nil {
			t.Errorf("%+v: %+v, want an error", bad, b)
		}
	}
	// What does not vary has no noise.
	b, err := plain.Of(repeated(40, 7))
	if err != nil || b.SE != 0 || b.Lag1 != 1.0/37 { // (40·0 + 1)/37
		t.Errorf("constant: %+v, %v", b, err)
	}
	if got := b.Effective(0); got != 40 {
		t.Errorf("constant: %v effective, want all 40", got)
	}
}

// The length follows the data: independent values stay single until there are too
// many; those that resemble each other for long are put into longer blocks.
func TestBlockLength(t *testing.T) {
	random := newRandom(21)
	length := func(n int, phi float64) int {
		b, err := plain.Of(autoregression(random, n, phi))
		if err != nil {
			t.Fatal(err)
		}
		return b.Length
	}
	if l := length(100, 0); l != 1 {
		t.Errorf("100 independent values: length %d, want 1", l)
	}
	// 128 blocks are halved to 64 by the doubling.
	if l := length(1000, 0); l != 8 { // 1000/8 = 125 < 128
		t.Errorf("1000 independent values: length %d, want 8", l)
	}
	// Neighbouring blocks of φ = 0.95 correlate by more than 0.3 up to 16 values.
	if l := length(1000, 0.95); l < 16 {
		t.Errorf("correlated values: length %d, want at least 16", l)
	}
}

// The standard error is that of the mean: 1/√n for independent values, and
// √((1+φ)/(1−φ)/n) for an autoregression. Where the correlation is near the limit at
// which a length is doubled, a little is missing.
func TestBlockError(t *testing.T) {
	random := newRandom(22)
	const samples, n = 300, 1000
	for _, test := range []struct{ phi, lo, hi float64 }{{0, 0.95, 1.10}, {0.5, 0.92, 1.10}, {0.8, 0.90, 1.12}, {0.95, 0.75, 1.15}} {
		sum := 0.0
		for range samples {
			b, err := plain.Of(autoregression(random, n, test.phi))
			if err != nil {
				t.Fatal(err)
			}
			sum += b.SE
		}
		want := math.Sqrt((1 + test.phi) / (1 - test.phi) / n)
		if share := sum / samples / want; share < test.lo || share > test.hi {
			t.Errorf("φ %v: the standard error is %.3f of what it should be, want %v to %v", test.phi, share, test.lo, test.hi)
		}
	}
}

// Four times as many values of the same kind have half the error.
func TestBlocksAfter(t *testing.T) {
	random := newRandom(23)
	x := sample(100, random.NormFloat64)
	b, err := plain.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	later := b.After(4) // 400 values: blocks of 4, so that fewer than 128 are left
	if later.Values != 400 || later.Length != 4 || later.Count != 100 {
		t.Errorf("%+v", later)
	}
	near(t, "error", later.SE, b.SE/2, 1e-12)
	if same := b.After(1); same != b {
		t.Errorf("after nothing: %+v, want %+v", same, b)
	}
}
