package gate

import (
	"fmt"
	"slices"
	"strings"
)

// EffectGrid is the second block of a table: what the pairs of runs say about the ratio
// of each row, what they could have shown, who the limit was, and the flags. It has no
// place in the published layouts. ok is false when no row has pairs.
func (t *Table) EffectGrid(c Comparison) (g Grid, ok bool) {
	rows := t.of(c)
	columns, modes := names(rows)
	g.Columns = append(columns, Column{"pairs", true}, Column{"ratio", true}, Column{"bounds", true}, Column{"could have seen", true}, Column{"limit", false}, Column{"flags", false})
	for _, r := range rows {
		e := &r.Effect
		ok = ok || e.Pairs > 0
		codes := make([]string, len(r.Flags))
		for i, f := range r.Flags {
			codes[i] = f.Code
		}
		limit := r.Limiter.Of
		g.Rows = append(g.Rows, append(r.nameCells(modes), fmt.Sprint(e.Pairs), ratioText(e.Ratio), e.boundsText(), e.seenText(), orAbsent(limit), strings.Join(codes, " ")))
	}
	return g, ok
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
	caption := fmt.Sprintf("By pairs of runs, %s: Hodges-Lehmann ratio, bounds that are each wrong with a probability of %s at most, the smallest loss that would have been seen nine times in ten",
		c, strings.Join(texts, " or "))
	if i := slices.IndexFunc(t.of(c), func(r *Row) bool { return r.Effect.Pairs > 0 && r.Effect.Missing != "" }); i >= 0 {
		caption += "; none for " + t.of(c)[i].cell().String() + ": " + t.of(c)[i].Effect.Missing
	}
	if t.Rules.Policy != NonInferior {
		caption += "; it decides nothing here"
	}
	return caption
}
