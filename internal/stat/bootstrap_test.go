package stat

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func meanOfRounds(rounds [][]float64) (float64, error) { return mean(slices.Concat(rounds...)), nil }

// Two rounds, constant each. Drawn by rounds the mean is 0, 1/2 or 1 with
// probability 1/4, 1/2 and 1/4, so that the 20 % point is 0 and the 30 % point is
// 1/2. Drawn as four pairs alike, the 20 % point would be 1/4.
func TestBootstrapDrawsRoundsFirst(t *testing.T) {
	rounds := [][]float64{{0, 0}, {1, 1}}
	for _, tt := range []struct{ level, lo, hi float64 }{{0.2, 0, 1}, {0.3, 0.5, 0.5}} {
		iv, err := HierarchicalBootstrap(rounds, Bootstrap{Resamples: 4000, Level: tt.level, Seed: Seed{1, 2}}, meanOfRounds)
		if err != nil || iv != (Interval{tt.lo, tt.hi, tt.level}) {
			t.Errorf("level %v: %+v, %v, want [%v, %v]", tt.level, iv, err, tt.lo, tt.hi)
		}
	}
}

// One round of 0 and 1: inside it the pairs are drawn anew, which gives the
// means 0, 1/2 and 1 with the same probabilities.
func TestBootstrapDrawsPairs(t *testing.T) {
	for _, tt := range []struct{ level, lo, hi float64 }{{0.2, 0, 1}, {0.3, 0.5, 0.5}} {
		iv, err := HierarchicalBootstrap([][]float64{{0, 1}}, Bootstrap{Resamples: 4000, Level: tt.level}, meanOfRounds)
		if err != nil || iv.Lo != tt.lo || iv.Hi != tt.hi {
			t.Errorf("level %v: %+v, %v, want [%v, %v]", tt.level, iv, err, tt.lo, tt.hi)
		}
	}
}

// Of the estimates 100 … 1 the interval at 0.05 leaves out five on each side.
func TestBootstrapPercentiles(t *testing.T) {
	next := 100.0
	iv, err := HierarchicalBootstrap([][]float64{{0}}, Bootstrap{Resamples: 100, Level: 0.05}, func([][]float64) (float64, error) {
		next--
		return next + 1, nil
	})
	if err != nil || iv != (Interval{6, 95, 0.05}) {
		t.Errorf("%+v, %v, want 6 to 95", iv, err)
	}
}

// The statistic of the reports, the median over rounds of the ratio of medians,
// needs both values of a pair.
func TestBootstrapOfPairs(t *testing.T) {
	type pair struct{ base, new float64 }
	medianRatio := func(rounds [][]pair) (float64, error) {
		ratios := make([]float64, len(rounds))
		for i, round := range rounds {
			var base, new []float64
			for _, p := range round {
				base, new = append(base, p.base), append(new, p.new)
			}
			ratios[i] = median(new) / median(base)
		}
		return Median(ratios)
	}
	rounds := [][]pair{{{100, 98}, {101, 99}, {102, 99}}, {{100, 97}, {99, 98}, {101, 99}}, {{98, 97}, {100, 98}, {99, 99}}}
	b := Bootstrap{Resamples: 2000, Level: 0.05, Seed: SeedOf("plan", "static-small", "rps")}
	iv, err := HierarchicalBootstrap(rounds, b, medianRatio)
	if err != nil || !(iv.Lo > 0.95 && iv.Lo < 0.982 && iv.Hi > 0.982 && iv.Hi < 1.01) {
		t.Errorf("interval %+v, %v", iv, err)
	}
	if again, _ := HierarchicalBootstrap(rounds, b, medianRatio); again != iv {
		t.Errorf("again %+v, first %+v", again, iv)
	}
}

// The draws follow from the seed, and another seed draws otherwise.
func TestBootstrapSeed(t *testing.T) {
	draws := func(seed Seed) (seen []float64) {
		_, err := HierarchicalBootstrap([][]float64{{1, 2, 3, 4, 5}, {6, 7, 8, 9}}, Bootstrap{Resamples: 50, Level: 0.1, Seed: seed},
			func(rounds [][]float64) (float64, error) {
				seen = append(seen, slices.Concat(rounds...)...)
				return 0, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	first := draws(SeedOf("a", "b"))
	if !slices.Equal(first, draws(SeedOf("a", "b"))) {
		t.Error("one seed drew two things")
	}
	if slices.Equal(first, draws(SeedOf("ab"))) {
		t.Error(`the parts "a", "b" draw what "ab" draws`)
	}
	// SHA-256 of nothing begins e3b0c44298fc1c14 9afbf4c8996fb924.
	if got := SeedOf(); got != (Seed{0xe3b0c44298fc1c14, 0x9afbf4c8996fb924}) {
		t.Errorf("SeedOf() = %x", got)
	}
}

func TestBootstrapRefuses(t *testing.T) {
	rounds := [][]float64{{1, 2}}
	_, err := HierarchicalBootstrap(rounds, Bootstrap{Resamples: 10, Level: 0.05}, meanOfRounds)
	needs(t, "ten resamples at 0.05", err, 20)
	_, err = HierarchicalBootstrap(nil, Bootstrap{Resamples: 100, Level: 0.05}, meanOfRounds)
	needs(t, "no round", err, 1)
	_, err = HierarchicalBootstrap([][]float64{{1}, {}}, Bootstrap{Resamples: 100, Level: 0.05}, meanOfRounds)
	needs(t, "an empty round", err, 1)
	if _, err := HierarchicalBootstrap(rounds, Bootstrap{Resamples: math.MaxInt, Level: 0.05}, meanOfRounds); err == nil {
		t.Error("absurdly many resamples: no error")
	}
	if _, err := HierarchicalBootstrap(rounds, Bootstrap{Resamples: 100}, meanOfRounds); err == nil {
		t.Error("no level: no error")
	}
	failed := errors.New("no centre")
	_, err = HierarchicalBootstrap(rounds, Bootstrap{Resamples: 100, Level: 0.05}, func([][]float64) (float64, error) { return 0, failed })
	if !errors.Is(err, failed) {
		t.Errorf("a failing statistic: %v", err)
	}
	_, err = HierarchicalBootstrap(rounds, Bootstrap{Resamples: 100, Level: 0.05}, func([][]float64) (float64, error) { return math.NaN(), nil })
	if !errors.Is(err, ErrNotFinite) {
		t.Errorf("a statistic that is NaN: %v", err)
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
