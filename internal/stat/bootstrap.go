package stat

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// What a bootstrap may take: ten million centres are 80 MB, and of 500 pairs the
// Walsh averages, of which each resample walks through half, are 125 thousand.
const (
	resamplesMax      = 10_000_000
	bootstrapPairsMax = 500
)

// Seed starts the random numbers of a bootstrap.
type Seed [2]uint64

// SeedOf derives a seed from what a result belongs to, such as plan id, scenario
// and metric, so that whoever computes it again gets the same interval: the first
// 16 bytes of the SHA-256 of the parts, each with its length before it.
func SeedOf(parts ...string) Seed {
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	sum := h.Sum(nil)
	return Seed{binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])}
}

// Bootstrap holds the centres of resamples, in ascending order.
type Bootstrap struct{ centres []float64 }

// HierarchicalBootstrap draws rounds with replacement, then pairs with
// replacement inside each drawn round, and takes the [HodgesLehmann] centre of what
// was drawn, so many times (Kalibera and Jones, ISMM 2013). 10 000 is usual.
//
// It needs a round, and a pair in each. With R rounds there are only
// [RoundResamples] different draws of rounds: for R = 3 it is a cross-check and
// not a proof. Its bounds at 0.05 miss with 0.03 where rounds add nothing of their
// own, with 0.10 where they add as much as a pair has, and with 0.16 where they add
// three times that; of ten rounds with 0.02, 0.05 and 0.06.
func HierarchicalBootstrap(rounds [][]float64, resamples int, seed Seed) (Bootstrap, error) {
	if err := checkBootstrap(rounds, resamples); err != nil {
		return Bootstrap{}, fmt.Errorf("bootstrap: %w", err)
	}
	random := rand.New(rand.NewPCG(seed[0], seed[1]))
	pairs := newDrawnPairs(rounds)
	b := Bootstrap{centres: make([]float64, resamples)}
	for i := range b.centres {
		pairs.draw(rounds, random)
		b.centres[i] = pairs.centre()
	}
	slices.Sort(b.centres)
	return b, nil
}

func checkBootstrap(rounds [][]float64, resamples int) error {
	if resamples < 1 || resamples > resamplesMax {
		return fmt.Errorf("%d resamples, expected 1 to %d", resamples, resamplesMax)
	}
	if len(rounds) == 0 {
		return &TooFewError{Of: "rounds", Need: 1}
	}
	pairs := 0
	for i, round := range rounds {
		if err := checkSample(round, "pairs", 1); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		pairs += len(round)
	}
	if pairs > bootstrapPairsMax {
		return fmt.Errorf("%d pairs, at most %d", pairs, bootstrapPairsMax)
	}
	return nil
}

// Interval leaves out the share level of the centres on each side (the percentile
// interval). It needs 1/level resamples.
func (b Bootstrap) Interval(level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, fmt.Errorf("bootstrap: %w", err)
	}
	// The guard keeps 0.07 of 100 from being 7.000000000000001 in one build and
	// 6.999999999999999 in another.
	outside := int(level*float64(len(b.centres)) + 1e-9)
	if outside < 1 {
		need := int(math.Ceil(min(1/level, resamplesMax) - 1e-9))
		return Interval{}, fmt.Errorf("bootstrap: %w", &TooFewError{Of: fmt.Sprintf("resamples at level %v", level), Have: len(b.centres), Need: need})
	}
	return Interval{Lo: b.centres[outside], Hi: b.centres[len(b.centres)-1-outside], Level: level}, nil
}

// Test returns the shares of centres on the wrong side of tau, by which [Bootstrap.Interval]
// is inverted: PAbove is within a level exactly when Lo at that level is above tau.
func (b Bootstrap) Test(tau float64) Shift {
	n := len(b.centres)
	below := sort.SearchFloat64s(b.centres, tau)
	atMost := sort.Search(n, func(i int) bool { return b.centres[i] > tau })
	return Shift{Pairs: n, PAbove: float64(atMost) / float64(n), PBelow: float64(n-below) / float64(n)}
}

// drawnPairs are the pairs of a resample, as how often each pair was drawn. The Walsh
// averages of a resample are those of the sample, each as often as its two pairs
// make it: once sorted, they serve all resamples, and a centre is one walk through half
// of them.
type drawnPairs struct {
	times  []int // of each pair, round after round
	first  []int // of each round, in times
	walsh  []walshAverage
	length int // pairs drawn
}

// walshAverage is that of pairs i <= j.
type walshAverage struct {
	value float64
	i, j  int
}

func newDrawnPairs(rounds [][]float64) *drawnPairs {
	d := &drawnPairs{}
	all := slices.Concat(rounds...)
	first := 0
	for _, round := range rounds {
		d.first = append(d.first, first)
		first += len(round)
	}
	d.times = make([]int, len(all))
	for j := range all {
		for i := range j + 1 {
			d.walsh = append(d.walsh, walshAverage{(all[i] + all[j]) / 2, i, j})
		}
	}
	slices.SortFunc(d.walsh, func(a, b walshAverage) int { return cmp.Compare(a.value, b.value) })
	return d
}

// draw draws as many rounds as there are, and as many pairs of each as it has.
func (d *drawnPairs) draw(rounds [][]float64, random *rand.Rand) {
	clear(d.times)
	d.length = 0
	for range rounds {
		round := random.IntN(len(rounds))
		for range rounds[round] {
			d.times[d.first[round]+random.IntN(len(rounds[round]))]++
		}
		d.length += len(rounds[round])
	}
}

// centre is the median of the Walsh averages of what was drawn.
func (d *drawnPairs) centre() float64 {
	size := d.length * (d.length + 1) / 2
	half, seen := (size+1)/2, 0
	for k := range d.walsh {
		w := &d.walsh[k]
		if w.i == w.j {
			seen += d.times[w.i] * (d.times[w.i] + 1) / 2
		} else {
			seen += d.times[w.i] * d.times[w.j]
		}
		if seen < half {
			continue
		}
		if size%2 == 1 || seen > half {
			return w.value + 0 // -0 becomes 0
		}
		return (w.value + d.next(k)) / 2
	}
	panic("bootstrap: fewer Walsh averages than there are") // size counts them all
}

// next is the least average after the k-th that was drawn.
func (d *drawnPairs) next(k int) float64 {
	for _, w := range d.walsh[k+1:] {
		if d.times[w.i] > 0 && d.times[w.j] > 0 {
			return w.value
		}
	}
	return d.walsh[k].value
}

// RoundResamples is the number of different draws of r rounds out of r, order
// aside: (2r−1 choose r). 10 for three rounds. 0 for fewer than one, and for
// more than 30, where nobody asks.
func RoundResamples(r int) int {
	if r < 1 || r > 30 {
		return 0
	}
	draws := 1
	for i := 1; i < r; i++ {
		draws = draws * (r + i) / i // (r+i choose i), a whole number at every step
	}
	return draws
}
