package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// The layouts are those of the published reports.

// names are the first columns of a layout: the mode where rows differ in it, and the
// scenario. modes tells whether they do.
func names(rows []*Row) (columns []Column, modes bool) {
	for _, r := range rows {
		modes = modes || r.Mode != rows[0].Mode
	}
	if modes {
		columns = append(columns, Column{Title: "mode"})
	}
	return append(columns, Column{Title: "scenario"}), modes
}

// nameCells are the cells under names.
func (r *Row) nameCells(modes bool) []string {
	if modes {
		return []string{r.Mode, r.Scenario}
	}
	return []string{r.Scenario}
}

// of returns the rows of one comparison.
func (t *Table) of(c Comparison) []*Row {
	var rows []*Row
	for i := range t.Rows {
		if t.Rows[i].Comparison == c {
			rows = append(rows, &t.Rows[i])
		}
	}
	return rows
}

// RatioGrid is the layout of the 1.0.0 gates: the ratio of each round, the median, the
// spread, the other ratios, the verdict.
func (t *Table) RatioGrid(c Comparison) Grid {
	rows := t.of(c)
	columns, modes := names(rows)
	rss := "peak RSS"
	if modes {
		rss = "RSS" // the table is wide enough
	}
	g := Grid{Columns: append(columns, Column{"rps " + c.String() + " per round", true}, Column{"median", true}, Column{"spread %", true},
		Column{"p99", true}, Column{"cpu_us", true}, Column{rss, true}, Column{"gate", false})}
	for _, r := range rows {
		n := &r.Numbers
		g.Rows = append(g.Rows, append(r.nameCells(modes), orAbsent(ratiosText(n.Rounds)), ratioText(n.Value), spreadText(n.Spread),
			ratioText(n.P99), ratioText(n.CPU), ratioText(n.RSS), r.Word()))
	}
	return g
}

// orAbsent stands in for the text of no rounds.
func orAbsent(text string) string {
	if text == "" {
		return absent
	}
	return text
}

// RoundGrid is the first layout of the el8 build: the rates of each round behind the
// ratios.
func (t *Table) RoundGrid(c Comparison) Grid {
	rows := t.of(c)
	columns, modes := names(rows)
	g := Grid{Columns: append(columns, Column{"round", false}, Column{c.Base, true}, Column{c.New, true}, Column{c.String(), true})}
	for _, r := range rows {
		n := &r.Numbers
		numbers := make([]string, len(n.Rounds))
		for i := range numbers {
			numbers[i] = strconv.Itoa(i + 1)
		}
		g.Rows = append(g.Rows, append(r.nameCells(modes), orAbsent(slashed(numbers...)),
			orAbsent(perRound(n.Rounds, func(r RoundNumbers) string { return rateText(r.BaseRPS) })),
			orAbsent(perRound(n.Rounds, func(r RoundNumbers) string { return rateText(r.NewRPS) })),
			orAbsent(ratiosText(n.Rounds))))
	}
	return g
}

// PooledGrid is the second layout of the el8 build: the verdict beside the medians of
// all runs, and their ratio, which decides nothing.
func (t *Table) PooledGrid(c Comparison) Grid {
	rows := t.of(c)
	columns, modes := names(rows)
	runs := 0
	for _, r := range rows {
		runs = max(runs, r.Numbers.Base.Runs)
	}
	both := " " + slashed(c.Base, c.New)
	g := Grid{Columns: append(columns, Column{"median ratio", true}, Column{fmt.Sprintf("pooled median req/s (%d runs)", runs) + both, true},
		Column{"pooled ratio", true}, Column{"cpu_us" + both, true}, Column{"p99 ms" + both, true}, Column{"gate", false})}
	for _, r := range rows {
		n := &r.Numbers
		g.Rows = append(g.Rows, append(r.nameCells(modes), ratioText(n.Value),
			n.perSession(func(s *SessionNumbers) string { return slashed(rateText(s.Base.RPS), rateText(s.New.RPS)) }), ratioText(n.Pooled),
			n.perSession(func(s *SessionNumbers) string {
				return slashed(decimals(s.Base.CPUMicros, 2), decimals(s.New.CPUMicros, 2))
			}),
			n.perSession(func(s *SessionNumbers) string {
				return slashed(decimals(s.Base.P99Millis, 2), decimals(s.New.P99Millis, 2))
			}), r.Word()))
	}
	return g
}

