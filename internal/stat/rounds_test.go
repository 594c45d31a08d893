package stat

import (
	"math"
	"testing"
)

func TestCompareRounds(t *testing.T) {
	// Variance 1 in each round: S1² = 1. Means 2, 3, 7 about 4: S2² = (4+1+9)/2 = 7.
	// K = 3: T2² = 7 − 1/3, F = 3·7/1 = 21 with 2 and 6 degrees of freedom, for which
	// P = (1 + 2·21/6)^−3 = 1/512.
	r, err := CompareRounds([][]float64{{1, 2, 3}, {4, 3, 2}, {6, 8, 7}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "PairsPerRound", r.PairsPerRound, 3, 1e-12)
	near(t, "Mean", r.Mean, 4, 1e-12)
	near(t, "S1²", r.PairVariance, 1, 1e-12)
	near(t, "S2²", r.MeanVariance, 7, 1e-12)
	near(t, "T2²", r.RoundVariance, 7-1.0/3, 1e-12)
	near(t, "F", r.F, 21, 1e-10)
	near(t, "P", r.P, 1.0/512, 1e-10)
	if r.Rounds != 3 || !r.RoundEffect() {
		t.Errorf("%+v has no round effect", r)
	}
	// t with 2 degrees of freedom at 0.95 is 0.9/√(2·0.95·0.05) = 2.91999.
	iv, err := r.Interval(0.05)
	if err != nil || iv.Level != 0.05 {
		t.Errorf("interval %+v, %v", iv, err)
	}
	half := 0.9 / math.Sqrt(2*0.95*0.05) * math.Sqrt(7.0/3)
	near(t, "Lo", iv.Lo, 4-half, 1e-8)
	near(t, "Hi", iv.Hi, 4+half, 1e-8)
}

func TestCompareUnequalRounds(t *testing.T) {
	// Variances 2 and 2/3: S1² = 4/3. Means 1 and 4: S2² = 4.5. K is the harmonic mean
	// of 2 and 4, 8/3: F = 8/3·4.5/(4/3) = 9 with 1 and 4 degrees of freedom, as |t| = 3:
	// sin² = 9/13, P = 1 − √(9/13)·(1 + 2/13) = 0.03994.
	r, err := CompareRounds([][]float64{{0, 2}, {3, 5, 4, 4}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "PairsPerRound", r.PairsPerRound, 8.0/3, 1e-12)
	near(t, "F", r.F, 9, 1e-10)
	near(t, "P", r.P, 1-math.Sqrt(9.0/13)*(1+2.0/13), 1e-10)
}

func TestCompareConstantRounds(t *testing.T) {
	apart, err := CompareRounds([][]float64{{0.1, 0.1, 0.1}, {0.3, 0.3, 0.3}})
	if err != nil || !math.IsInf(apart.F, 1) || apart.P != 0 || !apart.RoundEffect() {
		t.Errorf("two constants: %+v, %v", apart, err)
	}
	same, err := CompareRounds([][]float64{{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}})
	if err != nil || same.F != 0 || same.P != 1 || same.RoundEffect() {
		t.Errorf("one constant: %+v, %v", same, err)
	}
	if iv, err := same.Interval(1e-300); err != nil || iv.Lo != 0.1 || iv.Hi != 0.1 {
		t.Errorf("interval of a constant: %+v, %v", iv, err)
	}
}

func TestCompareTooFewRounds(t *testing.T) {
	_, err := CompareRounds([][]float64{{1, 2, 3}})
	needs(t, "one round", err, 2)
	_, err = CompareRounds([][]float64{{1, 2}, {}})
	needs(t, "a round of no pair", err, 1)
	_, err = RoundCheck{Rounds: 1}.Test(0)
	needs(t, "test of one round", err, 2)
	_, err = RoundCheck{Rounds: 1}.DetectableLoss(Power{0.05, 0.9})
	needs(t, "loss that one round detects", err, 2)
	_, err = RoundCheck{Rounds: 1}.RoundsToDetect(0.01, Power{0.05, 0.9})
	needs(t, "rounds to detect of one", err, 2)
	if iv, err := (RoundCheck{Rounds: 3}).Interval(0.5); err == nil {
		t.Errorf("level 0.5: %+v, want an error", iv)
	}
	_, err = RoundCheck{}.Interval(0.05)
	needs(t, "no rounds", err, 2)
}

// Rounds of one pair have means, but nothing to hold them against: 1, 2 and 6 have the mean
// 3 and S2² = (4+1+9)/2 = 7. One round of two pairs is enough for S1².
func TestRoundsOfOnePair(t *testing.T) {
	r, err := CompareRounds([][]float64{{1}, {2}, {6}})
	if err != nil || r.Mean != 3 || r.MeanVariance != 7 || r.F != 0 || r.P != 1 || r.Freedom != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, ok := r.BestSplit(1, 1); ok {
		t.Error("a split of nothing known")
	}
	r, err = CompareRounds([][]float64{{1}, {1, 3}, {6}})
	if err != nil || r.PairVariance != 2 || r.Freedom != 1 || r.P == 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The p of 0 in the sample of TestCompareRounds: t = 4/√(7/3) = 2.61861 with two degrees of
// freedom, above which lies (1 − t/√(2+t²))/2 = 0.06006. It is the level at which the
// bound lies on 0.
func TestRoundsAgainstTau(t *testing.T) {
	r, err := CompareRounds([][]float64{{1, 2, 3}, {4, 3, 2}, {6, 8, 7}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Test(0)
	if err != nil {
		t.Fatal(err)
	}
	want := (1 - 2.618615/math.Sqrt(2+2.618615*2.618615)) / 2
	near(t, "PAbove", s.PAbove, want, 1e-6)
	near(t, "PBelow", s.PBelow, 1-want, 1e-6)
	iv, err := r.Interval(s.PAbove)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the bound at this level", iv.Lo, 0, 1e-9)
	if above, _ := r.Test(8); math.Abs(above.PBelow-s.PAbove) > 1e-12 { // 8 is as far on the other side
		t.Errorf("%+v is not the mirror of %+v", above, s)
	}
	constant, err := CompareRounds([][]float64{{1, 1}, {1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for tau, want := range map[float64]Shift{0: {2, 0, 1}, 1: {2, 0.5, 0.5}, 2: {2, 1, 0}} {
		if s, err := constant.Test(tau); err != nil || s != want {
			t.Errorf("a constant against %v: %+v, %v, want %+v", tau, s, err, want)
		}
	}
}

func TestBestSplit(t *testing.T) {
	// S1² = 4, T2² = 1: where a round costs as much as a pair, √4 = 2 pairs; nine times as
	// much, √36 = 6; a quarter of it, 1; ten times, ⌈√40⌉ = 7.
	r := RoundCheck{PairVariance: 4, RoundVariance: 1, Freedom: 12}
	for round, want := range map[float64]int{1: 2, 9: 6, 0.25: 1, 0: 1, 10: 7} {
		if pairs, ok := r.BestSplit(round, 1); !ok || pairs != want {
			t.Errorf("a round for %v pairs: %d, %v, want %d", round, pairs, ok, want)
		}
	}
	for _, none := range []RoundCheck{{PairVariance: 4, Freedom: 12}, {PairVariance: 4, RoundVariance: -1, Freedom: 12}, {PairVariance: 1, RoundVariance: 1e-300, Freedom: 12}} {
		if pairs, ok := none.BestSplit(1, 1); ok {
			t.Errorf("%+v: %d", none, pairs)
		}
	}
	if _, ok := r.BestSplit(1, 0); ok {
		t.Error("pairs for nothing")
	}
}
