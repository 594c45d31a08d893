package gate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// form is how the parts of a gate are written.
type form interface {
	title(out *bytes.Buffer, title string)
	note(out *bytes.Buffer, note string)
	grid(out *bytes.Buffer, g Grid, aligned bool)
}

// detail is how much of a gate is written.
type detail int

const (
	everything detail = iota
	verdicts          // without what passing rows must be read with
	exceptions        // of the rows only those that did not pass, too
	conclusion        // no rows
)

// pageOf puts the parts in their order: the sentence that matters stands last, where a
// terminal shows it.
func pageOf(g Gate, f form, d detail) []byte {
	var page bytes.Buffer
	for i := range g {
		g[i].write(&page, f, d)
	}
	if sentence := g.WorstSentence(); sentence != "" {
		f.note(&page, sentence)
	}
	if command := g.Again(); command != "" {
		f.note(&page, "Again: "+command)
	}
	f.note(&page, "Verdict: "+g.Verdict().String())
	return page.Bytes()
}

// write writes one table: what it is, what was compared, the rows, what they must be
// read with.
func (t *Table) write(out *bytes.Buffer, f form, d detail) {
	f.title(out, t.title())
	if t.Estimate != "" {
		f.note(out, "ESTIMATE: "+t.Estimate+"; it gives no verdict of record")
	}
	for _, line := range t.span() {
		f.note(out, line)
	}
	if d == conclusion {
		return
	}
	if g, ok := t.BinaryGrid(); ok && d == everything {
		f.grid(out, g, false)
	}
	for _, line := range t.identity() {
		f.note(out, line)
	}
	for _, d := range t.Differs {
		f.note(out, differsLine(d))
	}
	shown := t.reduced(d)
	if t.Rules.Policy == Fixed {
		f.grid(out, shown.VariantGrid(), true)
	} else {
		for _, c := range t.Rules.Compare {
			f.grid(out, shown.RatioGrid(c), false)
		}
	}
	if d == everything {
		t.writeEffects(out, f)
		t.writeProfiles(out, f)
	}
	for _, line := range append(slices.Clone(shown.Notes), shown.footnotes()...) {
		f.note(out, line)
	}
}

// writeEffects writes what the pairs of runs say, where they are known.
func (t *Table) writeEffects(out *bytes.Buffer, f form) {
	for _, c := range t.Rules.Compare {
		if g, ok := t.EffectGrid(c); ok {
			f.note(out, t.effectCaption(c))
			f.grid(out, g, false)
		}
	}
}

// reduced leaves out of a table what a level of detail does not show, and tells how
// much that was.
func (t *Table) reduced(d detail) *Table {
	if d == everything {
		return t
	}
	shown := *t
	shown.Rows = nil
	passed := 0
	for _, r := range t.Rows {
		if r.Verdict == Pass || r.Verdict == NotApplicable {
			passed++
			if d == exceptions {
				continue
			}
			r.Flags, r.Repeats, r.Past, r.Expected = nil, nil, nil, ""
		}
		shown.Rows = append(shown.Rows, r)
	}
	if d == exceptions && passed > 0 {
		shown.Notes = append(slices.Clone(t.Notes), fmt.Sprintf("%d rows that passed, or are N/A, are not shown", passed))
	}
	return &shown
}

// title is the table's name and what it concludes.
func (t *Table) title() string {
	var compared []string
	for _, c := range t.Rules.Compare {
		compared = append(compared, c.String())
	}
	name := t.Name
	if name != "" {
		name += ": "
	}
	return fmt.Sprintf("%s%s, policy %s (%s)", name, strings.Join(compared, ", "), t.Rules.Policy, t.Verdict())
}

// footnotes are the reasons of the rows that did not simply pass, and all flags.
func (t *Table) footnotes() []string {
	var lines []string
	for i := range t.Rows {
		r := &t.Rows[i]
		name := r.cell().String()
		if len(t.Rules.Compare) > 1 {
			name += " " + r.Comparison.String()
		}
		if r.Short != "" && (r.Verdict != Pass || r.Same) {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", name, r.Word(), r.Short))
		}
		if r.Expected != "" {
			lines = append(lines, fmt.Sprintf("%s: the suite expects: %s", name, r.Expected))
		}
		for _, again := range r.Repeats {
			lines = append(lines, fmt.Sprintf("%s, repeated: %s", name, again.Line()))
		}
		if past := r.pastLine(); past != "" {
			lines = append(lines, name+": "+past)
		}
		for _, flag := range r.ownFlags() {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", name, flag.Code, flag.Text))
		}
	}
	return lines
}
