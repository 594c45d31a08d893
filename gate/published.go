package gate

import (
	"fmt"
	"math"
	"slices"

	"github.com/scalws/scalbench/internal/record"
)

// noNumbers are numbers of which none was measured.
func noNumbers() Numbers {
	none := math.NaN()
	absent := Pooled{RPS: none, CPUMicros: none, P99Millis: none, RSSKiB: none, RPSMin: none, RPSMax: none, CV: none, CPUAppMicros: none, ServerBusy: none, GeneratorBusy: none, AppBusy: none}
	return Numbers{
		Value: none, Spread: none, P99: none, P999: none, CPU: none, RSS: none, CPUSpread: none,
		Base: absent, New: absent, Pooled: none,
	}
}

// JudgePublished judges the rows of a gate.csv again, a table for each name in it: by
// the ratios of their rounds, their spread and their other ratios, as they are
// printed. It shows whether a rule gives the published verdicts. Each table compares
// what its rows do; what rules says of that, of repeats and of rulings does not
// matter. A row without a ratio was not judged, and keeps the word that it has; the
// error is that of the rule, or of a row with neither.
func JudgePublished(rows []record.GateRow, rule Rule) (Gate, error) {
	if err := rule.Validate(); err != nil {
		return nil, fmt.Errorf("rule: %w", err)
	}
	var g Gate
	at := map[[3]string]int{}
	for _, published := range rows {
		key := [3]string{published.Report, published.Gate, published.Table}
		i, known := at[key]
		if !known {
			i = len(g)
			at[key] = i
			g = append(g, Table{Name: published.Table, Rules: Rules{Rule: rule}})
		}
		if err := g[i].addPublished(published); err != nil {
			return nil, err
		}
	}
	for i := range g {
		g[i].Estimate = tooFewRounds(g[i].publishedRounds(), rule)
	}
	return g, nil
}

// ratiosOf are the rounds' ratios of rps.
func ratiosOf(rounds []RoundNumbers) []float64 {
	ratios := make([]float64, len(rounds))
	for i, r := range rounds {
		ratios[i] = r.Ratio
	}
	return ratios
}

// publishedRounds is the largest number of ratios that a row has.
func (t *Table) publishedRounds() (rounds int) {
	for i := range t.Rows {
		rounds = max(rounds, len(t.Rows[i].Numbers.Rounds))
	}
	return rounds
}

func (t *Table) addPublished(published record.GateRow) error {
	c := Comparison{Base: published.Base, New: published.New}
	row := Row{Comparison: c, Mode: published.Mode, Scenario: published.Scenario, Numbers: noNumbers(), Effect: noEffect("not judged"), Ratio: math.NaN()}
	row.rule = t.Rules.Rule
	n, none := &row.Numbers, math.NaN()
	for _, ratio := range published.Ratios {
		n.Rounds = append(n.Rounds, RoundNumbers{
			Ratio: ratio.OrNaN(), BaseRPS: none, NewRPS: none,
			P99: none, P999: none, CPU: none, RSS: none, Spread: none, CPUSpread: none,
		})
	}
	n.Value = median(ratiosOf(n.Rounds))
	n.Spread = published.SpreadPercent.OrNaN() / 100
	n.P99, n.CPU, n.RSS = published.P99.OrNaN(), published.CPU.OrNaN(), published.RSS.OrNaN()
	if len(n.Rounds) > 0 {
		row.decide(t.Rules.Rule)
	} else if err := row.keepWord(published.Verdict); err != nil {
		return fmt.Errorf("%s, %s: %w", published.Table, row.cell(), err)
	}
	t.Rows = append(t.Rows, row)
	if !slices.Contains(t.Rules.Compare, c) {
		t.Rules.Compare = append(t.Rules.Compare, c)
	}
	return nil
}

// keepWord ends a row that was not judged when it was written.
func (r *Row) keepWord(word string) error {
	if word == wordSame {
		r.Same = true
		r.conclude(Invalid, "nothing differed")
		return nil
	}
	v, err := ParseVerdict(word)
	if err == nil && v.judged() {
		err = fmt.Errorf("%s without a ratio", v)
	}
	if err != nil {
		return err
	}
	r.conclude(v, "not judged when it was written")
	return nil
}

// Records returns the table's rows as those of a gate.csv, unrounded. report and gate
// fill its first two columns.
func (t *Table) Records(report, gate string) []record.GateRow {
	rows := make([]record.GateRow, len(t.Rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		n := &r.Numbers
		rows[i] = record.GateRow{
			Report: report, Gate: gate, Table: t.Name, Mode: r.Mode, Scenario: r.Scenario, Base: r.Base, New: r.New,
			Median: known(n.Value), SpreadPercent: known(100 * n.Spread),
			P99: known(n.P99), CPU: known(n.CPU), RSS: known(n.RSS), Verdict: r.Word(),
			CILo: known(r.Effect.Lo), CIHi: known(r.Effect.Hi), Level: known(r.Effect.Level), MDE: known(r.Effect.MDE),
		}
		for _, round := range n.Rounds {
			rows[i].Ratios = append(rows[i].Ratios, known(round.Ratio))
		}
		for _, f := range r.Flags {
			rows[i].Flags = append(rows[i].Flags, f.Code)
		}
	}
	return rows
}

// known is a number that was found out, none for NaN. A bound beyond everything that is
// measured is none either: of two rounds that differ, a mean may be anything.
func known(x float64) record.Value {
	const beyond = 1e9
	if math.Abs(x) > beyond {
		return record.Value{}
	}
	return record.Of(x)
}
