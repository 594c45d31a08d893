package stat

import "testing"

func TestSignedRankInterval(t *testing.T) {
	// Five pairs at 0.05: c = 0, the smallest and the largest Walsh average, which
	// are the smallest and the largest pair; each bound misses in 1 of 32.
	iv, err := SignedRankInterval([]float64{3, 1, 5, 2, 4}, 0.05)
	if err != nil || iv != (Interval{Lo: 1, Hi: 5, Level: 1.0 / 32}) {
		t.Errorf("five pairs: %+v, %v", iv, err)
	}
	// Six pairs: c = 2, the third average from either end: 1, 1.5, 2 and 6, 5.5, 5.
	iv, err = SignedRankInterval([]float64{1, 2, 3, 4, 5, 6}, 0.05)
	if err != nil || iv != (Interval{Lo: 2, Hi: 5, Level: 3.0 / 64}) {
		t.Errorf("six pairs: %+v, %v", iv, err)
	}
	if iv.Width() != 3 {
		t.Errorf("width %v, want 3", iv.Width())
	}
	_, err = SignedRankInterval([]float64{1, 2, 3, 4}, 0.05)
	needs(t, "four pairs", err, 5)
	// Two-sided 95 % wants 0.025 on each side, and so a sixth pair.
	_, err = SignedRankInterval([]float64{1, 2, 3, 4, 5}, 0.025)
	needs(t, "five pairs, two-sided", err, 6)
}

// The interval contains the centre, moves with the data, changes sides when the
// variants are swapped, and is the wider the smaller the level.
func TestSignedRankIntervalProperties(t *testing.T) {
	random := newRandom(3)
	for n := 7; n <= 70; n++ {
		d := dyadic(random, n)
		c := dyadic(random, 1)[0]
		centre, err := HodgesLehmann(d)
		if err != nil {
			t.Fatal(err)
		}
		before := Interval{Lo: centre, Hi: centre}
		for _, level := range []float64{0.499, 0.25, 0.05, 0.01} {
			iv, err := SignedRankInterval(d, level)
			if err != nil {
				t.Fatal(err)
			}
			if iv.Lo > before.Lo || iv.Hi < before.Hi {
				t.Errorf("n %d: at %v [%v, %v] is inside [%v, %v]", n, level, iv.Lo, iv.Hi, before.Lo, before.Hi)
			}
			before = iv
			if got, _ := SignedRankInterval(shifted(d, c), level); got.Lo != iv.Lo+c || got.Hi != iv.Hi+c {
				t.Errorf("n %d: %+v moved by %v is %+v", n, iv, c, got)
			}
			if got, _ := SignedRankInterval(negated(d), level); got.Lo != -iv.Hi || got.Hi != -iv.Lo {
				t.Errorf("n %d: %+v swapped is %+v", n, iv, got)
			}
		}
	}
}

// The outer bounds on each side, and the error of the one that errs more often, whichever
// way round.
func TestOuter(t *testing.T) {
	a, b := Interval{Lo: -1, Hi: 2, Level: 0.031}, Interval{Lo: -2, Hi: 1, Level: 0.05}
	want := Interval{Lo: -2, Hi: 2, Level: 0.05}
	if a.Outer(b) != want || b.Outer(a) != want {
		t.Errorf("%+v and %+v, want %+v", a.Outer(b), b.Outer(a), want)
	}
}
