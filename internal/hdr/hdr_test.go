package hdr

import (
	"math/rand/v2"
	"slices"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

func TestExactValues(t *testing.T) {
	h := New(Fine)
	for _, ns := range []int64{1_000_003, 7, 500} {
		h.Record(ns)
	}
	if h.Count() != 3 || h.MinNS() != 7 || h.MaxNS() != 1_000_003 {
		t.Errorf("count %d min %d max %d, want 3 7 1000003", h.Count(), h.MinNS(), h.MaxNS())
	}
	if want := 1_000_510.0 / 3; h.MeanNS() != want { // 1000003 + 7 + 500 = 1000510
		t.Errorf("mean %v, want %v", h.MeanNS(), want)
	}
}

func TestEmpty(t *testing.T) {
	h := New(Coarse)
	if _, ok := h.QuantileNS(0.5); ok || h.MinNS() != 0 || h.MaxNS() != 0 || h.MeanNS() != 0 {
		t.Error("an empty histogram reports a value")
	}
}

func TestClampIsCounted(t *testing.T) {
	h := New(Fine)
	h.Record(-5)
	h.Record(MaxNS + 1)
	h.Record(0)
	h.Record(MaxNS)
	if h.Clamped() != 2 || h.Count() != 4 { // -5 and MaxNS+1
		t.Errorf("clamped %d of %d, want 2 of 4", h.Clamped(), h.Count())
	}
	if h.MinNS() != -5 || h.MaxNS() != MaxNS+1 {
		t.Errorf("extremes %d, %d are not the true ones", h.MinNS(), h.MaxNS())
	}
}

// The quantiles of a small sample are known exactly: with n values sorted, the
// smallest value that at least q*n values do not exceed is number ceil(q*n).
func TestQuantilesAgainstSorting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, digits := range []int{Fine, Coarse} {
		h := New(digits)
		values := make([]int64, 10_000)
		for i := range values {
			values[i] = 1 + random.Int64N(1<<uint(5+random.IntN(30)))
			h.Record(values[i])
		}
		slices.Sort(values)
		for _, c := range []struct {
			q  float64
			at int // ceil(q * 10000) - 1
		}{{0.5, 4999}, {0.75, 7499}, {0.9, 8999}, {0.95, 9499}, {0.99, 9899}, {0.999, 9989}} {
			got, ok := h.QuantileNS(c.q)
			want := values[c.at]
			tolerance := want / 1000 // three digits: a bucket is at most 1/1024 of its value
			if digits == Coarse {
				tolerance = want / 100
			}
			if !ok || got < want || got > want+tolerance+1 {
				t.Errorf("%d digits: q %v = %d (%v), want %d to %d", digits, c.q, got, ok, want, want+tolerance)
			}
		}
	}
}

func TestQuantileNeedsSamples(t *testing.T) {
	h := New(Fine)
	for range 999 {
		h.Record(100)
	}
	if _, ok := h.QuantileNS(0.999); ok { // 999 * 0.001 = 0.999 < 1
		t.Error("p99.9 of 999 samples is reported")
	}
	h.Record(100)
	if _, ok := h.QuantileNS(0.999); !ok { // 1000 * 0.001 = 1
		t.Error("p99.9 of 1000 samples is withheld")
	}
}

func TestMergeEqualsRecordingAll(t *testing.T) {
	a, b, all := New(Fine), New(Fine), New(Fine)
	for i := range int64(1000) {
		all.Record(i * i)
		if i%3 == 0 {
			a.Record(i * i)
		} else {
			b.Record(i * i)
		}
	}
	a.Merge(b)
	if !a.counts.Equals(all.counts) || a.MinNS() != all.MinNS() || a.MaxNS() != all.MaxNS() || a.MeanNS() != all.MeanNS() {
		t.Error("merged parts differ from the whole")
	}
	a.Reset()
	if a.Count() != 0 || a.MaxNS() != 0 {
		t.Error("Reset left something")
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	h := New(Fine)
	for i := range int64(5000) {
		h.Record(i * 977)
	}
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !back.Equals(h.counts) {
		t.Error("decoded histogram differs")
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h := New(Fine)
	if n := testing.AllocsPerRun(1000, func() { h.Record(-1); h.Record(12345); h.Record(MaxNS * 2) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	h := New(Fine)
	for i := int64(0); b.Loop(); i++ {
		h.Record(200_000 + i&0xffff)
	}
}
