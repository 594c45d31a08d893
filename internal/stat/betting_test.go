package stat

import (
	"math"
	"testing"
)

func TestCapital(t *testing.T) {
	below := SignBet{Tau: -0.01, Stake: 0.6}
	above := SignBet{Tau: -0.01, Stake: 0.6, Above: true}
	// Six wins in a row are 1.6⁶ = 16.78, below 1/0.05 = 20; seven are 26.84.
	capital, err := below.Capital(repeated(7, -0.02))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "six wins", capital[5], 16.777216, 1e-9)
	near(t, "seven wins", capital[6], 26.8435456, 1e-9)
	// A win, a loss and a difference on tau, which is a loss for both sides.
	for _, tt := range []struct {
		bet  SignBet
		d    []float64
		want []float64
	}{
		{below, []float64{-0.02, 0, -0.01}, []float64{1.6, 0.64, 0.256}},
		{above, []float64{-0.02, 0, -0.01}, []float64{0.4, 0.64, 0.256}},
		{below, nil, nil},
	} {
		got, err := tt.bet.Capital(tt.d)
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%+v of %v: %v, %v", tt.bet, tt.d, got, err)
			continue
		}
		for i := range got {
			near(t, "capital", got[i], tt.want[i], 1e-12)
		}
	}
	long, err := above.Capital(repeated(5000, 1))
	if err != nil || math.IsInf(long[4999], 0) {
		t.Errorf("5000 wins: %v, %v", long[4999], err)
	}
	if got, err := (SignBet{Tau: math.NaN(), Stake: 0.6}).Capital([]float64{1}); err == nil {
		t.Errorf("tau NaN: %v, want an error", got)
	}
	for _, stake := range []float64{0, 1, -1, math.NaN()} {
		if got, err := (SignBet{Stake: stake}).Capital([]float64{1}); err == nil {
			t.Errorf("stake %v: %v, want an error", stake, got)
		}
	}
}
