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

	// Freedom is the degrees of freedom of PairVariance; those of MeanVariance are
	// R−1. 0: no round has two pairs, so that there is nothing to hold the means
	// against; PairVariance and F are 0 and P is 1.
	Freedom int
}

// RoundEffect reports whether P is below [RoundEffectP]. It is no licence to take
// pairs for independent where it is not: of rounds whose own noise is half of that
// of a pair, three rounds of five pairs show it in 32 sessions of 100.
func (r RoundCheck) RoundEffect() bool { return r.P < RoundEffectP }

// CompareRounds takes the differences round by round. It needs two rounds, and a
// pair in each.
func CompareRounds(rounds [][]float64) (RoundCheck, error) {
	if len(rounds) < 2 {
		return RoundCheck{}, fmt.Errorf("compare rounds: %w", &TooFewError{Of: "rounds", Have: len(rounds), Need: 2})
	}
	r := RoundCheck{Rounds: len(rounds)}
	means := make([]float64, len(rounds))
	var variances []float64
	reciprocals := 0.0
	for i, d := range rounds {
		if err := checkSample(d, "pairs", 1); err != nil {
			return RoundCheck{}, fmt.Errorf("compare rounds: round %d: %w", i+1, err)
		}
		means[i] = mean(d)
		reciprocals += 1 / float64(len(d))
		if len(d) > 1 {
			variances = append(variances, variance(d))
			r.Freedom += len(d) - 1
		}
	}
	r.PairsPerRound = float64(len(rounds)) / reciprocals
	r.Mean = mean(means)
	r.MeanVariance = variance(means)
	if r.Freedom > 0 {
		r.PairVariance = mean(variances)
	}
	r.RoundVariance = r.MeanVariance - r.PairVariance/r.PairsPerRound
	switch {
	case r.Freedom == 0:
		r.P = 1
		return r, nil
	case r.PairVariance > 0:
		r.F = r.PairsPerRound * r.MeanVariance / r.PairVariance
	case r.MeanVariance > 0:
		r.F = math.Inf(1)
	}
	r.P = fisherTail(r.F, float64(r.Rounds-1), float64(r.Freedom))
	return r, nil
}

// Interval treats each round as one value: Mean ± t·√(S2²/R) with R−1 degrees of
// freedom. It is wide, because rounds are few, and right whatever a round adds of
// its own and however pairs in a round depend on each other, as long as the means
// are normal. level is per side. [Interval.Outer] of it and of
// [SignedRankInterval] errs as seldom as the better of the two.
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

// Test holds the mean of the rounds against tau: the test that [RoundCheck.Interval]
// inverts. It needs two rounds.
func (r RoundCheck) Test(tau float64) (Shift, error) {
	if r.Rounds < 2 {
		return Shift{}, fmt.Errorf("test of rounds: %w", &TooFewError{Of: "rounds", Have: r.Rounds, Need: 2})
	}
	if err := checkFinite(tau); err != nil {
		return Shift{}, fmt.Errorf("test of rounds: centre %w", err)
	}
	s := Shift{Pairs: r.Rounds}
	distance := r.Mean - tau
	tail := studentTwoTails(math.Abs(distance)/math.Sqrt(r.MeanVariance/float64(r.Rounds)), float64(r.Rounds-1)) / 2
	if r.MeanVariance == 0 { // all rounds agree to the last bit, and any distance is beyond doubt
		tail = constantsP(distance) / 2
	}
	s.PAbove, s.PBelow = tail, 1-tail
	if distance < 0 {
		s.PAbove, s.PBelow = 1-tail, tail
	}
	return s, nil
}

// BestSplit returns how many pairs a round should have for the tightest bounds in a
// given time, where a round costs so much and each of its pairs so much, in the same
// unit: ⌈√(round/pair · S1²/T2²)⌉ (Kalibera and Jones, ISMM 2013). Where rounds
// differ by nothing of their own, more pairs in fewer rounds are as good, and ok is
// false.
func (r RoundCheck) BestSplit(round, pair float64) (pairs int, ok bool) {
	if r.Freedom == 0 || !(round >= 0 && pair > 0 && r.RoundVariance > 0) {
		return 0, false
	}
	k := math.Ceil(math.Sqrt(round / pair * r.PairVariance / r.RoundVariance))
	if !(k <= roundsMax) {
		return 0, false
	}
	return max(1, int(k)), true
}
