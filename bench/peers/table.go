package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is rows of text under a heading; the first column is a name, the
// others are numbers.
type table struct {
	columns []string
	rows    [][]string
}

// write prints the table in one of its two forms.
func (t table) write(w io.Writer, markdown bool) error {
	if markdown {
		return t.writeMarkdown(w)
	}
	return t.writeText(w)
}

// writeText pads the columns with spaces: names to the left, numbers to the
// right.
func (t table) writeText(w io.Writer) error {
	widths := make([]int, len(t.columns))
	lines := append([][]string{t.columns}, t.rows...)
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var out strings.Builder
		for i, cell := range line {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				out.WriteString(cell + padding)
			} else {
				out.WriteString("  " + padding + cell)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(out.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown prints a table as GitHub renders it.
func (t table) writeMarkdown(w io.Writer) error {
	rule := []string{"---"}
	for range t.columns[1:] {
		rule = append(rule, "--:")
	}
	for _, line := range append([][]string{t.columns, rule}, t.rows...) {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// writeTitle prints the heading of a table.
func writeTitle(w io.Writer, title string, markdown bool) error {
	if markdown {
		title = "### " + title
	}
	_, err := fmt.Fprintf(w, "\n%s\n\n", title)
	return err
}

// writeHeader prints the facts above the tables.
func writeHeader(w io.Writer, lines []string, markdown bool) error {
	bullet := ""
	if markdown {
		bullet = "- "
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, bullet+line); err != nil {
			return err
		}
	}
	return nil
}
