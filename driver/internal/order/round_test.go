package order

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// runs writes the order of variants in each run of a round, with all their scenarios side by
// side: "ab ba".
func runs(t *testing.T, p suite.Plan, variants []string, round int) string {
	t.Helper()
	var texts []string
	run := 0
	for _, k := range Round(p, variants, []Scenario{{Name: "s"}}, round) {
		if k.Round != round || k.Scenario != "s" {
			t.Errorf("%+v", k)
		}
		if k.Run != run {
			run = k.Run
			texts = append(texts, "")
		}
		texts[len(texts)-1] += k.Variant
	}
	return strings.Join(texts, " ")
}

// Run k of round i begins with variant (k + i) mod V, all counted from 0: of two variants
// and five runs, a is first three times in the first round and twice in the second.
func TestRotate(t *testing.T) {
	for _, test := range []struct {
		variants string
		round    int
		want     string
	}{
		{"a", 1, "a a a a a"},
		{"ab", 1, "ab ba ab ba ab"},
		{"ab", 2, "ba ab ba ab ba"},
		{"ab", 3, "ab ba ab ba ab"},
		{"abc", 1, "abc bca cab abc bca"},
		{"abc", 2, "bca cab abc bca cab"},
	} {
		if got := runs(t, suite.Plan{Runs: 5}, strings.Split(test.variants, ""), test.round); got != test.want {
			t.Errorf("%s, round %d: %s, want %s", test.variants, test.round, got, test.want)
		}
	}
}

// Pairs are AB and BA, whichever comes first, also across the rounds: of 5 runs in each of
// 4 rounds, 20 in all, a is first in 10, and in no round more than 3 times or fewer than 2.
func TestCounterbalanced(t *testing.T) {
	firsts := map[byte]int{}
	for seed := range uint64(50) {
		p := suite.Plan{Runs: 5, Order: suite.Counterbalanced, Seed: seed}
		var all []string
		for round := 1; round <= 4; round++ {
			sequences := strings.Fields(runs(t, p, []string{"a", "b"}, round))
			n := 0
			for _, s := range sequences {
				n += strings.Count(s[:1], "a")
			}
			if n < 2 || n > 3 {
				t.Errorf("seed %d, round %d: %v", seed, round, sequences)
			}
			all = append(all, sequences...)
		}
		for i := 0; i < len(all); i += 2 {
			if all[i] == all[i+1] {
				t.Errorf("seed %d: runs %d and %d are both %s", seed, i, i+1, all[i])
			}
		}
		firsts[all[0][0]]++
	}
	// A coin that falls the same way fewer than 10 times of 50 is none: p < 1e-5.
	if firsts['a'] < 10 || firsts['b'] < 10 {
		t.Errorf("first in the first run: %v", firsts)
	}
}

// Over a whole block of a Williams design every variant is in every place equally often, and
// directly after every other one equally often: once, or twice where the number is odd.
func TestWilliams(t *testing.T) {
	for n := 1; n <= 8; n++ {
		design := williams(n)
		rows, times := n, 1
		if n%2 == 1 && n > 1 {
			rows, times = 2*n, 2
		}
		if len(design) != rows {
			t.Errorf("%d variants: %d sequences, want %d", n, len(design), rows)
		}
		places, pairs := map[[2]int]int{}, map[[2]int]int{}
		for _, sequence := range design {
			for i, v := range sequence {
				places[[2]int{i, v}]++
				if i > 0 {
					pairs[[2]int{sequence[i-1], v}]++
				}
			}
		}
		if len(places) != n*n || len(pairs) != n*(n-1) {
			t.Errorf("%d variants: %d places and %d pairs, want %d and %d", n, len(places), len(pairs), n*n, n*(n-1))
		}
		for what, counts := range map[string]map[[2]int]int{"place": places, "pair": pairs} {
			for at, count := range counts {
				if count != times {
					t.Errorf("%d variants: %s %v %d times, want %d", n, what, at, count, times)
				}
			}
		}
	}
}

