package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// paired are the differences of a row's pairs on the ln scale, round by round. Run i of
// the base and run i of the new variant are a pair: they had the same place in the
// order of their round.
type paired struct {
	rounds  [][]float64
	all     []float64 // of all rounds, in the order of time
	missing string    // why there are none; "": there are
	speeds  *Speeds   // nil: the host had one

	// check tells whether rounds differ by more than their pairs do; lag1 is how much a
	// pair resembles the one before. NaN where there are too few.
	check stat.RoundCheck
	lag1  float64

	// byRounds: a round counts as one value where that makes the wider interval.
	byRounds bool
}

// pairsOf returns the pairs of what a row is judged by, above 0 for better. Where the
// host had two speeds, pairs across them are left out: they measure the host.
func pairsOf(n *Numbers) paired {
	number, sign := rpsOf, 1.0
	if n.Metric == CPU {
		number, sign = cpuOf, -1
	}
	rounds, err := lnDifferences(n.Rounds, number)
	if err != nil {
		return newPairs(nil, err)
	}
	speeds := speedsOf(n.Rounds, number, sign)
	if speeds != nil && speeds.Host {
		rounds = speeds.within
	}
	for _, d := range rounds {
		for i := range d {
			d[i] *= sign
		}
	}
	p := newPairs(rounds, nil)
	p.speeds = speeds
	return p
}

// errNoRuns is said of rows that come from printed ratios.
var errNoRuns = errors.New("no runs are known")

// lnDifferences returns ln new - ln base of each pair of each round.
func lnDifferences(rounds []RoundNumbers, number func(*record.Measurement) record.Value) ([][]float64, error) {
	all := make([][]float64, len(rounds))
	for i, r := range rounds {
		if len(r.Base) == 0 || len(r.Base) != len(r.New) {
			return nil, errNoRuns
		}
		base, new := logs(r.Base, number), logs(r.New, number)
		for k := range base {
			d := new[k] - base[k]
			if math.IsNaN(d) || math.IsInf(d, 0) {
				return nil, fmt.Errorf("round %d, run %d has no number above 0", r.Base[k].Round, r.Base[k].Run)
			}
			all[i] = append(all[i], d)
		}
	}
	return all, nil
}

// logs takes the ln of one number out of each run.
func logs(runs []record.Measurement, number func(*record.Measurement) record.Value) []float64 {
	x := record.Column(runs, number)
	for i := range x {
		x[i] = math.Log(x[i])
	}
	return x
}

// newPairs looks at the differences of pairs as a whole.
func newPairs(rounds [][]float64, err error) paired {
	p := paired{rounds: rounds, all: slices.Concat(rounds...), check: stat.RoundCheck{P: math.NaN()}, lag1: math.NaN()}
	switch {
	case err != nil:
		p.missing = err.Error()
		return p
	case len(p.all) == 0:
		p.missing = "no pair within one speed"
		return p
	}
	if check, err := stat.CompareRounds(rounds); err == nil {
		p.check = check
	}
	if r, err := stat.Lag1(p.all); err == nil && len(p.all) >= lag1Pairs {
		p.lag1 = r
	}
	p.byRounds = p.check.RoundEffect() || p.dependent()
	return p
}

// lag1Pairs is the number of pairs from which their autocorrelation says anything: that
// of three is above 0.5 now and then by chance.
const lag1Pairs = 8

// dependent tells whether a pair resembles the one before it.
func (p *paired) dependent() bool { return p.lag1 > stat.DependentLag1 }

// interval bounds the centre, each side with an error of level: by the signed-rank
// test, or where rounds differ by the rounds, if that is wider.
func (p *paired) interval(level float64) (iv stat.Interval, byRounds bool, err error) {
	if iv, err = stat.SignedRankInterval(p.all, level); err != nil || !p.byRounds {
		return iv, false, err
	}
	if wide, err := p.check.Interval(level); err == nil && wide.Width() > iv.Width() {
		return wide, true, nil
	}
	return iv, false, nil
}

// below is the p of "the centre is tau or more", above that of "tau or less". Without
// pairs both are 1.
func (p *paired) below(tau float64, byRounds bool) float64 {
	if byRounds {
		return p.studentCDF(tau)
	}
	s, err := stat.ShiftTest(p.all, tau)
	if err != nil {
		return 1
	}
	return s.PBelow
}

func (p *paired) above(tau float64, byRounds bool) float64 {
	if byRounds {
		return 1 - p.studentCDF(tau)
	}
	s, err := stat.ShiftTest(p.all, tau)
	if err != nil {
		return 1
	}
	return s.PAbove
}

// studentCDF is the probability of a mean of rounds as low as this one, or lower, if
// the centre is tau: the test that [stat.RoundCheck.Interval] inverts.
func (p *paired) studentCDF(tau float64) float64 {
	distance := p.check.Mean - tau
	if p.check.MeanVariance == 0 {
		switch {
		case distance < 0:
			return 0
		case distance > 0:
			return 1
		}
		return 0.5
	}
	return p.student().CDF(distance / p.roundError())
}

// fewPairs is the number of pairs below which their median absolute deviation is no
// measure of noise by itself: three of five pairs may happen to be alike.
const fewPairs = 10

// sigma is the standard deviation of a pair; NaN for fewer than two.
func (p *paired) sigma() float64 {
	sigma, err := stat.PairSigma(p.all)
	if err != nil {
		return math.NaN()
	}
	if len(p.all) < fewPairs {
		sigma = max(sigma, gonum.StdDev(p.all, nil))
	}
	return sigma
}

// student is the distribution of the mean of rounds, in units of its standard error.
func (p *paired) student() distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(p.check.Rounds) - 1}
}

// roundError is the standard error of the mean of rounds.
func (p *paired) roundError() float64 {
	return math.Sqrt(p.check.MeanVariance / float64(p.check.Rounds))
}

// detectable is the smallest loss that would have been seen with mdePower: by the pairs,
// or where rounds differ by so few values as there are rounds. NaN: none would.
func (p *paired) detectable(sigma, level float64, byRounds bool) float64 {
	if byRounds {
		return -math.Expm1(-(p.student().Quantile(1-level) + p.student().Quantile(mdePower)) * p.roundError())
	}
	mde, err := stat.DetectableLoss(sigma, len(p.all), stat.Power{Level: level, Power: mdePower})
	if err != nil {
		return math.NaN()
	}
	return mde
}
