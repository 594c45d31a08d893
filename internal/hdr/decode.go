package hdr

import (
	"fmt"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// Decode returns the histogram whose counts Encode has written, with the exact
// values that the encoding does not hold. It fails when the counts have another
// range or precision than Fine, are empty, or contradict the extremes. How many
// values were clamped is lost.
func Decode(text string, minNS, maxNS int64, meanNS float64) (*Histogram, error) {
	counts, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	if counts.LowestTrackableValue() != 1 || counts.HighestTrackableValue() != MaxNS || counts.SignificantFigures() != Fine {
		return nil, fmt.Errorf("decode histogram: %d digits up to %d ns, want %d up to %d", counts.SignificantFigures(), counts.HighestTrackableValue(), Fine, MaxNS)
	}
	n := counts.TotalCount()
	if n == 0 || !counts.ValuesAreEquivalent(counts.Min(), clamp(minNS)) || !counts.ValuesAreEquivalent(counts.Max(), clamp(maxNS)) {
		return nil, fmt.Errorf("decode histogram: %d values from %d to %d ns, want some from %d to %d", n, counts.Min(), counts.Max(), minNS, maxNS)
	}
	return &Histogram{counts: counts, min: minNS, max: maxNS, sum: meanNS * float64(n)}, nil
}

func clamp(ns int64) int64 { return min(max(ns, 0), MaxNS) }
