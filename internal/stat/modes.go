package stat

import (
	"fmt"
	"math"
	"slices"
)

// What two heaps of ln values have to be before they are two [Modes].
const (
	modesDMin        = 4.0   // Ashman's D; above 2 a mixture has two separate peaks
	modesGapMin      = 2.0   // in standard deviations within the modes
	modesDistanceMin = 0.01  // on the ln scale: 1 %
	modesSDFloor     = 0.001 // 0.1 %, below which a scenario is not known

	// modesRuns is the number of values from which two heaps are taken for two
	// modes. Of eight runs on a steady host one set in five falls into two heaps; of
	// 20 one in a hundred under normal noise, of 30 one in two thousand. Where the
	// noise has a long tail on one side it is one in eight and one in 25.
	modesRuns = 20

	// mValueRuns is the number of values from which a histogram says anything.
	mValueRuns = 40
)

// Mode is one of two heaps. SD has n−1 in it; 0 for constants.
type Mode struct {
	N        int
	Mean, SD float64
}

// Modes is the best division of values into a lower and an upper heap, whether
// or not there are two. Without any division, all being equal, N of both is 0.
type Modes struct {
	Lower, Upper Mode

	// LowerMax and UpperMin are the values on both sides of the gap.
	LowerMax, UpperMin float64

	WithinSD float64 // pooled standard deviation within the heaps

	// D is Ashman's |m1 − m2|/√((s1² + s2²)/2); Gap is UpperMin − LowerMax in
	// units of the pooled standard deviation. In both a standard deviation counts
	// as 0.1 % at least.
	D, Gap float64

	// MValue is a second opinion, for the reader: above 3.2 the histogram has two
	// peaks as well. It needs 40 values and is 0 with fewer. It decides nothing,
	// because two heaps reach 2 + 2·n1/n2 at most: a mode that every fourth run is
	// in would be found in 30 runs and lost in 40. See [MValue].
	MValue float64
}

// Bimodal reports whether the heaps are far apart by every criterion: D > 4,
// Gap > 2 and means more than 1 % apart, of at least 20 values.
func (m Modes) Bimodal() bool {
	return m.Lower.N+m.Upper.N >= modesRuns && m.D > modesDMin && m.Gap > modesGapMin && m.Upper.Mean-m.Lower.Mean > modesDistanceMin
}

// InUpper tells the heap of a value that was among those divided. Without a
// division all are in the lower one.
func (m Modes) InUpper(x float64) bool { return m.Upper.N > 0 && x > m.LowerMax }

// FindModes divides the ln values of all runs of a scenario, both variants
// together, where the sum of squares within the two heaps is least. A heap has at
// least two values and a tenth of all. It needs four values.
func FindModes(lnValues []float64) (Modes, error) {
	if err := checkSample(lnValues, "values", 4); err != nil {
		return Modes{}, fmt.Errorf("modes: %w", err)
	}
	x := slices.Sorted(slices.Values(lnValues))
	cut := bestCut(x, max(2, (len(x)+9)/10))
	if cut == 0 {
		return Modes{}, nil
	}
	lower, upper := x[:cut], x[cut:]
	m := Modes{Lower: modeOf(lower), Upper: modeOf(upper), LowerMax: lower[cut-1], UpperMin: upper[0]}
	m.WithinSD = pooledSD(m.Lower, m.Upper)

	l, u := m.Lower, m.Upper
	l.SD, u.SD = max(l.SD, modesSDFloor), max(u.SD, modesSDFloor)
	m.D = (u.Mean - l.Mean) / math.Sqrt((l.SD*l.SD+u.SD*u.SD)/2)
	m.Gap = (m.UpperMin - m.LowerMax) / pooledSD(l, u)
	if len(x) >= mValueRuns {
		m.MValue = mValue(x)
	}
	return m, nil
}

// bestCut returns the length of the lower heap; 0 when no cut leaves least
// values on both sides and equal values together.
func bestCut(sorted []float64, least int) int {
	s := newSegments(sorted)
	best, cut := 0.0, 0
	for k := least; k <= len(sorted)-least; k++ {
		if sorted[k-1] == sorted[k] {
			continue
		}
		if b := s.between(0, 0, k, len(sorted)); b > best {
			best, cut = b, k
		}
	}
	return cut
}

func modeOf(x []float64) Mode { return Mode{N: len(x), Mean: mean(x), SD: sd(x)} }

func pooledSD(a, b Mode) float64 {
	squares := float64(a.N-1)*a.SD*a.SD + float64(b.N-1)*b.SD*b.SD
	return math.Sqrt(squares / float64(a.N+b.N-2))
}
