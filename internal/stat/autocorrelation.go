package stat

import "fmt"

// DependentLag1 is the lag-1 autocorrelation above which pairs are not taken to
// be independent, so that the interval of rounds is to be used.
const DependentLag1 = 0.5

// Lag1 returns the autocorrelation of values in the order of time with their
// successors, Σ(x_i − x̄)(x_{i+1} − x̄)/Σ(x_i − x̄)², in [−1, 1]. Constant values
// give 0. It needs three.
func Lag1(x []float64) (float64, error) {
	if err := checkSample(x, "values", 3); err != nil {
		return 0, fmt.Errorf("autocorrelation: %w", err)
	}
	m := mean(x)
	total := sumOfSquares(x, m)
	if total == 0 {
		return 0, nil
	}
	products := 0.0
	for i := range x[1:] {
		products += (x[i] - m) * (x[i+1] - m)
	}
	return products / total, nil
}
