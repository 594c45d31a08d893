package stat

import "fmt"

// Shift holds the p values of a signed-rank test of one centre.
type Shift struct {
	Pairs int

	// PAbove is the p of "the centre is at most tau": small when the differences
	// lie above it. PBelow is the p of "at least tau". Neither is below 1/2^Pairs.
	PAbove, PBelow float64
}

// PTwoSided is the p of "the centre is tau".
func (s Shift) PTwoSided() float64 { return min(1, 2*min(s.PAbove, s.PBelow)) }

// ShiftTest tests the differences against a centre tau with the Wilcoxon
// signed-rank test, in both directions. It needs one pair.
//
// T is counted as the Walsh averages on the wrong side of tau, those on tau among
// them, and compared with the distribution for data without ties. That is the
// same count from which [SignedRankInterval] takes its bounds: PAbove <= level
// exactly when the lower bound at this level is above tau, so that a verdict made
// from the bound and Holm's correction of the p cannot disagree. Midranks with
// their conditional distribution were rejected because they break this, and
// because |d − tau| has to be compared for equality after a rounded subtraction.
//
// Ties cost power, never validity: had every tie been broken by a tiny symmetric
// disturbance, the Walsh averages on tau would fall to either side, T could only
// be smaller, and for that data the distribution is exact.
func ShiftTest(d []float64, tau float64) (Shift, error) {
	if err := checkSample(d, "pairs", 1); err != nil {
		return Shift{}, fmt.Errorf("signed-rank test: %w", err)
	}
	if err := checkFinite(tau); err != nil {
		return Shift{}, fmt.Errorf("signed-rank test: centre %w", err)
	}
	w := newWalsh(d)
	tail := signedRankTail(len(d))
	return Shift{
		Pairs:  len(d),
		PAbove: tail(w.atMost(tau)),
		PBelow: tail(w.size() - w.below(tau)),
	}, nil
}
