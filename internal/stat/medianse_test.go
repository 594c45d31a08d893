package stat

import (
	"math"
	"testing"
)

// The variance of 9.8, 9.9, 10.1, 10.2 is 0.1 / 3, so that a median of four of them is known
// to 1.2533 × 0.18257 / 2.
func TestMedianSE(t *testing.T) {
	se, err := MedianSE([]float64{9.8, 10.2, 9.9, 10.1})
	if err != nil || math.Abs(se-0.114409) > 1e-5 {
		t.Errorf("%v, %v", se, err)
	}
	if _, err := MedianSE([]float64{1}); err == nil {
		t.Error("one value has an error")
	}
}
