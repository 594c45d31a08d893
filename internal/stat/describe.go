package stat

import (
	"fmt"
	"math"
	"slices"
)

// madToSigma turns a median absolute deviation into the standard deviation of a
// normal distribution: 1 / Φ⁻¹(3/4).
const madToSigma = 1.4826

// Median returns the middle value, or the mean of the two middle ones. It needs
// one value.
func Median(x []float64) (float64, error) {
	if err := checkSample(x, "values", 1); err != nil {
		return 0, fmt.Errorf("median: %w", err)
	}
	return median(x), nil
}

// MAD returns the median absolute deviation from the median, unscaled, in the
// unit of x. It needs one value.
func MAD(x []float64) (float64, error) {
	if err := checkSample(x, "values", 1); err != nil {
		return 0, fmt.Errorf("median absolute deviation: %w", err)
	}
	return mad(x), nil
}

// CV returns the coefficient of variation: the standard deviation with n−1 over
// the mean, as a fraction. It needs two values and a mean above zero, as rates
// and durations have.
func CV(x []float64) (float64, error) {
	if err := checkSample(x, "values", 2); err != nil {
		return 0, fmt.Errorf("coefficient of variation: %w", err)
	}
	m := mean(x)
	if m <= 0 {
		return 0, fmt.Errorf("coefficient of variation: mean %v is not above 0", m)
	}
	return sd(x) / m, nil
}

// medianSE is the standard error of a median over that of a mean, of many values of a normal
// distribution: sqrt(π/2). Of few it is less (1 of 2, 1.16 of 3), so that it errs upwards.
const medianSE = 1.2533

// MedianSE returns the standard error of the median of values that are independent of each
// other, in the unit of x. It needs two values.
func MedianSE(x []float64) (float64, error) {
	if err := checkSample(x, "values", 2); err != nil {
		return 0, fmt.Errorf("standard error of a median: %w", err)
	}
	return medianSE * sd(x) / math.Sqrt(float64(len(x))), nil
}

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

func mad(x []float64) float64 {
	centre := median(x)
	deviations := make([]float64, len(x))
	for i, v := range x {
		deviations[i] = math.Abs(v - centre)
	}
	return median(deviations)
}

// mean sums the distances from the first value, so that the mean of equal values
// is that value to the last bit. A plain sum of three times 0.1 is not 0.3, and
// what is constant would get a variance of 1e-34, in whose units any rounding
// error is a huge effect. Of nothing it is a panic: callers have checked.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v - x[0]
	}
	return x[0] + sum/float64(len(x))
}

// variance divides by n−1. It goes through the data twice: the one-pass formula
// loses every digit where the spread is small beside the values, as with rates.
func variance(x []float64) float64 {
	return sumOfSquares(x, mean(x)) / float64(len(x)-1)
}

func sd(x []float64) float64 { return math.Sqrt(variance(x)) }

// sumOfSquares sums the squared distances from about.
func sumOfSquares(x []float64, about float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += (v - about) * (v - about)
	}
	return sum
}
