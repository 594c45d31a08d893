package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// MarkdownBytesMax is the most that [WriteMarkdown] writes: comments of pull requests
// may have 65 536 characters, and whoever posts it puts a line around it.
const MarkdownBytesMax = 60_000

// MarkdownMarker begins the first line of a gate in Markdown, a comment that is not
// shown: by it a later run finds the comment of an earlier one and replaces it.
const MarkdownMarker = "<!-- scalbench gate"

// WriteMarkdown writes a gate in the form of the reports, in [MarkdownBytesMax] bytes
// at most: what is too long loses first what passing rows must be read with, then the
// passing rows, then all rows, and says so.
func WriteMarkdown(out io.Writer, g Gate) error {
	var names []string
	for i := range g {
		if g[i].Name != "" {
			names = append(names, g[i].Name)
		}
	}
	head := fmt.Sprintf("%s %s -->\n", MarkdownMarker, strings.ReplaceAll(strings.Join(names, " "), "--", "-"))
	page := pageOf(g, markdown{}, everything)
	for d := verdicts; d <= conclusion && len(head)+len(page) > MarkdownBytesMax-len(shortened); d++ {
		page = append([]byte(shortened), pageOf(g, markdown{}, d)...)
	}
	if over := len(head) + len(page) - MarkdownBytesMax; over > 0 {
		page = append(page[:bytes.LastIndexByte(page[:len(page)-over-len(cutEnd)], '\n')+1], cutEnd...)
	}
	if _, err := io.WriteString(out, head+string(page)); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

const (
	shortened = "- This is shortened: as text, CSV and JSON the gate has every row and flag.\n"
	cutEnd    = "- There is more.\n"
)

// markdown is the form of the reports.
type markdown struct{}

func (markdown) title(out *bytes.Buffer, title string) {
	fmt.Fprintf(out, "### %s\n\n", shown(oneLine(title)))
}
func (markdown) note(out *bytes.Buffer, note string) {
	fmt.Fprintf(out, "- %s\n", shown(oneLine(note)))
}
func (markdown) grid(out *bytes.Buffer, g Grid, aligned bool) {
	out.WriteByte('\n')
	g.Markdown(out, aligned) // a buffer takes everything
	out.WriteByte('\n')
}

// shown keeps text that others wrote from being taken for HTML.
func shown(text string) string { return strings.ReplaceAll(text, "<", "&lt;") }
