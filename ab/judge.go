package ab

import (
	"errors"
	"math"
	"time"
)

// Judge holds the pairs seen so far. It is made by [NewJudge].
type Judge struct {
	rule  Rule
	pairs int
	at    time.Duration
	units units
}

// NewJudge returns a judge that has seen nothing. The error lists what is wrong with
// the rule.
func NewJudge(r Rule) (*Judge, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &Judge{rule: r.complete()}, nil
}

// ErrOver says that a pair came after the measurement had ended.
var ErrOver = errors.New("the time of the measurement is over")

// Add takes the next pair, in the order of time. A pair that cannot be one is refused
// and not counted: rates that are negative or no numbers, a time before the last, or
// one order all along. After the pair that reaches Rule.Max there are no more
// ([ErrOver]).
func (j *Judge) Add(p Pair) error {
	if j.at >= j.rule.Max {
		return ErrOver
	}
	if err := p.check(j.at); err != nil {
		return err
	}
	if err := j.units.add(p); err != nil {
		return err
	}
	j.pairs++
	j.at = p.At
	return nil
}

// State is what is known at one moment.
type State struct {
	Rule Rule // with its defaults filled in

	Verdict Verdict // on rps
	Loss    Loss    // whether more than Rule.MaxLoss is lost
	Decided bool    // Verdict is not CannotTell; with Rule.MaxLoss, Loss is not

	// RPS is what decides: the centre of the pairs, or the totals where ByTotals.
	RPS      Estimate
	ByTotals bool     // rare slices of one server make a difference that the centre does not have
	Totals   Estimate // the mean rate of B over that of A, over all slices

	// The others are told beside it. Above 1 is worse for B.
	P50, P99, CPU Estimate

	Pairs   int           // seen
	Elapsed time.Duration // at the end of the last
	Over    bool          // Rule.Max is reached

	// Needs is when it would be decided, since the beginning, if the noise stays as it
	// is: where that is beyond Rule.Max, in a measurement that is that long. 0 while too
	// little is known to say, and when it is decided.
	Needs time.Duration

	// MarginNeeds is the same for telling equal servers from those that differ by the
	// margin, whatever these do. Larger differences show earlier.
	MarginNeeds time.Duration
}

// State returns what is known now. It costs time in proportion to the pairs seen so
// far, some tens of microseconds for a minute.
func (j *Judge) State() State {
	s := State{Rule: j.rule, Pairs: j.pairs, Elapsed: j.at, Over: j.at >= j.rule.Max}
	how := j.measuring()
	centre := how.centre(j.units.rps)
	totals, apart := how.totals(j.units, centre)
	deciding := centre
	if math.Abs(apart.value) > apart.half {
		deciding, s.ByTotals = totals, true
	}
	s.RPS, s.Totals = how.estimate(deciding), how.estimate(totals)
	s.P50 = how.estimate(how.centre(j.units.p50).atLeast(latencyStep))
	s.P99 = how.estimate(how.centre(j.units.p99).atLeast(latencyStep))
	s.CPU = how.estimate(how.centre(j.units.cpu))

	s.Verdict = verdictOf(deciding, j.rule.Margin)
	if s.Verdict == Same && outside(totals, apart, j.rule.Margin) {
		s.Verdict = CannotTell
	}
	s.Loss = lossOf(deciding, j.rule.MaxLoss)
	s.Decided = s.Verdict != CannotTell
	if j.rule.MaxLoss > 0 {
		s.Decided = s.Loss != LossCannotTell
	}
	if !s.Decided {
		s.Needs = how.needs(deciding, j.rule)
	}
	s.MarginNeeds = how.until(deciding, math.Log1p(j.rule.Margin))
	return s
}
