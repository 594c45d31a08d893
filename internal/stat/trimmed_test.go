package stat

import (
	"math"
	"testing"
)

func TestTrimmedMean(t *testing.T) {
	// A fifth of five at either end: 2, 3 and 4 remain. With 1 and 100 moved to 2 and
	// 4 the mean is 3, so that the influences are −1, −1, 0, 1, 1 over 3/5.
	c, err := TrimmedMean([]float64{100, 3, 1, 2, 4}, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "centre", c.Value, 3, 1e-12)
	third := 1 / 0.6
	for i, want := range []float64{third, 0, -third, -third, third} {
		near(t, "influence", c.Influence[i], want, 1e-12)
	}
	// Nothing trimmed: the mean, and what each value differs from it.
	c, _ = TrimmedMean([]float64{1, 2, 6}, 0)
	near(t, "mean", c.Value, 3, 1e-12)
	near(t, "influence on the mean", c.Influence[2], 3, 1e-12)
	// A fifth of four is none.
	c, _ = TrimmedMean([]float64{1, 2, 3, 10}, 0.2)
	near(t, "of four", c.Value, 4, 1e-12)
	needs(t, "no value", errorOf(TrimmedMean(nil, 0.2)), 1)
	for _, trim := range []float64{-0.1, 0.5, math.NaN()} {
		if c, err := TrimmedMean([]float64{1}, trim); err == nil {
			t.Errorf("trim %v: %v, want an error", trim, c)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

// Under normal noise the variance of the centre is that of the mean over 0.91, and
// the influences say so.
func TestTrimmedMeanNoise(t *testing.T) {
	random := newRandom(20)
	const samples, n = 1000, 100
	square, said := 0.0, 0.0
	for range samples {
		c, err := TrimmedMean(sample(n, random.NormFloat64), 0.2)
		if err != nil {
			t.Fatal(err)
		}
		square += c.Value * c.Value
		said += variance(c.Influence) / n
	}
	// A variance of 1000 samples is known to √(2/1000) = 4.5 %: 0.14 is three of them.
	near(t, "n·variance", square/samples*n, 1/0.91, 0.15)
	near(t, "what the influences say", said/samples*n, 1/0.91, 0.05)
}
