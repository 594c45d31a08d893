package stat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// resamplesMax bounds the memory: ten million estimates are 80 MB.
const resamplesMax = 10_000_000

// Bootstrap says how often and from which seed [HierarchicalBootstrap] draws.
type Bootstrap struct {
	Resamples int     // 10 000 is usual
	Level     float64 // per side
	Seed      Seed
}

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

// HierarchicalBootstrap draws rounds with replacement, then pairs with
// replacement inside each drawn round, and returns the percentile interval of a
// statistic of what was drawn (Kalibera and Jones, ISMM 2013). A pair is whatever
// the statistic wants to have: a difference, or both values. statistic must not
// keep its argument, which is overwritten; its first error ends the bootstrap.
//
// It needs a round, a pair in each, and 1/Level resamples. With R rounds there
// are only [RoundResamples] different draws of rounds: for R = 3 it is a
// cross-check and not a proof.
func HierarchicalBootstrap[P any](rounds [][]P, b Bootstrap, statistic func(rounds [][]P) (float64, error)) (Interval, error) {
	if err := b.check(); err != nil {
		return Interval{}, fmt.Errorf("bootstrap: %w", err)
	}
	if err := checkNotEmpty(rounds); err != nil {
		return Interval{}, fmt.Errorf("bootstrap: %w", err)
	}
	random := rand.New(rand.NewPCG(b.Seed[0], b.Seed[1]))
	drawn := make([][]P, len(rounds))
	estimates := make([]float64, b.Resamples)
	for i := range estimates {
		resample(drawn, rounds, random)
		estimate, err := statistic(drawn)
		if err == nil {
			err = checkFinite(estimate)
		}
		if err != nil {
			return Interval{}, fmt.Errorf("bootstrap: statistic of resample %d: %w", i+1, err)
		}
		estimates[i] = estimate
	}
	slices.Sort(estimates)
	outside := b.outside()
	return Interval{Lo: estimates[outside], Hi: estimates[b.Resamples-1-outside], Level: b.Level}, nil
}

func (b Bootstrap) check() error {
	if err := checkLevel(b.Level); err != nil {
		return err
	}
	if b.Resamples > resamplesMax {
		return fmt.Errorf("%d resamples, at most %d", b.Resamples, resamplesMax)
	}
	if b.outside() < 1 {
		return &TooFewError{Of: fmt.Sprintf("resamples at level %v", b.Level), Have: b.Resamples, Need: int(math.Ceil(min(1/b.Level, resamplesMax) - 1e-9))}
	}
	return nil
}

// outside is the number of estimates left out on each side. The guard keeps
// 0.07 of 100 from being 7.000000000000001 in one build and 6.999999999999999 in
// another.
func (b Bootstrap) outside() int { return int(b.Level*float64(b.Resamples) + 1e-9) }

func checkNotEmpty[P any](rounds [][]P) error {
	if len(rounds) == 0 {
		return &TooFewError{Of: "rounds", Need: 1}
	}
	for i, round := range rounds {
		if len(round) == 0 {
			return fmt.Errorf("round %d: %w", i+1, &TooFewError{Of: "pairs", Need: 1})
		}
	}
	return nil
}

// resample fills drawn from rounds, reusing its memory.
func resample[P any](drawn, rounds [][]P, random *rand.Rand) {
	for i := range drawn {
		round := rounds[random.IntN(len(rounds))]
		drawn[i] = drawn[i][:0]
		for range round {
			drawn[i] = append(drawn[i], round[random.IntN(len(round))])
		}
	}
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
