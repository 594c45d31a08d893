package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// What a host has to drift by before [Drift] is flagged.
const (
	DriftChange = 0.02 // on the ln scale: 2 %
	DriftP      = 0.01
)

// Drift is how the rate of one variant moved over a session. Pairs cancel it; a
// flag means that absolute numbers do not describe the host.
type Drift struct {
	Slope  float64 // Theil-Sen, per unit of time
	Change float64 // Slope times the time from first to last; about a fraction
	P      float64 // Mann-Kendall, two-sided
}

// Flagged reports whether the change is both large and not by chance.
func (d Drift) Flagged() bool { return math.Abs(d.Change) > DriftChange && d.P < DriftP }

// DriftTest looks for a monotone trend of ln rates over the times of the runs,
// in any unit and order. It needs three runs, no two at the same time.
func DriftTest(times, lnRates []float64) (Drift, error) {
	if len(times) != len(lnRates) {
		return Drift{}, fmt.Errorf("drift: %d times for %d rates", len(times), len(lnRates))
	}
	if err := checkSample(times, "times", 3); err != nil {
		return Drift{}, fmt.Errorf("drift: %w", err)
	}
	if err := checkSample(lnRates, "rates", 3); err != nil {
		return Drift{}, fmt.Errorf("drift: %w", err)
	}
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	t, y := make([]float64, len(times)), make([]float64, len(times))
	for i, at := range order {
		t[i], y[i] = times[at], lnRates[at]
		if i > 0 && t[i] == t[i-1] {
			return Drift{}, fmt.Errorf("drift: two runs at the time %v", t[i])
		}
	}
	slope := theilSen(t, y)
	if err := checkFinite(slope); err != nil { // times that nearly coincide
		return Drift{}, fmt.Errorf("drift: slope %w", err)
	}
	_, p := mannKendall(y)
	return Drift{Slope: slope, Change: slope * (t[len(t)-1] - t[0]), P: p}, nil
}

// theilSen returns the median of the slopes between any two points; t ascends
// strictly. It holds with up to 29 % bad points.
func theilSen(t, y []float64) float64 {
	slopes := make([]float64, 0, len(t)*(len(t)-1)/2)
	for j := range t {
		for i := range j {
			slopes = append(slopes, (y[j]-y[i])/(t[j]-t[i]))
		}
	}
	return median(slopes)
}

// mannKendall returns S, the rising less the falling of all pairs of values, and
// its two-sided p from the normal approximation with continuity correction. The
// variance is n(n−1)(2n+5)/18, less the same term for every group of ties; 0 for
// a constant, whose p is 1.
func mannKendall(y []float64) (s int, p float64) {
	for j := range y {
		for i := range j {
			s += cmp.Compare(y[j], y[i])
		}
	}
	variance := kendallTerm(len(y))
	sorted := slices.Sorted(slices.Values(y))
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end] == sorted[start] {
			end++
		}
		variance -= kendallTerm(end - start)
		start = end
	}
	if s == 0 || variance <= 0 {
		return s, 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(variance)
	return s, min(1, 2*normalTail(z))
}

func kendallTerm(n int) float64 {
	return float64(n) * float64(n-1) * float64(2*n+5) / 18
}
