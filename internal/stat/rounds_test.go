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
	_, err = CompareRounds([][]float64{{1, 2}, {1}})
	needs(t, "a round of one pair", err, 2)
	if iv, err := (RoundCheck{Rounds: 3}).Interval(0.5); err == nil {
		t.Errorf("level 0.5: %+v, want an error", iv)
	}
	_, err = RoundCheck{}.Interval(0.05)
	needs(t, "no rounds", err, 2)
}
