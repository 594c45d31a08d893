package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteText writes a gate for a terminal, without colour.
func WriteText(out io.Writer, g Gate) error { return write(out, g, text{}) }

// WriteMarkdown writes a gate in the form of the reports.
func WriteMarkdown(out io.Writer, g Gate) error { return write(out, g, markdown{}) }

// form is how the parts of a gate are written.
type form interface {
	title(out *bytes.Buffer, title string)
	note(out *bytes.Buffer, note string)
	grid(out *bytes.Buffer, g Grid, aligned bool)
}

// write puts the parts in their order; nothing but out can fail.
func write(out io.Writer, g Gate, f form) error {
	var page bytes.Buffer
	for i := range g {
		g[i].write(&page, f)
	}
	if sentence := g.WorstSentence(); sentence != "" {
		f.note(&page, sentence)
	}
	f.note(&page, "Verdict: "+g.Verdict().String())
	if _, err := out.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

// write writes one table: what it is, what was compared, the rows, what they must be
// read with.
func (t *Table) write(out *bytes.Buffer, f form) {
	f.title(out, t.title())
	if t.Estimate != "" {
		f.note(out, "ESTIMATE: "+t.Estimate+"; it gives no verdict of record")
	}
	for _, line := range t.span() {
		f.note(out, line)
	}
	if g, ok := t.BinaryGrid(); ok {
		f.grid(out, g, false)
	}
	for _, d := range t.Differs {
		f.note(out, differsLine(d.Base, d.New, d.Items))
	}
	if t.Rules.Policy == Fixed {
		f.grid(out, t.VariantGrid(), true)
	} else {
		for _, c := range t.Rules.Compare {
			f.grid(out, t.RatioGrid(c), false)
		}
	}
	for _, line := range append(t.Notes, t.footnotes()...) {
		f.note(out, line)
	}
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
		for _, again := range r.Repeats {
			lines = append(lines, fmt.Sprintf("%s, repeated: %s", name, again.Line()))
		}
		for _, flag := range r.Flags {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", name, flag.Code, flag.Text))
		}
	}
	return lines
}

// text is the form for a terminal.
type text struct{}

func (text) title(out *bytes.Buffer, title string) { fmt.Fprintf(out, "%s\n", title) }
func (text) note(out *bytes.Buffer, note string)   { fmt.Fprintf(out, "%s\n", note) }
func (text) grid(out *bytes.Buffer, g Grid, _ bool) {
	out.WriteByte('\n')
	g.Text(out) // a buffer takes everything
	out.WriteByte('\n')
}

// markdown is the form of the reports.
type markdown struct{}

func (markdown) title(out *bytes.Buffer, title string) { fmt.Fprintf(out, "### %s\n\n", title) }
func (markdown) note(out *bytes.Buffer, note string)   { fmt.Fprintf(out, "- %s\n", note) }
func (markdown) grid(out *bytes.Buffer, g Grid, aligned bool) {
	out.WriteByte('\n')
	g.Markdown(out, aligned) // a buffer takes everything
	out.WriteByte('\n')
}
