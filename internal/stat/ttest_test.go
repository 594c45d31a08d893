package stat

import (
	"math"
	"testing"
)

func TestWelchInterval(t *testing.T) {
	// Equal noise: √2 of it, with the degrees of freedom of both, 18: t_0.975 = 2.10092.
	iv, err := WelchInterval(Measured{1, 0.1, 9}, Measured{3, 0.1, 9}, 0.025)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "lower", iv.Lo, 2-2.10092*0.1*math.Sqrt2, 1e-5)
	near(t, "upper", iv.Hi, 2+2.10092*0.1*math.Sqrt2, 1e-5)
	// All of the noise is of one: its own degrees of freedom, t_0.975 with 9 = 2.26216.
	iv, _ = WelchInterval(Measured{0, 0, 99}, Measured{0, 1, 9}, 0.025)
	near(t, "of one alone", iv.Hi, 2.26216, 1e-5)
	// No noise at all.
	if iv, err := WelchInterval(Measured{1, 0, 9}, Measured{3, 0, 9}, 0.025); err != nil || iv.Lo != 2 || iv.Hi != 2 {
		t.Errorf("without noise: %+v, %v", iv, err)
	}
	for _, bad := range []Measured{{math.NaN(), 1, 9}, {0, -1, 9}, {0, 1, 0.5}, {0, math.Inf(1), 9}, {0, 1, math.NaN()}} {
		if iv, err := WelchInterval(bad, Measured{0, 1, 9}, 0.025); err == nil {
			t.Errorf("%+v: %+v, want an error", bad, iv)
		}
	}
	if iv, err := WelchInterval(Measured{0, 1, 9}, Measured{0, 1, 9}, 0.5); err == nil {
		t.Errorf("level 0.5: %+v, want an error", iv)
	}
}
