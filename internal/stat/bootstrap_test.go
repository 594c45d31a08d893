package stat

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// bootstrapped is the interval of so many resamples at a level.
func bootstrapped(t *testing.T, rounds [][]float64, resamples int, seed Seed, level float64) Interval {
	t.Helper()
	b, err := HierarchicalBootstrap(rounds, resamples, seed)
	if err != nil {
		t.Fatal(err)
	}
	iv, err := b.Interval(level)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// Two rounds, constant each. Drawn by rounds the centre is 0, 1/2 or 1 with
// probability 1/4, 1/2 and 1/4, so that the 20 % point is 0 and the 30 % point is
// 1/2. Drawn as four pairs alike, the 30 % point would be 0: so is the centre of at
// most one 1 among four, which 5/16 of such draws have.
func TestBootstrapDrawsRoundsFirst(t *testing.T) {
	rounds := [][]float64{{0, 0}, {1, 1}}
	for _, tt := range []struct{ level, lo, hi float64 }{{0.2, 0, 1}, {0.3, 0.5, 0.5}} {
		if iv := bootstrapped(t, rounds, 4000, Seed{1, 2}, tt.level); iv != (Interval{tt.lo, tt.hi, tt.level}) {
			t.Errorf("level %v: %+v, want [%v, %v]", tt.level, iv, tt.lo, tt.hi)
		}
	}
}

// One round of 0 and 1: inside it the pairs are drawn anew, which gives the
// centres 0, 1/2 and 1 with the same probabilities.
func TestBootstrapDrawsPairs(t *testing.T) {
	for _, tt := range []struct{ level, lo, hi float64 }{{0.2, 0, 1}, {0.3, 0.5, 0.5}} {
		if iv := bootstrapped(t, [][]float64{{0, 1}}, 4000, Seed{}, tt.level); iv.Lo != tt.lo || iv.Hi != tt.hi {
			t.Errorf("level %v: %+v, want [%v, %v]", tt.level, iv, tt.lo, tt.hi)
		}
	}
}

// Of the centres 1 … 100 the interval at 0.05 leaves out five on each side, and the tests
// agree with it: of 6 and less there are six, too many, of less than 6 five.
func TestBootstrapPercentiles(t *testing.T) {
	b := Bootstrap{ramp(100)}
	for i := range b.centres {
		b.centres[i]++
	}
	iv, err := b.Interval(0.05)
	if err != nil || iv != (Interval{6, 95, 0.05}) {
		t.Errorf("%+v, %v, want 6 to 95", iv, err)
	}
	for _, tt := range []struct{ tau, above, below float64 }{{5.5, 0.05, 0.95}, {6, 0.06, 0.95}, {95, 0.95, 0.06}, {0, 0, 1}, {101, 1, 0}} {
		if s := b.Test(tt.tau); s.PAbove != tt.above || s.PBelow != tt.below {
			t.Errorf("at %v: %+v, want %v and %v", tt.tau, s, tt.above, tt.below)
		}
	}
}

// The walk through the sorted averages finds the centre that the definition has, to the
// last bit, of rounds of different lengths and with ties.
func TestBootstrapCentres(t *testing.T) {
	random := newRandom(20)
	for range 200 {
		rounds := make([][]float64, 1+random.IntN(4))
		for i := range rounds {
			rounds[i] = dyadic(random, 1+random.IntN(6))
		}
		pairs := newDrawnPairs(rounds)
		pairs.draw(rounds, random)
		var drawn []float64
		for i, d := range slices.Concat(rounds...) {
			drawn = append(drawn, repeated(pairs.times[i], d)...)
		}
		want, err := HodgesLehmann(drawn)
		if err != nil {
			t.Fatal(err)
		}
		if got := pairs.centre(); got != want {
			t.Errorf("of %v drawn %v: centre %v, want %v", rounds, drawn, got, want)
		}
	}
}

// The draws follow from the seed, and another seed draws otherwise.
func TestBootstrapSeed(t *testing.T) {
	centres := func(seed Seed) []float64 {
		b, err := HierarchicalBootstrap([][]float64{{1, 2, 3, 4, 5}, {6, 7, 8, 9}}, 50, seed)
		if err != nil {
			t.Fatal(err)
		}
		return b.centres
	}
	first := centres(SeedOf("a", "b"))
	if !slices.Equal(first, centres(SeedOf("a", "b"))) {
		t.Error("one seed drew two things")
	}
	if slices.Equal(first, centres(SeedOf("ab"))) {
		t.Error(`the parts "a", "b" draw what "ab" draws`)
	}
	// SHA-256 of nothing begins e3b0c44298fc1c14 9afbf4c8996fb924.
	if got := SeedOf(); got != (Seed{0xe3b0c44298fc1c14, 0x9afbf4c8996fb924}) {
		t.Errorf("SeedOf() = %x", got)
	}
}

func TestBootstrapRefuses(t *testing.T) {
	b, err := HierarchicalBootstrap([][]float64{{1, 2}}, 10, Seed{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Interval(0.05)
	needs(t, "ten resamples at 0.05", err, 20)
	if _, err := b.Interval(0); err == nil {
		t.Error("no level: no error")
	}
	_, err = HierarchicalBootstrap(nil, 100, Seed{})
	needs(t, "no round", err, 1)
	_, err = HierarchicalBootstrap([][]float64{{1}, {}}, 100, Seed{})
	needs(t, "an empty round", err, 1)
	_, err = HierarchicalBootstrap([][]float64{{1, math.NaN()}}, 100, Seed{})
	if !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	for what, call := range map[string]struct{ pairs, resamples int }{
		"no resample": {1, 0}, "absurdly many resamples": {1, math.MaxInt}, "too many pairs": {bootstrapPairsMax + 1, 1},
	} {
		if _, err := HierarchicalBootstrap([][]float64{repeated(call.pairs, 1)}, call.resamples, Seed{}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func TestRoundResamples(t *testing.T) {
	// (2r−1 choose r): of three rounds 10, of five 126.
	for r, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 3, 3: 10, 5: 126, 6: 462, 30: 59132290782430712, 31: 0} {
		if got := RoundResamples(r); got != want {
			t.Errorf("RoundResamples(%d) = %d, want %d", r, got, want)
		}
	}
}

// What one row of three rounds of five pairs costs.
func BenchmarkBootstrap(b *testing.B) {
	random := newRandom(21)
	rounds := [][]float64{sample(5, random.NormFloat64), sample(5, random.NormFloat64), sample(5, random.NormFloat64)}
	for b.Loop() {
		if _, err := HierarchicalBootstrap(rounds, 10_000, Seed{}); err != nil {
			b.Fatal(err)
		}
	}
}
