package gate

import (
	"fmt"

	"github.com/scalws/scalbench/internal/stat"
)

// Interval is how the bounds of a ratio are made of its pairs. It is fixed before the
// measurement: whoever may choose afterwards chooses the verdict.
type Interval uint8

const (
	// ByRounds takes on each side the outer of two bounds: that of the signed-rank
	// test, for which a pair is a pair, and that of Student's t of the means of the
	// rounds. It errs with Alpha at most whatever a round adds of its own; three rounds
	// pay for that with bounds that are three quarters wider, ten with a tenth.
	ByRounds Interval = iota
	// ByPairs takes the signed-rank test alone, unless rounds visibly differ (F test,
	// p < 0.10) or a pair resembles the one before. It is for hosts on which rounds are
	// known to add nothing: where they add 0.7 of what a pair has it errs with 8 or 9 in
	// 100 instead of 5.
	ByPairs
	// ByBootstrap takes the percentiles of a hierarchical bootstrap: rounds are drawn,
	// then pairs inside. Of three rounds there are ten different draws: a bound at 0.05
	// errs with 3 in 100 where rounds add nothing, with 10 where they add as much as a
	// pair has. Of ten rounds with 2 and 5.
	ByBootstrap
)

// intervalWords are the names of the intervals.
var intervalWords = [...]string{ByRounds: "rounds", ByPairs: "pairs", ByBootstrap: "bootstrap"}

// String returns the interval's name.
func (i Interval) String() string {
	if int(i) < len(intervalWords) {
		return intervalWords[i]
	}
	return fmt.Sprintf("interval(%d)", uint8(i))
}

// ParseInterval reads an interval's name.
func ParseInterval(name string) (Interval, error) {
	for i, known := range intervalWords {
		if known == name {
			return Interval(i), nil
		}
	}
	return 0, fmt.Errorf("interval %q, expected rounds, pairs or bootstrap", name)
}

// resamples is how often the bootstrap draws.
const resamples = 10_000

// candidates are the bounds that can be made of the same pairs, on the ln scale.
type candidates struct {
	signed   stat.Interval // signed-rank test
	rounds   stat.Interval // Student's t of the means of the rounds
	drawn    stat.Interval // bootstrap
	critical int           // rank of the signed-rank test

	hasRounds, hasDrawn bool
}

// candidates computes them, each with an error of level per side. The error is that of
// the signed-rank test, for which there may be too few pairs.
func (p *paired) candidates(level float64) (c candidates, err error) {
	if c.signed, err = stat.SignedRankInterval(p.all, level); err != nil {
		return c, err
	}
	c.critical, _, err = stat.CriticalRank(len(p.all), level)
	if err != nil {
		return c, err
	}
	if iv, err := p.check.Interval(level); err == nil {
		c.rounds, c.hasRounds = iv, true
	}
	if p.drawn != nil {
		if iv, err := p.drawn.Interval(level); err == nil {
			c.drawn, c.hasDrawn = iv, true
		}
	}
	return c, nil
}

// takesRounds tells whether the means of the rounds count. Of one round there is no
// other mean to hold it against.
func (p *paired) takesRounds(how Interval) bool {
	switch {
	case p.check.Rounds < 2 || how == ByBootstrap:
		return false
	case how == ByPairs:
		return p.check.RoundEffect() || p.dependent()
	}
	return true
}

// bounds chooses among the candidates. byRounds tells whether a bound is that of the
// rounds.
func (p *paired) bounds(c candidates, how Interval) (iv stat.Interval, byRounds bool, err error) {
	switch {
	case how == ByBootstrap && !c.hasDrawn:
		return iv, false, fmt.Errorf("no bootstrap: %s", p.undrawn)
	case how == ByBootstrap:
		return c.drawn, false, nil
	case !p.takesRounds(how) || !c.hasRounds:
		return c.signed, false, nil
	}
	return c.signed.Outer(c.rounds), c.rounds.Lo < c.signed.Lo || c.rounds.Hi > c.signed.Hi, nil
}

// test holds the centre against tau: PBelow is the p of "tau or more", PAbove that of
// "tau or less". It is within a level exactly when the bound at that level is beyond tau.
// Where there are no bounds, for want of pairs or of rounds, both are 1: what cannot be
// tested counts in a family as a row that shows nothing.
func (p *paired) test(tau float64, how Interval) stat.Shift {
	none := stat.Shift{PAbove: 1, PBelow: 1}
	if p.missing != "" {
		return none
	}
	if how == ByBootstrap {
		if p.drawn == nil {
			return none
		}
		return p.drawn.Test(tau)
	}
	s, err := stat.ShiftTest(p.all, tau)
	if err != nil {
		return none
	}
	if p.takesRounds(how) {
		if of, err := p.check.Test(tau); err == nil {
			s.PAbove, s.PBelow = max(s.PAbove, of.PAbove), max(s.PBelow, of.PBelow)
		}
	}
	return s
}

// detectable is the smallest loss, as a fraction, that would have been seen with
// mdePower; ok is false where none would.
func (p *paired) detectable(sigma, level float64, how Interval) (loss float64, ok bool) {
	power := stat.Power{Level: level, Power: mdePower}
	loss, err := stat.DetectableLoss(sigma, len(p.all), power)
	if err != nil {
		return 0, false
	}
	if p.takesRounds(how) || how == ByBootstrap && p.check.Rounds > 1 {
		if of, err := p.check.DetectableLoss(power); err == nil {
			loss = max(loss, of)
		}
	}
	return loss, true
}
