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

	Bounds            // of the ratio
	Interval Interval // how they were made
	ByRounds bool     // at least one of them is that of the rounds

	// The bounds that there were to choose from. Critical is the rank of the first.
	Signed   Bounds // signed-rank test
	Rounds   Bounds // Student's t of the means of the rounds
	Drawn    Bounds // hierarchical bootstrap
	Critical int

	// MDE is the smallest loss, as a fraction, that so many pairs with this noise
	// would have shown nine times in ten.
	MDE   float64
	Sigma float64 // standard deviation of a pair, on the ln scale

	Need Need // to see a loss of the margin

	Check stat.RoundCheck // of the rounds, on the ln scale; zero for fewer than two
	Lag1  float64         // correlation of pairs with the ones before

	Speeds  *Speeds // nil: the host had one speed
	Turns   *Turns  // nil: the variants did not take turns in slices of time
	Missing string  // why there are no bounds; "": there are

	differences [][]float64 // of the pairs of each round that has some, on the ln scale
}

// Bounds of a ratio. Each is wrong with probability Level at most.
type Bounds struct{ Lo, Hi, Level float64 }

// noBounds are not known.
func noBounds() Bounds { return Bounds{math.NaN(), math.NaN(), math.NaN()} }

// boundsOf takes an interval off the ln scale.
func boundsOf(iv stat.Interval) Bounds { return Bounds{math.Exp(iv.Lo), math.Exp(iv.Hi), iv.Level} }

// known tells whether there are any.
func (b Bounds) known() bool { return !math.IsNaN(b.Level) }

// mdePower is how often a loss of the size of the smallest detectable effect is seen.
const mdePower = 0.90

// noEffect is that of a row without pairs.
func noEffect(missing string) Effect {
	none := math.NaN()
	return Effect{
		Ratio: none, Bounds: noBounds(), Signed: noBounds(), Rounds: noBounds(), Drawn: noBounds(),
		MDE: none, Sigma: none, Lag1: none, Missing: missing,
	}
}

// effect computes it, with bounds of an error of level each.
func (p *paired) effect(level float64, how Interval) Effect {
	e := noEffect(p.missing)
	e.Pairs, e.Interval, e.Check, e.Lag1, e.Speeds, e.Turns, e.differences = len(p.all), how, p.check, p.lag1, p.speeds, p.turns, p.rounds
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
	c, err := p.candidates(level)
	if err != nil {
		e.Missing = err.Error()
		return e
	}
	e.Signed, e.Critical = boundsOf(c.signed), c.critical
	if c.hasRounds {
		e.Rounds = boundsOf(c.rounds)
	}
	if c.hasDrawn {
		e.Drawn = boundsOf(c.drawn)
	}
	if loss, ok := p.detectable(e.Sigma, level, how); ok {
		e.MDE = loss
	}
	iv, byRounds, err := p.bounds(c, how)
	if err != nil {
		e.Missing = err.Error()
		return e
	}
	e.Bounds, e.ByRounds = boundsOf(iv), byRounds
	return e
}

// text writes "0.993 to 1.004".
func (b Bounds) text() string {
	if !b.known() {
		return absent
	}
	return ratioText(b.Lo) + " to " + ratioText(b.Hi)
}

// boundsText writes "0.993 to 1.004", and why not where there are no bounds.
func (e *Effect) boundsText() string {
	if e.Missing != "" {
		return absent
	}
	return e.text()
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
	if e.Check.Rounds > 1 && e.Check.RoundEffect() {
		r.flag(FlagRoundEffect, "the rounds differ by more than their pairs do (p %s)%s", pText(e.Check.P), byRoundsText(e))
	}
	if e.Lag1 > stat.DependentLag1 {
		r.flag(FlagDependent, "pairs resemble the ones before them (correlation %s)%s", decimals(e.Lag1, 2), byRoundsText(e))
	}
	r.flagTurns()
	if s := e.Speeds; s != nil {
		r.flag(s.code(), "%s", s.text(r.spread()))
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
