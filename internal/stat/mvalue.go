package stat

import (
	"fmt"
	"math"
	"slices"
)

// MValue counts the peaks of a histogram without naming them: the sum of the
// steps between neighbouring bins, the ends being zero, over the highest bin
// (Gregg 2013). One peak gives 2, two equally high ones with nothing between
// them 4; all values equal is one peak. It needs one value, and means little for
// fewer than 40.
func MValue(x []float64) (float64, error) {
	if err := checkSample(x, "values", 1); err != nil {
		return 0, fmt.Errorf("m-value: %w", err)
	}
	return mValue(slices.Sorted(slices.Values(x))), nil
}

// mValue has bins as wide as Scott's rule makes them, 3.5·s/∛n.
func mValue(sorted []float64) float64 {
	if sorted[0] == sorted[len(sorted)-1] {
		return 2
	}
	return steps(bins(sorted, 3.5*sd(sorted)/math.Cbrt(float64(len(sorted)))))
}

// bins anchors each bin at the first value beyond the one before it, and leaves
// an empty one where the values are further apart than a bin is wide. On a fixed
// grid two narrow modes fall into neighbouring bins, and a gap that everybody
// sees is gone.
func bins(sorted []float64, width float64) []int {
	var counts []int
	start := math.Inf(-1)
	for i, v := range sorted {
		if v-start > width {
			if i > 0 && v-sorted[i-1] > width {
				counts = append(counts, 0)
			}
			counts = append(counts, 0)
			start = v
		}
		counts[len(counts)-1]++
	}
	return counts
}

func steps(counts []int) float64 {
	sum, before := 0, 0
	for _, c := range counts {
		sum += max(c-before, before-c)
		before = c
	}
	return float64(sum+before) / float64(slices.Max(counts))
}
