package stat

import "fmt"

// Strata are the differences of pairs by the modes of their runs. A pair across
// modes measures the distance of the modes instead of that of the variants: it
// is set aside, and counted. The centre of the others is the mode-adjusted one.
type Strata struct {
	Lower, Upper []float64 // differences of pairs with both runs in this mode
	Within       []float64 // of both modes, in the order of the pairs
	Across       []int     // the pairs that were set aside, from 0
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
			s.Across = append(s.Across, i)
			continue
		case m.InUpper(base[i]):
			s.Upper = append(s.Upper, d)
		default:
			s.Lower = append(s.Lower, d)
		}
		s.Within = append(s.Within, d)
	}
	return s, nil
}
