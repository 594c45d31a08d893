package stat

import (
	"math"
	"slices"
	"testing"
)

// A host flips between two modes 7.2 % apart; the new variant is 1 % faster in
// both. Base is in the upper mode in every second run, new in the first eight of
// sixteen, so that both have the same mix.
func TestStratify(t *testing.T) {
	var base, new []float64
	for i := range 16 {
		b, n := math.Log(9580), math.Log(9580*1.01)
		if i%2 == 1 {
			b = math.Log(10300)
		}
		if i < 8 {
			n = math.Log(10300 * 1.01)
		}
		base, new = append(base, b), append(new, n)
	}
	m, err := FindModes(slices.Concat(base, new))
	if err != nil || !m.Bimodal() {
		t.Fatalf("%+v, %v", m, err)
	}
	// Eight of each variant in either mode: the mode is the host's.
	if p, err := FisherExact(8, 8, 8, 8); err != nil || p < 0.05 {
		t.Errorf("mode by variant: p %v, %v", p, err)
	}
	s, err := m.Stratify(base, new)
	if err != nil || len(s.Upper) != 4 || len(s.Lower) != 4 || len(s.Across) != 8 || len(s.Within) != 8 {
		t.Fatalf("%+v, %v, want 4 and 4, 8 across", s, err)
	}
	centre, err := HodgesLehmann(s.Within)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "adjusted ratio", math.Exp(centre), 1.01, 1e-12)
	iv, err := SignedRankInterval(s.Within, 0.05)
	if err != nil || iv.Width() > 1e-12 {
		t.Errorf("adjusted interval %+v, %v, want no width", iv, err)
	}
}

func TestStratifyRefuses(t *testing.T) {
	m, err := FindModes([]float64{1, 1, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := m.Stratify([]float64{1, 2}, []float64{1}); err == nil {
		t.Errorf("a run without its partner: %+v", s)
	}
	if s, err := m.Stratify([]float64{1}, []float64{math.NaN()}); err == nil {
		t.Errorf("a run that is NaN: %+v", s)
	}
	s, err := m.Stratify([]float64{1, 2, 1, 2, 1}, []float64{1, 2, 1, 2, 2})
	if err != nil || !slices.Equal(s.Across, []int{4}) {
		t.Fatalf("%+v, %v, want one across", s, err)
	}
	// Without modes nothing is across.
	if s, err := (Modes{}).Stratify([]float64{-1, 2}, []float64{1, 1}); err != nil || len(s.Across) != 0 || len(s.Lower) != 2 {
		t.Errorf("no modes: %+v, %v", s, err)
	}
}
