package main

import (
	"fmt"
	"slices"
)

// median returns the middle value, or the mean of the two in the middle; 0 of
// nothing.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// mean of at least one value.
func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// of collects one number of every sample.
func of(samples []sample, number func(sample) float64) []float64 {
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, number(s))
	}
	return values
}

// The numbers of a sample that are compared; times in nanoseconds.
func rps(s sample) float64                 { return s.rps }
func cpuMicrosPerRequest(s sample) float64 { return s.cpuMicrosPerRequest }
func peakRSSBytes(s sample) float64        { return float64(s.peakRSSBytes) }
func peerBusyFrac(s sample) float64        { return s.peerBusyFrac }
func serverBusyFrac(s sample) float64      { return s.serverBusyFrac }
func underLoadFrac(s sample) float64       { return s.underLoadFrac }
func threads(s sample) float64             { return float64(s.threads) }
func p50(s sample) float64                 { return float64(s.p50) }
func p99(s sample) float64                 { return float64(s.p99) }

// ratio is one peer's number by another's.
type ratio struct {
	median   float64 // of the two medians
	min, max float64 // of the ratios inside each round
}

// newRatio compares the samples of two peers round by round. Both have one for
// each round; a denominator of 0 makes the ratio infinite or NaN, which the
// table shows as not available.
func newRatio(above, below []sample, number func(sample) float64) ratio {
	a, b := of(above, number), of(below, number)
	r := ratio{median: median(a) / median(b)}
	for round := range min(len(a), len(b)) {
		inRound := a[round] / b[round]
		if round == 0 {
			r.min, r.max = inRound, inRound
		}
		r.min, r.max = min(r.min, inRound), max(r.max, inRound)
	}
	return r
}

func (r ratio) String() string {
	if !(r.median > 0 && r.max <= maxPrintedRatio) {
		return "n/a"
	}
	return fmt.Sprintf("%.2f (%.2f..%.2f)", r.median, r.min, r.max)
}

// maxPrintedRatio is beyond anything that two load generators can differ by:
// one of the numbers was not measured.
const maxPrintedRatio = 1e6

// countErrors adds up the failed requests of a peer on a course.
func countErrors(samples []sample) int64 {
	var n int64
	for _, s := range samples {
		n += s.errors
	}
	return n
}
