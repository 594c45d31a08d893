package stat

import (
	"math"
	"slices"
	"testing"
)

func TestHolm(t *testing.T) {
	tests := []struct {
		p    []float64
		want []HolmStep
	}{
		// In order 0.005 <= 0.05/4, 0.01 <= 0.05/3, 0.03 > 0.05/2: it and all above it stay,
		// 0.04 too, although it is below its own 0.05.
		{[]float64{0.01, 0.04, 0.03, 0.005}, []HolmStep{{0.05 / 3, true}, {0.05, false}, {0.05 / 2, false}, {0.05 / 4, true}}},
		// Equal p share one fate.
		{[]float64{0.02, 0.02, 0.02}, []HolmStep{{0.05 / 3, false}, {0.05 / 2, false}, {0.05, false}}},
		{[]float64{0.01, 0.01, 0.01}, []HolmStep{{0.05 / 3, true}, {0.05 / 2, true}, {0.05, true}}},
		{[]float64{0.05}, []HolmStep{{0.05, true}}},
		{[]float64{0, 1}, []HolmStep{{0.025, true}, {0.05, false}}},
		{nil, nil},
	}
	for _, tt := range tests {
		got, err := Holm(tt.p, 0.05)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Holm(%v) = %v, %v, want %v", tt.p, got, err, tt.want)
		}
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if got, err := Holm([]float64{0.5, p}, 0.05); err == nil {
			t.Errorf("p %v: %v, want an error", p, got)
		}
	}
	if got, err := Holm([]float64{0.5}, 0); err == nil {
		t.Errorf("level 0: %v, want an error", got)
	}
}
