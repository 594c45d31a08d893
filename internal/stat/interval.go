package stat

import "fmt"

// Interval bounds a centre from both sides. Each bound holds by itself: Lo is
// the lower bound of a one-sided statement, Hi the upper bound of another, and
// both together miss at twice the level.
type Interval struct {
	Lo, Hi float64

	// Level is the probability at most with which the centre lies below Lo, and
	// that with which it lies above Hi. Of the levels that a discrete test can
	// have it is the largest within what was asked for.
	Level float64
}

// Width is Hi − Lo.
func (iv Interval) Width() float64 { return iv.Hi - iv.Lo }

// Outer is the wider of two bounds on each side. A bound of it misses only where both
// miss, so that it errs as seldom as the one whose assumptions hold: its Level is
// the larger.
func (iv Interval) Outer(other Interval) Interval {
	return Interval{Lo: min(iv.Lo, other.Lo), Hi: max(iv.Hi, other.Hi), Level: max(iv.Level, other.Level)}
}

// SignedRankInterval returns the bounds on the centre of paired differences that
// come from inverting the Wilcoxon signed-rank test. With N Walsh averages W in
// ascending order and c from [CriticalRank] they are W_(c+1) and W_(N−c). They
// are exact for any noise that is symmetric, which the difference of two runs
// with the same noise is, whatever that noise; nothing is assumed normal.
// Rounded, tied data only make them wider. The interval contains
// [HodgesLehmann].
//
// level is per side: for an ordinary 95 % interval 0.025. Fewer pairs than
// [MinPairs] are a [TooFewError].
func SignedRankInterval(d []float64, level float64) (Interval, error) {
	if err := checkSample(d, "pairs", 0); err != nil {
		return Interval{}, fmt.Errorf("signed-rank interval: %w", err)
	}
	c, achieved, err := CriticalRank(len(d), level)
	if err != nil {
		return Interval{}, err
	}
	w := newWalsh(d)
	return Interval{Lo: w.kth(c + 1), Hi: w.kth(w.size() - c), Level: achieved}, nil
}
