package gate

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// inTurns makes the evidence of lab that of variants that took turns: centre is what the
// slices of a round and run say, and beside is by what the rates of whole runs differ from
// it.
func inTurns(e Evidence, centre func(round, run int) float64, beside float64) Evidence {
	for _, s := range e.Sessions {
		s.Plan.Preset, s.Plan.Interleave = "", record.InterleaveSliced
		s.Plan.Hash = s.Plan.ComputeHash()
	}
	for _, r := range e.Rounds {
		for i := range r.Measurements {
			m := &r.Measurements[i]
			m.Pair = fmt.Sprintf("a+b@%d%d%s", m.Round, m.Run, m.Scenario)
			if m.Variant == "b" {
				m.SlicePairs, m.RPSRatio, m.RPSRatioSE = 40, record.Of(centre(m.Round, m.Run)), record.Of(0.002)
				m.RPS = record.Of(1000 * centre(m.Round, m.Run) * beside)
			} else {
				m.RPS = record.Of(1000)
			}
		}
	}
	return e
}

func turnsRules() Rules {
	r := DefaultRule(NonInferior)
	r.MarginFrac, r.P99Max, r.RSSMax = 0.02, 0, 0
	return Rules{Rule: r, Compare: []Comparison{{Base: "a", New: "b"}}}
}

// Each run is one value, that of its slices, whatever the number of these: nine runs of
// three rounds within 0.4 % of 0.995 pass a margin of 2 %, and the bounds are as wide as
// runs and rounds differ, not as the 360 pairs of slices.
func TestTurnsAreJudgedByRuns(t *testing.T) {
	centre := func(round, run int) float64 { return 0.995 * math.Exp(0.002*float64(round-2)+0.002*float64(run-2)) }
	e := inTurns(lab{runs: 3}.evidence(), centre, 1)
	table, err := Judge(e, turnsRules())
	if err != nil {
		t.Fatal(err)
	}
	row := table.Rows[0]
	if row.Verdict != Pass || row.Effect.Pairs != 9 || math.Abs(row.Effect.Ratio-0.995) > 1e-9 {
		t.Fatalf("%s, %+v", row.Verdict, row.Effect)
	}
	// Means of the rounds are 0.995·exp(-0.002, 0, 0.002): SD 0.002, t(2) at 0.05 is 2.92:
	// 2.92·0.002/√3 = 0.00337 below on the ln scale. That of 360 slices would be 0.0002.
	if lo := 0.995 * math.Exp(-0.00337); math.Abs(row.Effect.Lo-lo) > 1e-4 || !row.Effect.ByRounds {
		t.Errorf("bounds %v, want %v", row.Effect.Bounds, lo)
	}
	turns := row.Effect.Turns
	if turns == nil || turns.Slices != 360 || turns.Within != 0.002 || turns.ByTotals {
		t.Errorf("turns %+v", turns)
	}
	var text bytes.Buffer
	if err := WriteText(&text, Gate{table}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"slices", "SE in a run", "SD of runs", "0.2 %", "a pair is a run in which both took turns"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if why := strings.Join(row.Why, "\n"); !strings.Contains(why, "360 pairs of slices in 9 runs: within a run they tell its ratio to 0.2 %") {
		t.Errorf("why: %s", why)
	}
}

// Slow slices that the centre leaves out and that one variant alone has are a loss all the
// same: rates of whole runs 4 % lower, in every run, count, and fail a margin of 2 %.
func TestTurnsByTotals(t *testing.T) {
	centre := func(round, run int) float64 { return math.Exp(0.001 * float64(round-2+run-2)) }
	table, err := Judge(inTurns(lab{runs: 3}.evidence(), centre, 0.96), turnsRules())
	if err != nil {
		t.Fatal(err)
	}
	row := table.Rows[0]
	if row.Verdict != Fail || !row.Effect.Turns.ByTotals || !row.hasFlag(FlagByTotals) || math.Abs(row.Effect.Ratio-0.96) > 1e-9 {
		t.Errorf("%s, %+v, %+v, %+v", row.Verdict, row.Effect, row.Effect.Turns, row.Flags)
	}
}

// What did not take turns is not judged as if it had, and no other policy judges slices.
func TestTurnsThatWereNone(t *testing.T) {
	one := func(int, int) float64 { return 1.001 }
	for name, tt := range map[string]struct {
		spoil func(e Evidence, rules *Rules)
		why   string
	}{
		"halves of two pairs": {func(e Evidence, _ *Rules) {
			each(e, "b", "static", func(m *record.Measurement) { m.Pair += "x" })
		}, "round 1, run 1: a and b did not take turns"},
		"no pair": {func(e Evidence, _ *Rules) {
			for _, v := range []string{"a", "b"} {
				each(e, v, "static", func(m *record.Measurement) { m.Pair = "" })
			}
		}, "did not take turns"},
		"no ratio": {func(e Evidence, _ *Rules) {
			each(e, "b", "static", func(m *record.Measurement) { m.RPSRatio = record.Value{} })
		}, "round 1, run 1: no ratio of rps over its pairs of slices"},
		"parity": {func(_ Evidence, rules *Rules) { rules.Rule = DefaultRule(Parity) }, "only policy noninferior judges, and this is policy parity"},
		"fixed":  {func(_ Evidence, rules *Rules) { rules.Rule = DefaultRule(Fixed) }, "only policy noninferior judges, and this is policy fixed"},
	} {
		t.Run(name, func(t *testing.T) {
			e, rules := inTurns(lab{runs: 3}.evidence(), one, 1), turnsRules()
			tt.spoil(e, &rules)
			table, err := Judge(e, rules)
			if err != nil {
				t.Fatal(err)
			}
			if row := table.Rows[0]; row.Verdict != Invalid || !strings.Contains(strings.Join(row.Why, "\n"), tt.why) {
				t.Errorf("%s: %q, want INVALID for %q", row.Verdict, row.Why, tt.why)
			}
		})
	}
}
