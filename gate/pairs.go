package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/stat"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// paired are the differences of a row's pairs on the ln scale, round by round. Run i of
// the base and run i of the new variant are a pair: they had the same place in the
// order of their round, or took turns in it.
type paired struct {
	rounds  [][]float64 // that have pairs
	all     []float64   // of all rounds, in the order of time
	missing string      // why there are none; "": there are
	speeds  *Speeds     // nil: the host had one
	turns   *Turns      // nil: variants did not take turns

	// check tells whether rounds differ by more than their pairs do; zero where there
	// is one round. lag1 is how much a pair resembles the one before; NaN where there
	// are too few.
	check stat.RoundCheck
	lag1  float64

	drawn   *stat.Bootstrap // nil: not drawn
	undrawn string          // why
}

// pairsOf returns the pairs of what a row is judged by, above 0 for better. Where the
// host had two speeds, pairs across them are left out: they measure the host.
func pairsOf(n *Numbers, r Rule) paired {
	number, sign := rpsOf, 1.0
	if n.Metric == CPU {
		number, sign = cpuOf, -1
	}
	rounds, err := lnDifferences(n.Rounds, number)
	if err != nil {
		return newPairs(nil, err)
	}
	var turns *Turns
	if n.Turns {
		if rounds, turns, err = turnsOf(n, rounds, r.alpha()); err != nil {
			return newPairs(nil, err)
		}
	}
	speeds := speedsOf(n.Rounds, number, sign)
	rounds = speeds.keep(rounds)
	for _, d := range rounds {
		for i := range d {
			d[i] *= sign
		}
	}
	p := newPairs(rounds, nil)
	p.speeds, p.turns = speeds, turns
	p.draw(n, n.Metric.String(), r.Interval == ByBootstrap || r.CrossCheck)
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

// newPairs looks at the differences of pairs as a whole. A round may have lost all of
// its pairs to the speeds of the host; where one round alone has kept some, what rounds
// add of their own cannot be told any more.
func newPairs(rounds [][]float64, err error) paired {
	p := paired{lag1: math.NaN()}
	for _, d := range rounds {
		if len(d) > 0 {
			p.rounds = append(p.rounds, d)
		}
	}
	p.all = slices.Concat(p.rounds...)
	switch {
	case err != nil:
		p.missing = err.Error()
		return p
	case len(p.all) == 0:
		p.missing = "no pair within one speed"
		return p
	case len(p.rounds) == 1 && len(rounds) > 1:
		p.missing = "only one round has pairs within one speed"
		return p
	}
	if check, err := stat.CompareRounds(p.rounds); err == nil {
		p.check = check
	}
	if r, err := stat.Lag1(p.all); err == nil && len(p.all) >= lag1Pairs {
		p.lag1 = r
	}
	return p
}

// draw makes the bootstrap, if it is asked for. Its seed is made of what the numbers
// belong to, so that whoever judges them again draws the same.
func (p *paired) draw(n *Numbers, metric string, asked bool) {
	switch {
	case p.missing != "":
		p.undrawn = p.missing
	case !asked:
		p.undrawn = "not asked for"
	default:
		b, err := stat.HierarchicalBootstrap(p.rounds, resamples, stat.SeedOf(n.Plan, n.Row, metric))
		if err != nil {
			p.undrawn = err.Error()
			return
		}
		p.drawn = &b
	}
}

// lag1Pairs is the number of pairs from which their autocorrelation says anything: that
// of three is above 0.5 now and then by chance.
const lag1Pairs = 8

// dependent tells whether a pair resembles the one before it.
func (p *paired) dependent() bool { return p.lag1 > stat.DependentLag1 }

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
