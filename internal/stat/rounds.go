package stat

import (
	"fmt"
	"math"
)

// RoundEffectP is the p of [RoundCheck] below which the rounds are taken to differ
// by more than their pairs explain.
const RoundEffectP = 0.10

// RoundCheck splits the variance of differences into two levels, pairs in a round
// and rounds in a session (Kalibera and Jones, ISMM 2013).
type RoundCheck struct {
	Rounds int

	// PairsPerRound is K. Where pairs are missing it is the harmonic mean, with
	// which RoundVariance stays unbiased.
	PairsPerRound float64

	Mean          float64 // of the round means
	PairVariance  float64 // S1²: mean over rounds of the variance in a round
	MeanVariance  float64 // S2²: variance of the round means
	RoundVariance float64 // T2² = S2² − S1²/K, the rounds' own; may be below 0

	// F = K·S2²/S1², and the probability of a larger one if rounds add no variance
	// of their own, with R−1 and R(K−1) degrees of freedom. Exact for normal noise
	// and equal rounds. F is +Inf, and P 0, where pairs in a round agree to the
	// last bit and rounds do not; 0 and 1 where all do.
	F, P float64
}

// RoundEffect reports whether P is below [RoundEffectP].
func (r RoundCheck) RoundEffect() bool { return r.P < RoundEffectP }

// CompareRounds takes the differences round by round. It needs two rounds of
// two pairs each.
func CompareRounds(rounds [][]float64) (RoundCheck, error) {
	if len(rounds) < 2 {
		return RoundCheck{}, fmt.Errorf("compare rounds: %w", &TooFewError{Of: "rounds", Have: len(rounds), Need: 2})
	}
	r := RoundCheck{Rounds: len(rounds)}
	means := make([]float64, len(rounds))
	pairs, reciprocals := 0, 0.0
	for i, d := range rounds {
		if err := checkSample(d, "pairs", 2); err != nil {
			return RoundCheck{}, fmt.Errorf("compare rounds: round %d: %w", i+1, err)
		}
		means[i] = mean(d)
		pairs += len(d)
		reciprocals += 1 / float64(len(d))
		r.PairVariance += variance(d) / float64(len(rounds))
	}
	r.PairsPerRound = float64(len(rounds)) / reciprocals
	r.Mean = mean(means)
	r.MeanVariance = variance(means)
	r.RoundVariance = r.MeanVariance - r.PairVariance/r.PairsPerRound
	switch {
	case r.PairVariance > 0:
		r.F = r.PairsPerRound * r.MeanVariance / r.PairVariance
	case r.MeanVariance > 0:
		r.F = math.Inf(1)
	}
	r.P = fisherTail(r.F, float64(r.Rounds-1), float64(pairs-r.Rounds))
	return r, nil
}

// Interval treats each round as one value: Mean ± t·√(S2²/R) with R−1 degrees of
// freedom. It is wide, because rounds are few, and right when pairs in a round
// depend on each other, which is when it should replace [SignedRankInterval] if
// it is the wider. level is per side.
func (r RoundCheck) Interval(level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, fmt.Errorf("interval of rounds: %w", err)
	}
	if r.Rounds < 2 {
		return Interval{}, fmt.Errorf("interval of rounds: %w", &TooFewError{Of: "rounds", Have: r.Rounds, Need: 2})
	}
	half := 0.0
	if r.MeanVariance > 0 { // at a tiny level t is infinite, and 0·Inf no number
		half = studentUpper(level, float64(r.Rounds-1)) * math.Sqrt(r.MeanVariance/float64(r.Rounds))
	}
	return Interval{Lo: r.Mean - half, Hi: r.Mean + half, Level: level}, nil
}