// VariantGrid is the layout of the gateway check: the rates of all variants, the ratio
// of each comparison, and one verdict for a scenario, in small letters.
func (t *Table) VariantGrid() Grid {
	variants, scenarios := t.variants(), t.scenarios()
	first := make([]*Row, len(scenarios))
	for i, rows := range scenarios {
		first[i] = rows[0]
	}
	columns, modes := names(first)
	g := Grid{Columns: columns}
	for _, v := range variants {
		g.Columns = append(g.Columns, Column{v + " req/s", true})
	}
	for _, c := range t.Rules.Compare {
		g.Columns = append(g.Columns, Column{c.String(), true})
	}
	g.Columns = append(g.Columns, Column{"cpu_us " + slashed(variants...), false}, Column{"gate", false})
	for _, rows := range scenarios {
		cells := rows[0].nameCells(modes)
		var cpu []string
		for _, v := range variants {
			cells = append(cells, sideOf(rows, v, func(p *Pooled) string { return rateText(p.RPS) }))
			cpu = append(cpu, sideOf(rows, v, func(p *Pooled) string { return decimals(p.CPUMicros, 2) }))
		}
		for _, r := range rows {
			cells = append(cells, ratioText(r.Numbers.Value))
		}
		g.Rows = append(g.Rows, append(cells, slashed(cpu...), joined(rows)))
	}
	return g
}

// variants are those that are compared, each once, in the order of the comparisons.
func (t *Table) variants() (all []string) {
	for _, c := range t.Rules.Compare {
		for _, v := range []string{c.Base, c.New} {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// scenarios are the rows by scenario and mode: one of each comparison.
func (t *Table) scenarios() (all [][]*Row) {
	at := map[cell]int{}
	for i := range t.Rows {
		r := &t.Rows[i]
		j, known := at[r.cell()]
		if !known {
			j = len(all)
			at[r.cell()] = j
			all = append(all, nil)
		}
		all[j] = append(all[j], r)
	}
	return all
}

// joined is the verdict over the comparisons of a scenario: the gravest after repeats, and
// what a repeat made of it. Of two FAILs the one that nobody ruled on counts.
func joined(rows []*Row) string {
	ruled := func(r *Row) int {
		if r.Ruling != nil {
			return 0
		}
		return 1
	}
	worst := slices.MaxFunc(rows, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.First, b.First), cmp.Compare(ruled(a), ruled(b)))
	})
	text := worst.First.String()
	switch {
	case worst.Same:
		text = wordSame
	case worst.First != worst.Verdict:
		text += ", then " + worst.Verdict.String() + " (repeat)"
	case worst.Ruling != nil:
		text = worst.Word()
	}
	return strings.ToLower(text)
}

// SpreadLine is the range of a variant's runs: "68 462-69 077 (0.4 %)".
func (p Pooled) SpreadLine() string {
	return fmt.Sprintf("%s-%s (%s)", rateText(p.RPSMin), rateText(p.RPSMax), percentText(p.CV))
}

// BinaryGrid is the table of the reports' methods, with what of it can be read from the
// file itself in columns of their own: which program each variant is. Where it is from the
// suite says by "from" and "commit" under about; it is the path otherwise. ok is false
// when nothing is known of any.
func (t *Table) BinaryGrid() (g Grid, ok bool) {
	g.Columns = []Column{{Title: "label"}, {Title: "from"}, {Title: "C library, C compiler"}, {Title: "linkage"}, {Title: "SHA-256"}, {Title: "bytes", Number: true}}
	identified := slices.ContainsFunc(t.Variants, func(v record.PlanVariant) bool { return v.Binary != nil && v.Binary.BuildID != "" })
	if identified {
		g.Columns = append(g.Columns, Column{Title: "build id"})
	}
	for _, v := range t.Variants {
		b := v.Binary
		if b == nil {
			continue
		}
		from := cmp.Or(v.About["from"], b.Path)
		if commit := v.About["commit"]; commit != "" {
			from += " at " + commit
		}
		bytes := absent
		if b.Bytes > 0 {
			bytes = rateText(float64(b.Bytes))
		}
		libc := b.Libc
		if b.Newest != "" {
			libc += " (newest symbol " + b.Newest + ")"
		}
		libc = strings.TrimPrefix(strings.Join([]string{libc, b.Compiler}, ", "), ", ")
		cells := []string{v.Name, from, orAbsent(strings.TrimSuffix(libc, ", ")), orAbsent(b.Linkage), orAbsent(b.SHA256[:min(12, len(b.SHA256))]), bytes}
		if identified {
			cells = append(cells, orAbsent(b.BuildID[:min(12, len(b.BuildID))]))
		}
		g.Rows = append(g.Rows, cells)
	}
	return g, len(g.Rows) > 0
}
