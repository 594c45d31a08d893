package hdr

import (
	"fmt"
	"io"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// Encode returns the counts as base64 of the compressed V2 encoding that all
// HdrHistogram implementations read (values in nanoseconds).
func (h *Histogram) Encode() (string, error) {
	b, err := h.counts.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return string(b), nil
}

// WritePercentiles writes the distribution in the text format that HdrHistogram
// implementations call .hgrm: value, percentile, count and 1/(1-percentile) in
// columns, five steps for each halving of the distance to 100 %. Values are in
// milliseconds, as the plotters of that format expect.
func (h *Histogram) WritePercentiles(out io.Writer) error {
	if _, err := h.counts.PercentilesPrint(out, 5, 1e6); err != nil {
		return fmt.Errorf("write percentiles: %w", err)
	}
	return nil
}
