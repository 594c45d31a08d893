package stat

import (
	"fmt"
	"math"
)

// Blocking is how values in the order of time are put into blocks, whose means tell
// the noise of the mean of all, although neighbours resemble each other.
//
// Blocks are as long as the data ask for: their length is doubled while neighbouring
// blocks still resemble each other, or while there are more than are of use. What
// resemblance is left widens the result.
type Blocking struct {
	Length int // of the shortest blocks, in values; at least 1

	// Fewest is how many blocks have to be left for a doubling because of
	// correlation; at least 4. Most is how many there may be: from twice as many on
	// a length is doubled in any case, for a few dozen tell the noise as well as a
	// thousand (Schmeiser 1982), and longer ones resemble each other less.
	Fewest, Most int

	// Correlated is the correlation of neighbours above which a length is doubled.
	Correlated float64

	// Doubt is by how many of its standard errors the correlation of neighbours is
	// taken to be larger than it looks. Few blocks cannot show that they are
	// independent.
	Doubt float64
}

// Blocks is what blocks say about the noise of a mean.
type Blocks struct {
	Length int // of a block, in values
	Count  int // whole blocks; a last one that is not full tells nothing
	Values int // that were put into blocks

	// Lag1 is the correlation of neighbouring blocks, corrected for its bias.
	Lag1 float64

	// Inflation is by what the variance of the mean of all is larger than blocks that
	// are independent would make it, at least 1. Doubt is in it.
	Inflation float64

	// SE is the standard error of the mean of all values, and Independent how many
	// independent blocks would know it as well: Count/√Inflation.
	SE          float64
	Independent float64

	variance float64 // of a block
	how      Blocking
}

// lag1Max bounds what a correlation of neighbours is taken for: beyond it there is
// nothing that blocks could tell.
const lag1Max = 0.9

func (b Blocking) check() error {
	switch {
	case b.Length < 1:
		return fmt.Errorf("length %d, want at least 1", b.Length)
	case b.Fewest < 4:
		return fmt.Errorf("fewest %d, want at least 4", b.Fewest)
	case b.Most < b.Fewest:
		return fmt.Errorf("most %d is below fewest %d", b.Most, b.Fewest)
	case !(b.Correlated > 0 && b.Correlated < 1):
		return fmt.Errorf("correlated %v is not between 0 and 1", b.Correlated)
	case !(b.Doubt >= 0 && b.Doubt <= 10):
		return fmt.Errorf("doubt %v is not between 0 and 10", b.Doubt)
	}
	return nil
}

// Of puts values into blocks, from the first one on. It needs four blocks of the
// shortest length. Blocks that are all equal have no noise.
func (b Blocking) Of(x []float64) (Blocks, error) {
	if err := b.check(); err != nil {
		return Blocks{}, fmt.Errorf("blocks: %w", err)
	}
	if err := checkSample(x, "values", 4*b.Length); err != nil {
		return Blocks{}, fmt.Errorf("blocks: %w", err)
	}
	length, means := b.Length, blockMeans(x, b.Length)
	for len(means)/2 >= b.Fewest && (len(means) >= 2*b.Most || lag1Corrected(means) > b.Correlated) {
		length *= 2
		means = blockMeans(x, length)
	}
	r := Blocks{Length: length, Count: len(means), Values: len(x), Lag1: lag1Corrected(means), variance: variance(means), how: b}
	r.Inflation = b.inflation(r.Lag1, float64(r.Count))
	r.SE = math.Sqrt(r.variance * float64(length) * r.Inflation / float64(len(x)))
	r.Independent = float64(r.Count) / math.Sqrt(r.Inflation)
	return r, nil
}

// blockMeans averages each whole block.
func blockMeans(x []float64, length int) []float64 {
	means := make([]float64, len(x)/length)
	for i := range means {
		means[i] = mean(x[i*length : (i+1)*length])
	}
	return means
}

// lag1Corrected is [Lag1] of at least four values without its bias: what is expected
// of it is about ρ − (1 + 3ρ)/n (Marriott and Pope 1954).
func lag1Corrected(x []float64) float64 {
	lag, err := Lag1(x)
	if err != nil {
		return 0
	}
	n := float64(len(x))
	return min(max((n*lag+1)/(n-3), -1), 1)
}

// inflation is that of a first-order autoregression, (1 + ρ)/(1 − ρ), with doubt.
func (b Blocking) inflation(lag1, blocks float64) float64 {
	rho := min(max(lag1+b.Doubt/math.Sqrt(blocks), 0), lag1Max)
	return (1 + rho) / (1 - rho)
}

// After returns the blocks that can be expected when there are so many times as many
// values, should these be like those seen so far; times is at least 1.
func (r Blocks) After(times float64) Blocks {
	r.Values = int(float64(r.Values) * times)
	count := r.Values / r.Length
	for count >= 2*r.how.Most {
		// Longer blocks: half as many, of half the variance.
		r.Length, r.variance = 2*r.Length, r.variance/2
		count = r.Values / r.Length
	}
	r.Count = max(count, r.Count)
	r.Inflation = r.how.inflation(r.Lag1, float64(r.Count))
	r.SE = math.Sqrt(r.variance * float64(r.Length) * r.Inflation / float64(r.Values))
	r.Independent = float64(r.Count) / math.Sqrt(r.Inflation)
	return r
}

// Effective returns how many independent values would give a mean of this noise,
// when single ones have so large a variance; at most Values.
func (r Blocks) Effective(variance float64) float64 {
	if r.SE == 0 || !(variance > 0) {
		return float64(r.Values)
	}
	return min(variance/(r.SE*r.SE), float64(r.Values))
}
