package stat

import (
	"fmt"
	"slices"
)

// strataPairsMin is the least number of pairs within modes for which an adjusted
// centre is told; with fewer no bound at level 0.05 exists either.
const strataPairsMin = 5

// Strata are the differences of pairs by the modes of their runs. A pair across
// modes measures the distance of the modes instead of that of the variants: it
// is set aside, and counted.
type Strata struct {
	Lower, Upper []float64 // differences of pairs with both runs in this mode
	Across       int
}

// Stratify sorts pairs, given as ln values of base and new, by the modes of
// their runs.
func (m Modes) Stratify(base, new []float64) (Strata, error) {
	if len(base) != len(new) {
		return Strata{}, fmt.Errorf("stratify: %d base runs for %d new ones", len(base), len(new))
	}
	if err := checkSample(base, "base runs", 0); err != nil {
		return Strata{}, fmt.Errorf("stratify: %w", err)
	}
	if err := checkSample(new, "new runs", 0); err != nil {
		return Strata{}, fmt.Errorf("stratify: %w", err)
	}
	var s Strata
	for i := range base {
		d := new[i] - base[i]
		switch {
		case m.InUpper(base[i]) != m.InUpper(new[i]):
			s.Across++
		case m.InUpper(base[i]):
			s.Upper = append(s.Upper, d)
		default:
			s.Lower = append(s.Lower, d)
		}
	}
	return s, nil
}

// Within returns the differences of all pairs within a mode, the lower mode's
// first.
func (s Strata) Within() []float64 { return slices.Concat(s.Lower, s.Upper) }

// Centre returns the mode-adjusted centre: [HodgesLehmann] of Within. For its
// bounds give Within to [SignedRankInterval]. Fewer than five pairs within modes
// are a [TooFewError].
func (s Strata) Centre() (float64, error) {
	within := s.Within()
	if len(within) < strataPairsMin {
		return 0, fmt.Errorf("mode-adjusted centre: %w", &TooFewError{Of: "pairs within modes", Have: len(within), Need: strataPairsMin})
	}
	return HodgesLehmann(within)
}
