// Package hdr records durations in nanoseconds into HdrHistograms, with what
// those alone do not keep: the exact minimum, maximum and sum, and how many
// values had to be clamped.
//
// The counting is done by hdrhistogram-go; this package fixes the range (1 ns
// to one hour), refuses nothing, and says when a percentile is not supported
// by the number of samples. Read hdr.go, then encode.go.
package hdr

import (
	"math"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// MaxNS is the largest value that is told apart: one hour. A lowest value of
// 1 ns (and not 1 us) keeps the full precision for short durations; a lowest of
// 1000 would quantise to 512 ns.
const MaxNS = int64(time.Hour)

// Digits of precision: 3 for what is reported (a value is right to 0.1 %), 2
// for the small histograms of windows.
const (
	Fine   = 3 // 270 KiB
	Coarse = 2 // 37 KiB
)

// Histogram counts durations in nanoseconds. It belongs to one goroutine.
// The zero value is not usable; see New.
type Histogram struct {
	counts  *hdrhistogram.Histogram
	min     int64
	max     int64
	sum     float64 // float64: an int64 of ns overflows after 292 years of summed time
	clamped uint64
}

// New returns an empty histogram with Fine or Coarse precision.
func New(digits int) *Histogram {
	return &Histogram{counts: hdrhistogram.New(1, MaxNS, digits), min: math.MaxInt64}
}

// Record counts one duration. Values outside [0, MaxNS] are clamped before
// they are recorded, and counted in Clamped; minimum, maximum and sum keep the
// true value. It does not allocate.
func (h *Histogram) Record(ns int64) {
	h.min = min(h.min, ns)
	h.max = max(h.max, ns)
	h.sum += float64(ns)
	if uint64(ns) > uint64(MaxNS) { // negative values are large unsigned ones
		h.clamped++
		ns = min(max(ns, 0), MaxNS)
	}
	// Cannot fail: the range was just enforced.
	_ = h.counts.RecordValue(ns)
}

// Merge adds the counts of o to h. Both may be of either precision; the result
// is as precise as the coarser of the two.
func (h *Histogram) Merge(o *Histogram) {
	if o.Count() == 0 {
		return
	}
	h.counts.Merge(o.counts)
	h.min = min(h.min, o.min)
	h.max = max(h.max, o.max)
	h.sum += o.sum
	h.clamped += o.clamped
}

// Reset empties h.
func (h *Histogram) Reset() {
	h.counts.Reset()
	h.min, h.max, h.sum, h.clamped = math.MaxInt64, 0, 0, 0
}

// Count returns how many values were recorded.
func (h *Histogram) Count() uint64 { return uint64(h.counts.TotalCount()) }

// Clamped returns how many of them lay outside [0, MaxNS].
func (h *Histogram) Clamped() uint64 { return h.clamped }

// MinNS returns the exact smallest value; 0 when nothing was recorded.
func (h *Histogram) MinNS() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.min
}

// MaxNS returns the exact largest value; 0 when nothing was recorded.
func (h *Histogram) MaxNS() int64 { return h.max }

// MeanNS returns the exact mean; 0 when nothing was recorded.
func (h *Histogram) MeanNS() float64 {
	if h.Count() == 0 {
		return 0
	}
	return h.sum / float64(h.Count())
}

// QuantileNS returns the value below which the fraction q (0 to 1) of all
// values lies, to the histogram's precision and never above the exact maximum.
// ok is false when fewer than one value is expected beyond it, count x (1 - q)
// < 1: such a percentile is a guess about samples that were not taken.
func (h *Histogram) QuantileNS(q float64) (ns int64, ok bool) {
	// 1e-9 keeps 1000 x (1 - 0.999) = 0.99999… on the right side.
	if float64(h.Count())*(1-q) < 1-1e-9 {
		return 0, false
	}
	return min(max(h.counts.ValueAtPercentile(q*100), h.MinNS()), h.max), true
}
