package gate

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/stat"
)

// A pair varies by 1.4826 x MAD. By pairs, a loss of 1 % takes ((1.6449 + 1.2816) x sigma /
// -ln 0.99)² / 0.955 of them, as [stat.PairsToDetect] has it, in rounds of five; rounds
// that differ take what [stat.RoundCheck.RoundsToDetect] has.
func TestNeed(t *testing.T) {
	n := rowOf(spreadOut(0.99, 0.03, 5), spreadOut(1, 0.03, 5), spreadOut(1.01, 0.03, 5))
	p := pairsOf(&n, Rule{})
	power := stat.Power{Level: 0.05, Power: 0.90}
	pairs, err := stat.PairsToDetect(p.sigma(), 0.01, power)
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := p.check.RoundsToDetect(0.01, power)
	if err != nil {
		t.Fatal(err)
	}
	byPairs := p.need(0.01, 0.05, ByPairs)
	if want := (pairs + 4) / 5; byPairs.Rounds != want || byPairs.Pairs != 5*want || byPairs.Loss != 0.01 {
		t.Errorf("by pairs: %+v, want %d rounds", byPairs, want)
	}
	if have, want := p.need(0.01, 0.05, ByRounds), max(rounds, byPairs.Rounds); have.Rounds != want || have.Pairs != 5*want {
		t.Errorf("by rounds: %+v, want %d rounds", have, want)
	}
	// An INCONCLUSIVE row says so, and one that needs no more does not.
	d := Decide(n, DefaultRule(NonInferior))
	if want := d.Effect.Need.Rounds - 3; want < 1 || !strings.HasSuffix(d.Short, ", which takes "+plural(want, "more round")+" like these") {
		t.Errorf("%q, need %+v", d.Short, d.Effect.Need)
	}
	if d := Decide(rowOf([]float64{0.989, 0.9895, 0.99, 0.9902, 0.9903}), DefaultRule(NonInferior)); d.Verdict != Inconclusive || strings.Contains(d.Short, "more round") {
		t.Errorf("%s %q, need %+v", d.Verdict, d.Short, d.Effect.Need)
	}
	// Other policies have no margin, and ask for the usual one.
	if d := Decide(n, DefaultRule(Parity)); d.Effect.Need.Loss != DefaultMarginFrac || d.Effect.Need.Rounds == 0 {
		t.Errorf("%+v", d.Effect.Need)
	}
}

// Rounds of lab begin an hour apart; their five runs begin a minute apart and last 30 s:
// a round takes 4.5 minutes from its first run on, 54 s for a pair, and 55.5 minutes are
// between two rounds.
func TestCosts(t *testing.T) {
	table, rows := judge(t, lab{5, nil}.evidence(), parityRules())
	round, pair := table.costs()
	if round != 55*time.Minute+30*time.Second || pair != 54*time.Second {
		t.Errorf("a round %v, a pair %v", round, pair)
	}
	if text := table.splitText(&rows["static"].Effect); !strings.HasPrefix(text, "best split: rounds showed nothing of their own") {
		t.Error(text)
	}
	// S1² = 1e-6, T2² = 1e-6 and a round for 3330/54 pairs: ceil(sqrt(61.7)) = 8.
	e := Effect{Check: stat.RoundCheck{Rounds: 3, PairVariance: 1e-6, RoundVariance: 1e-6, Freedom: 12}}
	if text := table.splitText(&e); !strings.HasPrefix(text, "best split: 8 pairs in a round") {
		t.Error(text)
	}
	// Between two sessions there is no such time, and nothing is known without times.
	two, _ := judge(t, twoSessions(1), parityRules())
	if again, _ := two.costs(); again != round {
		t.Errorf("of two sessions %v", again)
	}
	for _, r := range table.Rounds {
		for i := range r.Measurements {
			r.Measurements[i].StartUTC = time.Time{}
		}
	}
	if text := table.splitText(&e); text != "" {
		t.Error(text)
	}
}

// A row that nothing can be told of has no bounds, and needs nothing.
func TestNoNeed(t *testing.T) {
	d := Decide(rowOf([]float64{1, 1, 1, 1}), DefaultRule(NonInferior))
	if d.Effect.Need.Rounds != 0 || !math.IsNaN(d.Effect.MDE) {
		t.Errorf("%+v", d.Effect)
	}
}
