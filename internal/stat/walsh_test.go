package stat

import (
	"math"
	"slices"
	"testing"
)

func TestHodgesLehmann(t *testing.T) {
	tests := []struct {
		d    []float64
		want float64
	}{
		{[]float64{7}, 7},
		{[]float64{3, 1}, 2}, // averages 1, 2, 3
		// Averages 1, 1.5, 2, 2.5, 3, 4: between 2 and 2.5.
		{[]float64{4, 1, 2}, 2.25},
		// One wild pair of four: averages 0, 0.5, 1, 1, 1.5, 2 of the good ones and
		// four with 1000 in them; the fifth and sixth of ten.
		{[]float64{0, 1, 2, 1000}, 1.75},
		{[]float64{-1, 1}, 0},
		{[]float64{5, 5, 5, 5}, 5},
	}
	for _, tt := range tests {
		if got, err := HodgesLehmann(tt.d); err != nil || got != tt.want || math.Signbit(got) != math.Signbit(tt.want) {
			t.Errorf("HodgesLehmann(%v) = %v, %v, want %v", tt.d, got, err, tt.want)
		}
	}
	_, err := HodgesLehmann(nil)
	needs(t, "no pair", err, 1)
}

// What walsh finds without listing the averages is what a sorted list has, ties
// and all.
func TestWalshAgainstList(t *testing.T) {
	random := newRandom(1)
	for n := 1; n <= 24; n++ {
		d := dyadic(random, n)
		if n%3 == 0 { // many ties
			for i := range d {
				d[i] = math.Round(d[i] * 4)
			}
		}
		w := newWalsh(d)
		var list []float64
		for i := range d {
			for j := range i + 1 {
				list = append(list, (d[i]+d[j])/2)
			}
		}
		slices.Sort(list)
		if w.size() != len(list) {
			t.Fatalf("n %d: size %d, want %d", n, w.size(), len(list))
		}
		for k, want := range list {
			if got := w.kth(k + 1); got != want {
				t.Errorf("n %d: kth(%d) = %v, want %v", n, k+1, got, want)
			}
		}
		for _, x := range append(slices.Clone(list), -2, 0.1, 2) {
			atMost, below, above := 0, 0, math.Inf(1)
			for _, v := range list {
				switch {
				case v < x:
					below++
					atMost++
				case v == x:
					atMost++
				default:
					above = min(above, v)
				}
			}
			if w.atMost(x) != atMost || w.below(x) != below || w.smallestAbove(x) != above {
				t.Errorf("n %d, x %v: at most %d, below %d, above %v, want %d, %d, %v",
					n, x, w.atMost(x), w.below(x), w.smallestAbove(x), atMost, below, above)
			}
		}
		if got, want := w.median(), median(list); got != want {
			t.Errorf("n %d: median %v, want %v", n, got, want)
		}
	}
}

// HL(d + c) = HL(d) + c, and swapping the variants changes its sign. The numbers
// are multiples of 1/1024, so that nothing is rounded.
func TestHodgesLehmannMovesWithData(t *testing.T) {
	random := newRandom(2)
	for n := 1; n <= 40; n++ {
		d := dyadic(random, n)
		c := dyadic(random, 1)[0]
		centre, err := HodgesLehmann(d)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := HodgesLehmann(shifted(d, c)); got != centre+c {
			t.Errorf("n %d: HL(d + %v) = %v, want %v", n, c, got, centre+c)
		}
		if got, _ := HodgesLehmann(negated(d)); got != -centre {
			t.Errorf("n %d: HL(-d) = %v, want %v", n, got, -centre)
		}
	}
}

func TestFloatRanks(t *testing.T) {
	ascending := []float64{-1e150, -2, -1, -5e-324, math.Copysign(0, -1), 0, 5e-324, 1, math.Nextafter(1, 2), 1e150}
	for i, x := range ascending {
		if got := floatOfRank(rankOfFloat(x)); math.Float64bits(got) != math.Float64bits(x) {
			t.Errorf("%v came back as %v", x, got)
		}
		if i > 0 && rankOfFloat(x) <= rankOfFloat(ascending[i-1]) {
			t.Errorf("%v does not rank above %v", x, ascending[i-1])
		}
	}
}
