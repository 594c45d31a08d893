package stat

import (
	"fmt"
	"math"
)

// SignBet is a bet against "at least half of the differences lie on the other
// side of Tau", which may be looked at after every pair. It is weaker than
// looks at fixed rounds, and right at any moment.
type SignBet struct {
	Tau   float64
	Above bool // the alternative: the differences lie above Tau; else below

	// Stake is the fraction of the capital put on each pair, in (0, 1). 0.6 is
	// what suits five to ten pairs.
	Stake float64
}

// Capital returns the capital after each pair, starting from 1: times 1 + Stake
// where the difference is on the side of the alternative, times 1 − Stake where
// it is not. A difference on Tau is a loss: were it a draw, a distribution with
// much weight on Tau could win without the alternative being true.
//
// Under the hypothesis the capital is a supermartingale, so that it ever reaches
// 1/level with probability at most level (Ville's inequality), whatever the noise
// and whenever one looks. Once reached, the decision stands, also if the capital
// falls again.
func (b SignBet) Capital(d []float64) ([]float64, error) {
	if err := checkFinite(b.Tau); err != nil {
		return nil, fmt.Errorf("sign bet: tau %w", err)
	}
	if !(b.Stake > 0 && b.Stake < 1) {
		return nil, fmt.Errorf("sign bet: stake %v is not between 0 and 1", b.Stake)
	}
	if err := checkSample(d, "pairs", 0); err != nil {
		return nil, fmt.Errorf("sign bet: %w", err)
	}
	capital := make([]float64, len(d))
	have := 1.0
	for i, v := range d {
		if b.Above && v > b.Tau || !b.Above && v < b.Tau {
			have *= 1 + b.Stake
		} else {
			have *= 1 - b.Stake
		}
		// 1500 wins in a row would overflow; nobody's level is that small.
		have = min(have, math.MaxFloat64/2)
		capital[i] = have
	}
	return capital, nil
}
