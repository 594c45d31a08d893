package stat

import (
	"math"
	"testing"
)

// The table of MDE and pairs for α 0.05 and power 0.90: σ_d = √2·CV, and
// z_0.95 + z_0.90 = 1.64485 + 1.28155 = 2.92641.
func TestDetectableLoss(t *testing.T) {
	p := Power{Level: 0.05, Power: 0.90}
	tests := []struct {
		cv       float64
		of15     float64 // in percent
		of25     float64
		pairsFor int // a loss of 1 %
	}{
		{0.005, 0.55, 0.42, 5},
		{0.01, 1.09, 0.84, 18},
		{0.02, 2.16, 1.68, 72},
		{0.04, 4.28, 3.33, 285},
		{0.06, 6.35, 4.95, 640}, // (2.92641·0.084853/0.0100503)²/0.955 = 639.2
	}
	for _, tt := range tests {
		sigma := math.Sqrt2 * tt.cv
		of15, err := DetectableLoss(sigma, 15, p)
		if err != nil {
			t.Fatal(err)
		}
		of25, err := DetectableLoss(sigma, 25, p)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "15 pairs", 100*of15, tt.of15, 0.005)
		near(t, "25 pairs", 100*of25, tt.of25, 0.005)
		if got, err := PairsToDetect(sigma, 0.01, p); err != nil || got != tt.pairsFor {
			t.Errorf("CV %v: %d pairs, %v, want %d", tt.cv, got, err, tt.pairsFor)
		}
	}
}

func TestPowerRefuses(t *testing.T) {
	p := Power{Level: 0.05, Power: 0.90}
	_, err := DetectableLoss(0.01, 4, p)
	needs(t, "four pairs", err, 5)
	// Without noise the least number of pairs is still that of the test.
	if got, err := PairsToDetect(0, 0.01, p); err != nil || got != 5 {
		t.Errorf("no noise: %d pairs, %v, want 5", got, err)
	}
	if got, err := DetectableLoss(0, 15, p); err != nil || got != 0 {
		t.Errorf("no noise: loss %v, %v, want 0", got, err)
	}
	for _, loss := range []float64{0, 1, -0.1, math.NaN(), 1e-300} {
		if got, err := PairsToDetect(0.01, loss, p); err == nil {
			t.Errorf("loss %v: %d pairs, want an error", loss, got)
		}
	}
	for _, sigma := range []float64{-1, math.NaN(), math.Inf(1)} {
		if got, err := DetectableLoss(sigma, 15, p); err == nil {
			t.Errorf("sigma %v: loss %v, want an error", sigma, got)
		}
		if got, err := PairsToDetect(sigma, 0.01, p); err == nil {
			t.Errorf("sigma %v: %d pairs, want an error", sigma, got)
		}
	}
	for _, p := range []Power{{0, 0.9}, {0.5, 0.9}, {0.05, 0.4}, {0.05, 1}, {0.05, math.NaN()}} {
		if got, err := DetectableLoss(0.01, 15, p); err == nil {
			t.Errorf("%+v: loss %v, want an error", p, got)
		}
	}
}

func TestPairSigma(t *testing.T) {
	tests := []struct {
		d    []float64
		want float64
	}{
		// Distances from 0: 2, 1, 0, 1, 50.
		{[]float64{-2, -1, 0, 1, 50}, 1.4826},
		// Three of four equal: MAD 0, so mean 1, squares 1+1+1+9 over 3.
		{[]float64{0, 0, 0, 4}, 2},
		{[]float64{7, 7, 7}, 0},
	}
	for _, tt := range tests {
		got, err := PairSigma(tt.d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "PairSigma", got, tt.want, 1e-12)
	}
	_, err := PairSigma([]float64{1})
	needs(t, "one pair", err, 2)
}

// Three rounds whose means have S2² = 3e-4, of which S1²/K explains 1e-4: t of two degrees
// of freedom at 0.05 and 0.10 is 2.91999 and 1.88562, so that a shift of
// 4.80561·√(3e-4/3) = 0.0480561 is seen. Six rounds: 2.01505 and 1.47588 of five degrees of
// freedom, times √(3e-4/6).
func TestRoundsDetect(t *testing.T) {
	p := Power{Level: 0.05, Power: 0.90}
	r := RoundCheck{Rounds: 3, PairsPerRound: 4, PairVariance: 4e-4, MeanVariance: 3e-4}
	loss, err := r.DetectableLoss(p)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "three rounds", loss, 1-math.Exp(-0.0480561), 1e-6)
	six := 1 - math.Exp(-(2.01505+1.47588)*math.Sqrt(3e-4/6))
	for want, loss := range map[int]float64{3: loss, 6: six, 7: six * 0.9999, 2: 0.9} {
		if rounds, err := r.RoundsToDetect(loss*(1+1e-6), p); err != nil || rounds != want {
			t.Errorf("for %v: %d rounds, %v, want %d", loss, rounds, err, want)
		}
	}
	// Means that lie together by chance promise nothing: S1²/K counts, 1e-4 here.
	r.MeanVariance = 1e-9
	loss, err = r.DetectableLoss(p)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "three rounds alike", loss, 1-math.Exp(-4.80561*math.Sqrt(1e-4/3)), 1e-6)
	if _, err := r.RoundsToDetect(1e-9, p); err == nil {
		t.Error("a loss of 1e-9: no error")
	}
	if _, err := r.RoundsToDetect(0, p); err == nil {
		t.Error("no loss: no error")
	}
	if _, err := r.DetectableLoss(Power{Level: 0.6, Power: 0.9}); err == nil {
		t.Error("level 0.6: no error")
	}
}
