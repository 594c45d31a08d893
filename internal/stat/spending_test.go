package stat

import (
	"math"
	"testing"
)

func TestSpent(t *testing.T) {
	// Three looks at 0.05: 2·(1 − Φ(1.95996/√t)) at 1/3, 2/3 and 1.
	for _, tt := range []struct{ t, want float64 }{{1.0 / 3, 0.00069}, {2.0 / 3, 0.01637}, {1, 0.05}} {
		got, err := OBF.Spent(tt.t, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "obf", got, tt.want, 5e-6)
	}
	for s, half := range map[Spending]float64{OBF: 0.00557, Power2: 0.0125} {
		for at, want := range map[float64]float64{-1: 0, 0: 0, 0.5: half, 1: 0.05, 2: 0.05} {
			got, err := s.Spent(at, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			near(t, s.String(), got, want, 5e-6)
		}
		for _, bad := range [][2]float64{{math.NaN(), 0.05}, {0.5, 0}, {0.5, math.NaN()}} {
			if got, err := s.Spent(bad[0], bad[1]); err == nil {
				t.Errorf("%v spent %v of %v", s, got, bad)
			}
		}
	}
}

func TestLookLevels(t *testing.T) {
	tests := []struct {
		spending    Spending
		first, last int
		want        []float64
	}{
		{OBF, 3, 6, []float64{.00557, .01080, .01542, .01821}},
		{OBF, 3, 8, []float64{.00137, .00420, .00759, .01046, .01252, .01385}},
		{OBF, 3, 10, []float64{.00035, .00160, .00363, .00582, .00775, .00928, .01040, .01117}},
		// 0.05·(9, 16 − 9, 25 − 16, 36 − 25)/36.
		{Power2, 3, 6, []float64{.0125, .00972, .0125, .01528}},
		// One look is the fixed design.
		{OBF, 3, 3, []float64{.05}},
		{Power2, 1, 1, []float64{.05}},
	}
	for _, tt := range tests {
		got, err := tt.spending.LookLevels(0.05, tt.first, tt.last)
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%v, %d to %d: %v, %v", tt.spending, tt.first, tt.last, got, err)
			continue
		}
		sum := 0.0
		for i, level := range got {
			near(t, tt.spending.String(), level, tt.want[i], 6e-6)
			sum += level
		}
		near(t, "sum", sum, 0.05, 1e-15)
	}
	for _, looks := range [][2]int{{0, 3}, {-1, 2}, {4, 3}, {1, math.MaxInt}} {
		if got, err := OBF.LookLevels(0.05, looks[0], looks[1]); err == nil {
			t.Errorf("looks %v: %v, want an error", looks, got)
		}
	}
	if got, err := OBF.LookLevels(0.5, 3, 6); err == nil {
		t.Errorf("level 0.5: %v, want an error", got)
	}
}

func TestParseSpending(t *testing.T) {
	for _, s := range []Spending{OBF, Power2} {
		if got, err := ParseSpending(s.String()); err != nil || got != s {
			t.Errorf("ParseSpending(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := ParseSpending("pocock"); err == nil || err.Error() != `spending function "pocock" is none of obf, power2` {
		t.Errorf("error %v", err)
	}
	if got := Spending(9).String(); got != "Spending(9)" {
		t.Errorf("Spending(9) is %q", got)
	}
}
