package stat

import (
	"cmp"
	"fmt"
	"slices"
)

// HolmStep is what Holm's procedure made of one p.
type HolmStep struct {
	// Limit is what P was held against: level/(m−j+1) for the j-th smallest of m.
	Limit float64

	// Rejected: this p and every smaller one were within their limits.
	Rejected bool
}

// Holm tests a family of hypotheses so that any false rejection among them has
// probability at most level, however they depend on each other (Holm 1979). The
// steps come in the order of the p. A row that could not be tested counts in the
// family with p = 1. An empty family has no steps.
func Holm(p []float64, level float64) ([]HolmStep, error) {
	if err := checkLevel(level); err != nil {
		return nil, fmt.Errorf("Holm: %w", err)
	}
	order := make([]int, len(p))
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("Holm: p %v of row %d of %d is not between 0 and 1", v, i+1, len(p))
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	steps := make([]HolmStep, len(p))
	rejecting := true
	for j, row := range order {
		limit := level / float64(len(p)-j)
		rejecting = rejecting && p[row] <= limit
		steps[row] = HolmStep{Limit: limit, Rejected: rejecting}
	}
	return steps, nil
}
