package stat

import (
	"errors"
	"math"
	"testing"
)

func TestTheilSen(t *testing.T) {
	tests := []struct {
		t, y []float64
		want float64
	}{
		// Six slopes of 2 among the good points, and 94, 48, 32.7 and 25 with the bad
		// one: the fifth and sixth of ten are 2.
		{[]float64{0, 1, 2, 3, 4}, []float64{0, 2, 4, 6, 100}, 2},
		// Slopes 1, 5 and 3.
		{[]float64{0, 1, 2}, []float64{0, 1, 6}, 3},
		{[]float64{0, 10}, []float64{1, 0}, -0.1},
	}
	for _, tt := range tests {
		if got := theilSen(tt.t, tt.y); got != tt.want {
			t.Errorf("theilSen(%v, %v) = %v, want %v", tt.t, tt.y, got, tt.want)
		}
	}
}

func TestMannKendall(t *testing.T) {
	rising := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	// All 45 pairs rise; variance 10·9·25/18 = 125; z = 44/√125 = 3.935.
	s, p := mannKendall(rising)
	if s != 45 {
		t.Errorf("S = %d, want 45", s)
	}
	near(t, "p", p, math.Erfc(44/math.Sqrt(125)/math.Sqrt2), 1e-15)
	near(t, "p", p, 8.3e-5, 1e-6)
	if s, _ := mannKendall(negated(rising)); s != -45 {
		t.Errorf("S falling = %d, want -45", s)
	}
	// One tie: 5 of 6 pairs rise; variance 4·3·13/18 − 2·1·9/18 = 23/3;
	// z = 4/√(23/3) = 1.4446.
	s, p = mannKendall([]float64{1, 1, 2, 3})
	if s != 5 {
		t.Errorf("S with a tie = %d, want 5", s)
	}
	near(t, "p with a tie", p, math.Erfc(4/math.Sqrt(23.0/3)/math.Sqrt2), 1e-15)
	if s, p := mannKendall([]float64{4, 4, 4, 4}); s != 0 || p != 1 {
		t.Errorf("constant: S %d, p %v", s, p)
	}
}

func TestDriftTest(t *testing.T) {
	// 45 runs, 40 s apart, of a host that loses 8 % over the session, in no order.
	var times, rates []float64
	for i := range 45 {
		at := i * 7 % 45
		times = append(times, float64(at*40))
		rates = append(rates, math.Log(112542)-0.08*float64(at)/44)
	}
	drift, err := DriftTest(times, rates)
	if err != nil || !drift.Flagged() {
		t.Errorf("8 %% down: %+v, %v", drift, err)
	}
	near(t, "Change", drift.Change, -0.08, 1e-12)
	near(t, "Slope", drift.Slope, -0.08/44/40, 1e-15)
	for i := range rates { // a quarter of it is certain all the same, but small
		rates[i] = math.Log(112542) + (rates[i]-math.Log(112542))/5
	}
	if small, err := DriftTest(times, rates); err != nil || small.Flagged() || small.P > 1e-9 {
		t.Errorf("1.6 %% down: %+v, %v", small, err)
	}
	if _, err := DriftTest([]float64{1, 2, 2}, []float64{1, 2, 3}); err == nil {
		t.Error("two runs at one time: no error")
	}
	if _, err := DriftTest([]float64{1, 2, 3}, []float64{1, 2}); err == nil {
		t.Error("a run without a time: no error")
	}
	if got, err := DriftTest([]float64{0, 5e-324, 1e-323}, []float64{0, 1, 2}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("times that nearly coincide: %+v, %v", got, err)
	}
	_, err = DriftTest([]float64{1, 2}, []float64{1, 2})
	needs(t, "two runs", err, 3)
}
