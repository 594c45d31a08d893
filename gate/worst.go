package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Gate are tables that are judged together, each inside its own sessions.
type Gate []Table

// counted is the severity of a row: N/A counts for nothing, a ruled FAIL for a PASS
// where rulings are accepted.
func (t *Table) counted(r *Row) Verdict {
	if r.Verdict == Fail && r.Ruling != nil && t.Rules.AcceptRulings {
		return Pass
	}
	return r.Verdict
}

// Verdict is the worst of the table's rows. A table with nothing but N/A, or with no
// rows, is INVALID: it shows nothing. An estimate gives no verdict of record: it is
// INCONCLUSIVE unless it is INVALID.
func (t *Table) Verdict() Verdict {
	worst := t.worst()
	switch {
	case worst == NotApplicable:
		return Invalid
	case worst != Invalid && t.Estimate != "":
		return Inconclusive
	}
	return worst
}

// worst is that of the rows.
func (t *Table) worst() Verdict {
	worst := NotApplicable
	for i := range t.Rows {
		worst = max(worst, t.counted(&t.Rows[i]))
	}
	return worst
}

// showsNothing tells that the table has no row, or none but N/A.
func (t *Table) showsNothing() bool { return t.worst() == NotApplicable }

// nothingJudged is said of a table that shows nothing.
const nothingJudged = "no row was judged"

// Verdict is the worst of the gate's tables; INVALID without tables.
func (g Gate) Verdict() Verdict {
	worst := NotApplicable
	for i := range g {
		worst = max(worst, g[i].Verdict())
	}
	if worst == NotApplicable {
		return Invalid
	}
	return worst
}

// Worst returns the row that a reader should look at first: of the gravest verdict
// the one with the smallest ratio. nil when there is none but N/A.
func (t *Table) Worst() *Row {
	var worst *Row
	for i := range t.Rows {
		r := &t.Rows[i]
		if t.counted(r) != NotApplicable && (worst == nil || t.graver(r, worst) < 0) {
			worst = r
		}
	}
	return worst
}

// graver compares two rows; negative when a is the graver one.
func (t *Table) graver(a, b *Row) int {
	return cmp.Or(cmp.Compare(t.counted(b), t.counted(a)), cmp.Compare(a.Ratio, b.Ratio)) // NaN is less than any number
}

// worst returns the row that a reader should look at first, and its table; nil when
// there is none.
func (g Gate) worst() (table *Table, row *Row) {
	for i := range g {
		if r := g[i].Worst(); r != nil && (row == nil || g[i].graver(r, row) < 0) {
			table, row = &g[i], r
		}
	}
	return table, row
}

// WorstSentence names the worst row of all tables, and why: "Worst: python 0.998,
// inside its spread (rounds in both directions)." It is "" when there is no row.
func (g Gate) WorstSentence() string {
	table, row := g.worst()
	if row == nil {
		return ""
	}
	name := row.cell().String()
	if len(table.Rules.Compare) > 1 {
		name += " " + row.Comparison.String()
	}
	if len(g) > 1 && table.Name != "" {
		name = table.Name + ", " + name
	}
	return "Worst: " + name + row.sentence() + "."
}

// Again is the command that measures the worst row again, into a session of its own; ""
// when that row passed, or its session is not here.
func (g Gate) Again() string {
	table, row := g.worst()
	if row == nil || table.counted(row) == Pass {
		return ""
	}
	return table.again(row)
}

// again is the command that measures a row again; "" when its session is not here.
func (t *Table) again(r *Row) string {
	if t.Session == "" {
		return ""
	}
	return "scalbench repeat " + shellWord(t.Session) + " --scenario " + r.cell().String()
}

// shellWord quotes a path as a shell takes it, where it has to be.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// sentence says what happened to a row, after its name.
func (r *Row) sentence() string {
	if !r.Verdict.judged() || r.Same {
		return " " + r.Word() + ": " + r.Short
	}
	ratio := r.Ratio
	_, spread := r.Numbers.judged()
	text := " " + ratioText(ratio)
	if r.Numbers.Metric == CPU {
		text += " (base / new of cpu_us)"
	}
	if r.Verdict != Pass {
		text += " " + r.Word()
	}
	if r.Short != "" {
		text += ", " + r.Short
	}
	if r.Verdict == Pass && r.Numbers.Metric == Rate && ratio < 1 && spread > 0 && r.Numbers.bothDirections() {
		text += " (rounds in both directions)"
	}
	return text
}

// bothDirections tells whether some rounds were faster and some slower.
func (n *Numbers) bothDirections() bool {
	over := func(r RoundNumbers) bool { return r.Ratio > 1 }
	under := func(r RoundNumbers) bool { return r.Ratio < 1 }
	return slices.ContainsFunc(n.Rounds, over) && slices.ContainsFunc(n.Rounds, under)
}

// Line is a row in one line, as the reports have it in their text: "static-small: 0.982
// / 0.982 / 0.974, median 0.982, spread 1.8: FAIL".
func (r *Row) Line() string {
	var parts []string
	if len(r.Numbers.Rounds) > 0 {
		parts = append(parts, ratiosText(r.Numbers.Rounds), "median "+ratioText(r.Numbers.Value))
		if !math.IsNaN(r.Numbers.Spread) {
			parts = append(parts, "spread "+spreadText(r.Numbers.Spread))
		}
	}
	if !r.Verdict.judged() {
		parts = append(parts, r.Short)
	}
	return fmt.Sprintf("%s: %s: %s", r.cell(), strings.Join(parts, ", "), r.Word())
}
