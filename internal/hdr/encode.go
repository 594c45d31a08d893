package hdr

import (
	"fmt"

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
