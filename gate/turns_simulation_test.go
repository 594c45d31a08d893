package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// startsOf is a host on which each start of two servers has a ratio of its own, of SD, and
// each round adds Round to all of its; Apart is by how much the rates over all slices of a
// run scatter about the centre of its pairs of slices, which tell it to SE.
type startsOf struct{ sd, round, apart, se float64 }

// simulate draws rounds of runs in turns, at a true ratio.
func (h startsOf) simulate(r *rand.Rand, ratio float64, rounds, runs int) Numbers {
	rates, centres := make([][]float64, rounds), make([][]float64, rounds)
	for i := range rates {
		of := h.round * r.NormFloat64()
		for range runs {
			centre := ratio * math.Exp(of+h.sd*r.NormFloat64())
			centres[i] = append(centres[i], centre)
			rates[i] = append(rates[i], centre*math.Exp(h.apart*r.NormFloat64()))
		}
	}
	n := rowOf(rates...)
	n.Turns = true
	for i := range n.Rounds {
		for k := range n.Rounds[i].New {
			m := &n.Rounds[i].New[k]
			m.SlicePairs, m.RPSRatio, m.RPSRatioSE = 60, record.Of(centres[i][k]), record.Of(h.se)
		}
	}
	return n
}

// untilDecided adds rounds while the rule has looks and no verdict.
func (h startsOf) untilDecided(r *rand.Rand, ratio float64, rounds, runs int, rule Rule) Verdict {
	n := h.simulate(r, ratio, rounds, runs)
	for {
		d := Decide(n, rule)
		if d.Verdict != Inconclusive || len(n.Rounds) >= rule.MaxRounds {
			return d.Verdict
		}
		n.Rounds = append(n.Rounds, h.simulate(r, ratio, 1, runs).Rounds...)
	}
}

// A variant whose loss is exactly the margin passes, and fails, with probability alpha at
// most, also where rounds add something of their own, and although the same runs say
// whether they are taken for their centres or for their whole rates.
func TestErrorsOfTurns(t *testing.T) {
	simulation(t)
	const sessions = 500
	looks := rateAlone()
	looks.MaxRounds = 6
	for _, shape := range [][2]int{{5, 2}, {3, 3}} {
		for _, h := range []startsOf{{0.005, 0, 0, 0.002}, {0.005, 0, 0.005, 0.002}, {0.005, 0.0035, 0.005, 0.002}, {0.005, 0.0035, 0.01, 0.002}} {
			r := rand.New(rand.NewPCG(11, uint64(1e4*(h.apart+h.round))))
			what := fmt.Sprintf("%d rounds of %d runs, %+v", shape[0], shape[1], h)
			errorsAtMargin(t, what, sessions, func() Verdict { return h.untilDecided(r, 0.99, shape[0], shape[1], rateAlone()) })
			if shape[0] == 3 {
				errorsAtMargin(t, what+", looks", sessions, func() Verdict { return h.untilDecided(r, 0.99, shape[0], shape[1], looks) })
			}
		}
	}
}
