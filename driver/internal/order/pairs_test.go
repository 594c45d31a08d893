package order

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Pair by pair, scenario by scenario, and within a pair in the plan's order: rotated here, so
// that run 1 of round 1 begins with the base and run 2 with the new one. A pair whose row is
// a gap is left out, both halves of it.
func TestRoundOfPairs(t *testing.T) {
	pairs := []Pair{{"a", "b"}, {"c", "d"}}
	rows := []Scenario{{Name: "x"}, {Name: "y"}}
	gaps := PairGaps(pairs, rows, []Gap{{Variant: "d", Scenario: rows[1], State: record.NotApplicable, Reason: "it provides no y"}})
	var got []string
	for _, k := range Without(RoundOfPairs(suite.Plan{Runs: 2, Interleave: suite.Sliced}, pairs, rows, 1), gaps) {
		got = append(got, keyText(k))
	}
	if want, text := "1a:x 1b:x 1a:y 1b:y 1c:x 1d:x 2b:x 2a:x 2b:y 2a:y 2d:x 2c:x", strings.Join(got, " "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// A gap of one is a gap of both, for the same reason and of the same kind; a mode that only
// the other has is no failure of either.
func TestPairGaps(t *testing.T) {
	row := Scenario{Name: "php"}
	pairs := []Pair{{"a", "b"}}
	for _, tt := range []struct {
		of   Gap
		want []Gap // beside it
	}{
		{Gap{"a", row, record.NotRun, "this host has no php-fpm", false},
			[]Gap{{"b", row, record.NotRun, "a, with which it takes turns: this host has no php-fpm", false}}},
		{Gap{"b", row, record.NotApplicable, "its instances are multi", true},
			[]Gap{{"a", row, record.NotApplicable, "b, with which it takes turns: its instances are multi", false}}},
		{Gap{"c", row, record.NotRun, "it is in no pair", false}, nil},
	} {
		got := PairGaps(pairs, []Scenario{row, {Name: "other"}}, []Gap{tt.of})
		if diff := cmp.Diff(append([]Gap{tt.of}, tt.want...), got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

// A pair of 1 s of warm-up each and a window of 4 s together takes 2 x 1 s + 4 s, and twice
// 0.5 s beside that: 7 s for two measurements.
func TestEstimateOfPairs(t *testing.T) {
	p := suite.Plan{Runs: 1, Interleave: suite.Sliced, Warmup: time.Second, Measure: 4 * time.Second}
	if got := Estimate(p, RoundOfPairs(p, []Pair{{"a", "b"}}, []Scenario{{Name: "x"}}, 1)); got != 7*time.Second {
		t.Errorf("%v", got)
	}
}
