package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/stat"
)

// EffectGrid is the second block of a table: what the pairs of runs say about the ratio
// of each row, what they could have shown, who the limit was, and the flags. It has no
// place in the published layouts. ok is false when no row has pairs.
func (t *Table) EffectGrid(c Comparison) (g Grid, ok bool) {
	rows := t.of(c)
	columns, modes := names(rows)
	columns = append(columns, Column{"pairs", true})
	turns := t.tookTurns(rows)
	if turns {
		columns = append(columns, Column{"slices", true}, Column{"SE in a run", true}, Column{"SD of runs", true})
	}
	columns = append(columns, Column{"ratio", true}, Column{"pooled", true}, Column{"bounds", true})
	drawn := t.crossChecked(rows)
	if drawn {
		columns = append(columns, Column{"bootstrap", true})
	}
	g.Columns = append(columns, Column{"could have seen", true}, Column{"limit", false}, Column{"flags", false})
	for _, r := range rows {
		e := &r.Effect
		ok = ok || e.Pairs > 0
		var codes []string
		for _, f := range r.ownFlags() {
			codes = append(codes, f.Code)
		}
		cells := append(r.nameCells(modes), fmt.Sprint(e.Pairs))
		if turns {
			cells = append(cells, e.turnCells()...)
		}
		cells = append(cells, ratioText(e.Ratio), ratioText(r.Numbers.pooledRatio()), e.boundsText())
		if drawn {
			cells = append(cells, e.Drawn.text())
		}
		g.Rows = append(g.Rows, append(cells, e.seenText(), orAbsent(r.Limiter.Of), strings.Join(codes, " ")))
	}
	return g, ok
}

// tookTurns tells whether the variants of any row did.
func (t *Table) tookTurns(rows []*Row) bool {
	return slices.ContainsFunc(rows, func(r *Row) bool { return r.Effect.Turns != nil })
}

// turnCells are what the slices say of a run, and how runs differ.
func (e *Effect) turnCells() []string {
	if e.Turns == nil {
		return []string{absent, absent, absent}
	}
	return []string{fmt.Sprint(e.Turns.Slices), seText(e.Turns.Within), seText(e.Sigma)}
}

// crossChecked tells whether rows have the bounds of a bootstrap besides those that count.
func (t *Table) crossChecked(rows []*Row) bool {
	return t.Rules.Interval != ByBootstrap && slices.ContainsFunc(rows, func(r *Row) bool { return r.Effect.Drawn.known() })
}

// effectCaption says what the block is, since readers know it from no report.
func (t *Table) effectCaption(c Comparison) string {
	var levels []float64 // of rows that stopped at different rounds
	for _, r := range t.of(c) {
		if level := t.Rules.look(len(r.Numbers.Rounds)); r.Effect.Pairs > 0 && !slices.Contains(levels, level) {
			levels = append(levels, level)
		}
	}
	texts := make([]string, len(levels))
	for i, level := range levels {
		texts[i] = shortText(rounded(level, 5))
	}
	caption := fmt.Sprintf("By pairs of runs, %s: Hodges-Lehmann ratio, that of the medians of all runs (pooled), bounds that are each wrong with a probability of %s at most, the smallest loss that would have been seen nine times in ten",
		c, strings.Join(texts, " or "))
	if i := slices.IndexFunc(t.of(c), func(r *Row) bool { return r.Effect.Pairs > 0 && r.Effect.Missing != "" }); i >= 0 {
		caption += "; none for " + t.of(c)[i].cell().String() + ": " + t.of(c)[i].Effect.Missing
	}
	if t.tookTurns(t.of(c)) {
		caption += "; a pair is a run in which both took turns, and its ratio that of its pairs of slices, with the standard error that these have in a run (median) beside the standard deviation of the runs, which makes the bounds"
	}
	if t.crossChecked(t.of(c)) {
		caption += "; the bootstrap is a cross-check"
	}
	if text := t.fewDraws(c); text != "" {
		caption += text
	}
	if t.Rules.Policy != NonInferior {
		caption += "; it decides nothing here"
	}
	return caption
}

// drawsEnough is the number of different draws of rounds from which a bootstrap is more
// than the rounds themselves in another order: that of five rounds.
const drawsEnough = 126

// fewDraws warns of a bootstrap of few rounds; "" where there is none.
func (t *Table) fewDraws(c Comparison) string {
	least := 0
	for _, r := range t.of(c) {
		if rounds := r.Effect.Check.Rounds; r.Effect.Drawn.known() && rounds > 0 && (least == 0 || rounds < least) {
			least = rounds
		}
	}
	draws := stat.RoundResamples(least)
	if draws == 0 || draws >= drawsEnough {
		return ""
	}
	return fmt.Sprintf(" (of %d rounds there are only %d different draws)", least, draws)
}
