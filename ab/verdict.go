package ab

import "math"

// Verdict is what is said of B's rps, as it stands in JSON.
type Verdict string

const (
	Slower     Verdict = "slower"
	Faster     Verdict = "faster"
	Same       Verdict = "same" // any difference is inside the margin
	CannotTell Verdict = "cannot_tell"
)

// Loss is what is said of a loss of more than Rule.MaxLoss.
type Loss string

const (
	LossNotAsked   Loss = ""
	LossWithin     Loss = "within"   // no more is lost
	LossExceeded   Loss = "exceeded" // more is
	LossCannotTell Loss = "cannot_tell"
)

// verdictOf looks where the interval lies. The margin is the same in both directions:
// from 1/(1+m) to 1+m.
func verdictOf(f finding, margin float64) Verdict {
	limit := math.Log1p(margin)
	switch {
	case f.lo() >= -limit && f.hi() <= limit:
		return Same
	case f.hi() < 0:
		return Slower
	case f.lo() > 0:
		return Faster
	}
	return CannotTell
}

func lossOf(f finding, maxLoss float64) Loss {
	limit := math.Log1p(-maxLoss)
	switch {
	case maxLoss == 0:
		return LossNotAsked
	case f.lo() >= limit:
		return LossWithin
	case f.hi() < limit:
		return LossExceeded
	}
	return LossCannotTell
}
