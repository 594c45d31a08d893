package gate

import (
	"fmt"
	"math"

	"github.com/scalws/scalbench/internal/stat"
)

// Effect is what the pairs of runs say about the ratio that a row is judged by, above 1
// for better. It decides under [NonInferior] and is printed under every policy. NaN is
// "cannot be told".
type Effect struct {
	Pairs int     // it was made of; none across the speeds of a host that has two
	Ratio float64 // Hodges-Lehmann: the median of all means of two pairs

	// Lo and Hi bound the ratio. Each is wrong with probability Level at most.
	Lo, Hi, Level float64
	ByRounds      bool // a round counted as one value, because rounds differ

	// MDE is the smallest loss, as a fraction, that so many pairs with this noise
	// would have shown nine times in ten.
	MDE   float64
	Sigma float64 // standard deviation of a pair, on the ln scale

	RoundP float64 // of "rounds differ no more than their pairs do"
	Lag1   float64 // correlation of pairs with the ones before

	Speeds  *Speeds // nil: the host had one speed
	Missing string  // why there are no bounds; "": there are
}

// mdePower is how often a loss of the size of the smallest detectable effect is seen.
const mdePower = 0.90

// noEffect is that of a row without pairs.
func noEffect(missing string) Effect {
	none := math.NaN()
	return Effect{Ratio: none, Lo: none, Hi: none, Level: none, MDE: none, Sigma: none, RoundP: none, Lag1: none, Missing: missing}
}

// effect computes it, with bounds of an error of level each.
func (p *paired) effect(level float64) Effect {
	e := noEffect(p.missing)
	e.Pairs, e.RoundP, e.Lag1, e.Speeds = len(p.all), p.check.P, p.lag1, p.speeds
	if p.missing != "" {
		return e
	}
	if centre, err := stat.HodgesLehmann(p.all); err == nil {
		e.Ratio = math.Exp(centre)
	}
	e.Sigma = p.sigma()
	if !(level > 0) {
		e.Missing = "no error is left for this look"
		return e
	}
	iv, byRounds, err := p.interval(level)
	if err != nil {
		e.Missing = err.Error()
		return e
	}
	e.MDE = p.detectable(e.Sigma, level, byRounds)
	e.Lo, e.Hi, e.Level, e.ByRounds = math.Exp(iv.Lo), math.Exp(iv.Hi), iv.Level, byRounds
	return e
}

// boundsText writes "0.993 to 1.004", and why not where there are no bounds.
func (e *Effect) boundsText() string {
	if e.Missing != "" {
		return absent
	}
	return ratioText(e.Lo) + " to " + ratioText(e.Hi)
}

// seenText writes ">= 1.1 %".
func (e *Effect) seenText() string {
	if math.IsNaN(e.MDE) {
		return absent
	}
	return ">= " + percentText(e.MDE)
}

// flagEffect flags what the pairs show besides the ratio.
func (r *Row) flagEffect() {
	e := &r.Effect
	if e.RoundP < stat.RoundEffectP {
		r.flag(FlagRoundEffect, "the rounds differ by more than their pairs do (p %s)%s", pText(e.RoundP), byRoundsText(e))
	}
	if e.Lag1 > stat.DependentLag1 {
		r.flag(FlagDependent, "pairs resemble the ones before them (correlation %s)%s", decimals(e.Lag1, 2), byRoundsText(e))
	}
	if s := e.Speeds; s != nil {
		r.flag(s.code(), "%s", s.text(r.Numbers.Spread))
	}
}

// byRoundsText tells what became of the interval.
func byRoundsText(e *Effect) string {
	if e.ByRounds {
		return ": the bounds are those of whole rounds"
	}
	return ""
}

// pText writes a probability: 0.031, and < 0.001 where three decimals show nothing.
func pText(p float64) string {
	if p < 0.0005 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
