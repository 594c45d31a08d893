package gate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestParseInterval(t *testing.T) {
	for i, word := range intervalWords {
		if have, err := ParseInterval(word); err != nil || have != Interval(i) || have.String() != word {
			t.Errorf("%q is %v, %v", word, have, err)
		}
	}
	if _, err := ParseInterval("t"); err == nil {
		t.Error("t is an interval")
	}
	rule := DefaultRule(Parity)
	rule.Interval = 9
	if err := rule.Validate(); err == nil {
		t.Error("interval 9 is valid")
	}
}

// effectOf is the effect of a row under an interval.
func effectOf(n Numbers, how Interval) Effect {
	rule := DefaultRule(NonInferior)
	rule.Interval = how
	return Decide(n, rule).Effect
}

// The outer of both bounds counts. Three rounds with the same mean have an interval of
// rounds without width, so that the signed-rank bounds remain; of rounds that differ both
// bounds are those of the rounds.
func TestIntervalOfRounds(t *testing.T) {
	alike := spreadOut(0.99, 0.004, 5)
	e := effectOf(rowOf(alike, alike, alike), ByRounds)
	if e.ByRounds || e.Lo != e.Signed.Lo || e.Hi != e.Signed.Hi || e.Rounds.Hi-e.Rounds.Lo > 1e-12 || e.Level != 0.05 {
		t.Errorf("rounds alike: %+v", e)
	}
	e = effectOf(rowOf(spreadOut(0.98, 0.004, 5), alike, spreadOut(1, 0.004, 5)), ByRounds)
	if !e.ByRounds || e.Lo != e.Rounds.Lo || e.Hi != e.Rounds.Hi || e.Lo >= e.Signed.Lo || e.Hi <= e.Signed.Hi {
		t.Errorf("rounds that differ: %+v", e)
	}
	// One round has no other to be held against.
	e = effectOf(rowOf(alike), ByRounds)
	if e.ByRounds || e.Rounds.known() || e.Lo != e.Signed.Lo || e.Missing != "" {
		t.Errorf("one round: %+v", e)
	}
}

// By pairs the rounds count only where they differ visibly. Means 0.996, 1 and 1.004 beside
// pairs from -1.6 to +1.6 % do not: F is 5 x 1.6e-5 / 1.28e-4 = 0.63. Their t has the wider
// interval all the same, 2.920 x sqrt(1.6e-5/3) = 0.0067 to both sides.
func TestIntervalOfPairs(t *testing.T) {
	n := rowOf(spreadOut(0.996, 0.016, 5), spreadOut(1, 0.016, 5), spreadOut(1.004, 0.016, 5))
	e := effectOf(n, ByPairs)
	if e.Rounds.Lo >= e.Signed.Lo || e.Check.RoundEffect() || e.ByRounds || e.Lo != e.Signed.Lo || e.Level != e.Signed.Level {
		t.Errorf("%+v", e)
	}
	n = rowOf(spreadOut(0.99, 0.004, 5), spreadOut(1, 0.004, 5), spreadOut(1.01, 0.004, 5))
	if e := effectOf(n, ByPairs); !e.Check.RoundEffect() || !e.ByRounds || e.Lo != e.Rounds.Lo {
		t.Errorf("%+v", e)
	}
}

// The bootstrap is seeded by what the numbers belong to: the same again, and another row
// draws otherwise. Its bounds are drawn as a cross-check, and decide where that is asked
// for.
func TestIntervalOfBootstrap(t *testing.T) {
	n := rowOf(spreadOut(0.998, 0.016, 5), spreadOut(1, 0.011, 5), spreadOut(1.003, 0.013, 5))
	n.Plan, n.Row = "hash", "static b/a"
	e := effectOf(n, ByBootstrap)
	if !e.Drawn.known() || e.Bounds != e.Drawn || e.Lo >= e.Ratio || e.Hi <= e.Ratio || e.Level != 0.05 {
		t.Errorf("%+v", e)
	}
	if again := effectOf(n, ByBootstrap); again.Drawn != e.Drawn {
		t.Errorf("drew %+v and then %+v", e.Drawn, again.Drawn)
	}
	n.Row = "php b/a"
	if other := effectOf(n, ByBootstrap); other.Drawn == e.Drawn {
		t.Error("two rows drew the same")
	}
	n.Row = "static b/a"
	rule := DefaultRule(NonInferior)
	if without := Decide(n, rule).Effect; without.Drawn.known() {
		t.Errorf("drawn unasked: %+v", without)
	}
	rule.CrossCheck = true
	if checked := Decide(n, rule).Effect; checked.Drawn != e.Drawn || checked.Bounds == e.Bounds {
		t.Errorf("as a cross-check: %+v", checked)
	}
}

// Holm goes by p and the verdict by bounds: whatever the interval, a bound is beyond the
// margin exactly when the p is within the level.
func TestBoundsAgreeWithTests(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	host := hostOf{noises["laplace"], 0.01, 0.005}
	tau := math.Log(0.99)
	seen := map[bool]int{}
	for range 60 {
		n := host.simulate(r, 0.975, 3)
		for _, how := range []Interval{ByRounds, ByPairs, ByBootstrap} {
			p := pairsOf(&n, Rule{Interval: how})
			e := p.effect(0.05, how)
			if below := p.test(tau, how).PBelow <= 0.05; below != (e.Hi < 0.99) {
				t.Errorf("by %s: p %v, bound %v", how, p.test(tau, how).PBelow, e.Hi)
			}
			if above := p.test(tau, how).PAbove <= 0.05; above != (e.Lo > 0.99) {
				t.Errorf("by %s: p %v, bound %v", how, p.test(tau, how).PAbove, e.Lo)
			}
			seen[e.Hi < 0.99]++
		}
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("seen %v: the test shows nothing", seen)
	}
}

// Where the speeds of the host leave pairs in one round alone, rounds cannot be told
// apart any more, and there is no bound; nor where they leave none.
func TestIntervalOfOneRoundLeft(t *testing.T) {
	five := []float64{0.001, 0.002, 0.003, 0.004, 0.005}
	p := newPairs([][]float64{five, nil, nil}, nil)
	if p.missing != "only one round has pairs within one speed" {
		t.Errorf("%q", p.missing)
	}
	// Five of five are above 0, with p 1/32; but nobody knows what the other rounds are.
	for how := range intervalWords {
		if s := p.test(0, Interval(how)); s.PAbove != 1 || s.PBelow != 1 {
			t.Errorf("by %s: %+v", Interval(how), s)
		}
	}
	if p := newPairs([][]float64{nil, nil}, nil); p.missing != "no pair within one speed" {
		t.Errorf("%q", p.missing)
	}
	// A round of one pair has a mean, too.
	p = newPairs([][]float64{five, {0.002}, nil}, nil)
	if p.missing != "" || p.check.Rounds != 2 || p.check.Freedom != 4 {
		t.Errorf("%q, %+v", p.missing, p.check)
	}
}
