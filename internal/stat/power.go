package stat

import (
	"fmt"
	"math"
)

// signedRankEfficiency is that of the signed-rank test beside the t test under
// normal noise, 3/π: so many more pairs does it need.
const signedRankEfficiency = 0.955

// pairsMax is more than anybody measures; beyond it there is no number of pairs.
const pairsMax = 1e9

// PairSigma estimates the standard deviation of paired differences from their
// median absolute deviation, 1.4826·MAD, which one bad pair cannot inflate; where
// more than half of them are equal and the MAD is 0, it is the ordinary one with
// n−1. It needs two pairs.
func PairSigma(d []float64) (float64, error) {
	if err := checkSample(d, "pairs", 2); err != nil {
		return 0, fmt.Errorf("standard deviation of pairs: %w", err)
	}
	if m := mad(d); m > 0 {
		return madToSigma * m, nil
	}
	return sd(d), nil
}

// Power is what a planned test has to keep to.
type Power struct {
	Level float64 // of a false verdict, one-sided
	Power float64 // probability of seeing what is there; in [0.5, 1)
}

// quantiles returns z_{1−level} + z_{power}.
func (p Power) quantiles() (float64, error) {
	if err := checkLevel(p.Level); err != nil {
		return 0, err
	}
	if !(p.Power >= 0.5 && p.Power < 1) {
		return 0, fmt.Errorf("power %v is not between 0.5 and 1", p.Power)
	}
	return normalUpper(p.Level) + normalUpper(1-p.Power), nil
}

// DetectableLoss returns the smallest loss, as a fraction, that the signed-rank
// test of so many pairs would see: 1 − exp(−(z_{1−level} + z_power)·sigma/√(0.955·pairs)).
// sigma is the standard deviation of the differences, from [PairSigma]; about
// √2 times the CV of a run. The formula is that of large samples: where 0.90 is
// asked for, 15 pairs have a power of 0.86, 25 of 0.88 and 50 of 0.90. Fewer pairs
// than [MinPairs] see nothing and are a [TooFewError].
func DetectableLoss(sigma float64, pairs int, p Power) (float64, error) {
	z, err := p.quantiles()
	if err == nil {
		err = checkSigma(sigma)
	}
	if err != nil {
		return 0, fmt.Errorf("detectable loss: %w", err)
	}
	if need := minPairs(p.Level); pairs < need {
		return 0, fmt.Errorf("detectable loss: %w", &TooFewError{Of: "pairs", Have: pairs, Need: need})
	}
	return -math.Expm1(-z * sigma / math.Sqrt(signedRankEfficiency*float64(pairs))), nil
}

// PairsToDetect returns the number of pairs with which a loss, as a fraction in
// (0, 1), would be seen: ⌈((z_{1−level} + z_power)·sigma/−ln(1−loss))²/0.955⌉, and
// at least [MinPairs].
func PairsToDetect(sigma, loss float64, p Power) (int, error) {
	z, err := p.quantiles()
	if err == nil {
		err = checkSigma(sigma)
	}
	if err == nil && !(loss > 0 && loss < 1) {
		err = fmt.Errorf("loss %v is not between 0 and 1", loss)
	}
	if err != nil {
		return 0, fmt.Errorf("pairs to detect: %w", err)
	}
	root := z * sigma / -math.Log1p(-loss)
	pairs := math.Ceil(root * root / signedRankEfficiency)
	if !(pairs <= pairsMax) {
		return 0, fmt.Errorf("pairs to detect: loss %v under a standard deviation of %v takes more than %.0e pairs", loss, sigma, pairsMax)
	}
	return max(int(pairs), minPairs(p.Level)), nil
}

// DetectableLoss returns the smallest loss that the t test of so many rounds would
// see: 1 − exp(−(t_{1−level} + t_power)·√(v/R)), with R−1 degrees of freedom. v is
// MeanVariance, and at least what the pairs alone explain of it, S1²/K: three
// rounds may lie close together by chance. At level 0.05 that is seen with the power
// asked for within 0.02; at 0.0125, which three rounds hardly reach, with 0.81 where
// 0.90 is asked for.
func (r RoundCheck) DetectableLoss(p Power) (float64, error) {
	if _, err := p.quantiles(); err != nil {
		return 0, fmt.Errorf("detectable loss: %w", err)
	}
	if r.Rounds < 2 {
		return 0, fmt.Errorf("detectable loss: %w", &TooFewError{Of: "rounds", Have: r.Rounds, Need: 2})
	}
	return r.detectable(r.Rounds, p), nil
}

func (r RoundCheck) detectable(rounds int, p Power) float64 {
	v := r.variance()
	if v == 0 {
		return 0
	}
	freedom := float64(rounds - 1)
	upper := studentUpper(p.Level, freedom)
	if p.Power > 0.5 {
		upper += studentUpper(1-p.Power, freedom)
	}
	return -math.Expm1(-upper * math.Sqrt(v/float64(rounds)))
}

// RoundsToDetect returns the number of rounds like these with which a loss, as a
// fraction in (0, 1), would be seen by the t test of rounds; at least two.
func (r RoundCheck) RoundsToDetect(loss float64, p Power) (int, error) {
	z, err := p.quantiles()
	switch {
	case err == nil && !(loss > 0 && loss < 1):
		err = fmt.Errorf("loss %v is not between 0 and 1", loss)
	case err == nil && r.Rounds < 2:
		err = &TooFewError{Of: "rounds", Have: r.Rounds, Need: 2}
	}
	if err != nil {
		return 0, fmt.Errorf("rounds to detect: %w", err)
	}
	// With normal quantiles in place of those of t it takes a few less.
	root := z / -math.Log1p(-loss)
	rounds := max(2, math.Ceil(root*root*r.variance()))
	for ; rounds <= roundsMax; rounds++ {
		if r.detectable(int(rounds), p) <= loss {
			return int(rounds), nil
		}
	}
	return 0, fmt.Errorf("rounds to detect: loss %v takes more than %d rounds", loss, roundsMax)
}

// variance is that of the mean of a round: what was seen of it, and at least what its
// pairs explain.
func (r RoundCheck) variance() float64 { return max(r.MeanVariance, r.PairVariance/r.PairsPerRound) }

func checkSigma(sigma float64) error {
	if err := checkFinite(sigma); err != nil {
		return fmt.Errorf("standard deviation %w", err)
	}
	if sigma < 0 {
		return fmt.Errorf("standard deviation %v is below 0", sigma)
	}
	return nil
}
