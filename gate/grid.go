package gate

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Grid is a table of text.
type Grid struct {
	Columns []Column
	Rows    [][]string // as many cells as columns
}

// Column is the head of a column.
type Column struct {
	Title  string
	Number bool // to the right, where the form allows
}

// Markdown writes the grid as the reports have it: one space around cells, rules of
// three dashes. aligned marks the columns of numbers (---:), as the report of
// 2026-10-15 does and the later ones do not.
func (g Grid) Markdown(out io.Writer, aligned bool) error {
	var text strings.Builder
	rule := "|"
	titles := make([]string, len(g.Columns))
	for i, c := range g.Columns {
		titles[i] = c.Title
		if aligned && c.Number {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	line := func(cells []string) { fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | ")) }
	line(titles)
	text.WriteString(rule + "\n")
	for _, row := range g.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		line(cells)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// Text writes the grid for a terminal: two spaces between columns, names to the left,
// numbers to the right.
func (g Grid) Text(out io.Writer) error {
	lines := [][]string{make([]string, len(g.Columns))}
	for i, c := range g.Columns {
		lines[0][i] = c.Title
	}
	lines = append(lines, g.Rows...)
	widths := make([]int, len(g.Columns))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, line := range lines {
		var padded []string
		for i, cell := range line {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if g.Columns[i].Number {
				padded = append(padded, padding+cell)
			} else {
				padded = append(padded, cell+padding)
			}
		}
		text.WriteString(strings.TrimRight(strings.Join(padded, "  "), " ") + "\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}