// Three variants go through all six sequences before one comes again.
func TestCounterbalancedThree(t *testing.T) {
	p := suite.Plan{Runs: 6, Order: suite.Counterbalanced, Seed: 3}
	for round := 1; round <= 2; round++ {
		sequences := strings.Fields(runs(t, p, []string{"a", "b", "c"}, round))
		slices.Sort(sequences)
		if got := strings.Join(sequences, " "); got != "abc acb bac bca cab cba" {
			t.Errorf("round %d: %s", round, got)
		}
	}
}

// What is random is the same again for a seed, and another for another.
func TestRandom(t *testing.T) {
	variants := strings.Split("abcdef", "")
	texts := map[string]bool{}
	for seed := range uint64(5) {
		p := suite.Plan{Runs: 4, Order: suite.Random, Seed: seed}
		for round := 1; round <= 2; round++ {
			got := runs(t, p, variants, round)
			if got != runs(t, p, variants, round) {
				t.Errorf("seed %d: another order the second time", seed)
			}
			for _, s := range strings.Fields(got) {
				texts[s] = true
				if parts := strings.Split(s, ""); len(parts) != 6 || !slices.Equal(slices.Sorted(slices.Values(parts)), variants) {
					t.Errorf("seed %d: %s is no order of all variants", seed, s)
				}
			}
		}
	}
	// 40 draws of 720 orders: about one pair is expected to be equal.
	if len(texts) < 30 {
		t.Errorf("only %d different orders of 40", len(texts))
	}
}

func TestInterleave(t *testing.T) {
	rows := []Scenario{{Name: "x"}, {Mode: "multi", Name: "x"}}
	for interleave, want := range map[suite.Interleave]string{
		suite.ByVariant:  "1a:x 1a:multi/x 1b:x 1b:multi/x 2b:x 2b:multi/x 2a:x 2a:multi/x",
		suite.ByScenario: "1a:x 1b:x 1a:multi/x 1b:multi/x 2b:x 2a:x 2b:multi/x 2a:multi/x",
	} {
		p := suite.Plan{Runs: 2, Interleave: interleave}
		var got []string
		for _, k := range Round(p, []string{"a", "b"}, rows, 1) {
			got = append(got, keyText(k))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", interleave, text, want)
		}
	}
}

func keyText(k session.Key) string {
	text := fmt.Sprintf("%d%s:", k.Run, k.Variant)
	if k.Mode != "" {
		text += k.Mode + "/"
	}
	return text + k.Scenario
}

// Shuffled rows are another order in each round, the same for all variants and whenever it
// is asked for; without being asked they keep theirs.
func TestShuffled(t *testing.T) {
	rows := []Scenario{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	text := func(rows []Scenario) (names string) {
		for _, r := range rows {
			names += r.Name
		}
		return names
	}
	if got := text(Shuffled(suite.Plan{Seed: 1}, rows, 3)); got != "abcde" {
		t.Errorf("as they are: %s", got)
	}
	seen := map[string]int{}
	for round := 1; round <= 20; round++ {
		got := text(Shuffled(suite.Plan{Seed: 1, Shuffle: true}, rows, round))
		if again := text(Shuffled(suite.Plan{Seed: 1, Shuffle: true}, rows, round)); again != got || len(got) != 5 {
			t.Errorf("round %d: %s, then %s", round, got, again)
		}
		for _, r := range rows {
			if !strings.Contains(got, r.Name) {
				t.Errorf("round %d: %s has no %s", round, got, r.Name)
			}
		}
		seen[got]++
	}
	// Of 120 orders, twenty draws are nearly all different: 1.5 pairs are alike on average.
	if len(seen) < 14 {
		t.Errorf("%d orders in 20 rounds", len(seen))
	}
	if text(rows) != "abcde" {
		t.Errorf("the rows themselves: %s", text(rows))
	}
}
