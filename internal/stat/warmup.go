package stat

import (
	"fmt"
	"math"
)

// medianError is the standard error of a median in units of σ/√n under normal
// noise: √(π/2).
const medianError = 1.2533

// warmUpChange is the least change that makes a server cold, however quiet it is.
const warmUpChange = 0.01

// WarmUp says whether a server had settled when its measurement began.
type WarmUp struct {
	Early, Late float64 // median of the first third, and of the rest
	Change      float64 // Early/Late − 1

	// Limit is what noise explains: three standard errors of the difference of the
	// two medians, at least 1 %.
	Limit float64
}

// Warm reports whether Change is within Limit.
func (w WarmUp) Warm() bool { return math.Abs(w.Change) <= w.Limit }

// WarmUpTest compares the first third of the completions per second of one
// measurement with the rest; seconds 1 to 10 with 11 to 30 where there are 30.
// The noise s is the standard deviation, n−1, of the values about the median of
// their own part, so that a cold start does not excuse itself. It needs six
// seconds, and a median above zero in the rest.
func WarmUpTest(perSecond []float64) (WarmUp, error) {
	if err := checkSample(perSecond, "seconds", 6); err != nil {
		return WarmUp{}, fmt.Errorf("warm-up: %w", err)
	}
	n := len(perSecond)
	early, late := perSecond[:n/3], perSecond[n/3:]
	w := WarmUp{Early: median(early), Late: median(late)}
	if w.Late <= 0 {
		return WarmUp{}, fmt.Errorf("warm-up: median rate %v is not above 0", w.Late)
	}
	s := math.Sqrt((sumOfSquares(early, w.Early) + sumOfSquares(late, w.Late)) / float64(n-1))
	noise := 3 * medianError * s / w.Late * math.Sqrt(1/float64(len(early))+1/float64(len(late)))
	w.Change = w.Early/w.Late - 1
	w.Limit = max(warmUpChange, noise)
	for _, v := range []float64{w.Change, w.Limit} {
		if err := checkFinite(v); err != nil { // a Late of almost nothing
			return WarmUp{}, fmt.Errorf("warm-up: change %w", err)
		}
	}
	return w, nil
}
