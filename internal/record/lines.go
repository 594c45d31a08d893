package record

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A file of lines is a header and one T a line, in CSV (RFC 4180, with a line feed
// as the end of a line and none inside a cell: a line of the file is a line of the
// table, so that a cut file is seen and a fault has a line).

// column is one column of a file whose lines are of type T.
type column[T any] struct {
	name     string
	optional bool // older files lack it; the field then keeps its zero value
	parse    func(line *T, text string) error
	format   func(line *T) string
}

// placed is a line of a file with its number, from 1; the header is 1.
type placed[T any] struct {
	line  int
	value T
}

// readLines reads a file of lines. columnsFor returns the columns that a file with
// this header must have, in any order. Lines with a fault are left out.
func readLines[T any](in io.Reader, faults *faultList, columnsFor func(header []string) []column[T]) []placed[T] {
	text, ok := readText(in, faults)
	if !ok {
		return nil
	}
	lines, whole := splitLines(text)
	if len(lines) == 0 {
		faults.at(1, "the file is empty, expected a header")
		return nil
	}
	if !whole {
		faults.at(len(lines), "the file ends in the middle of this line: it was cut")
		lines = lines[:len(lines)-1]
		if len(lines) == 0 {
			return nil
		}
	}
	header, err := splitCells(lines[0])
	if err != nil {
		faults.at(1, "%v", err)
		return nil
	}
	order, ok := arrange(header, columnsFor(header), faults)
	if !ok {
		return nil
	}
	var values []placed[T]
	for i, line := range lines[1:] {
		if value, ok := readLine(line, i+2, header, order, faults); ok {
			values = append(values, placed[T]{i + 2, value})
		}
	}
	return values
}

// splitCells reads one line of CSV.
func splitCells(line string) ([]string, error) {
	cells, err := csv.NewReader(strings.NewReader(line)).Read()
	var syntax *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("an empty line")
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("no CSV: %w at byte %d", syntax.Err, syntax.Column)
	case err != nil:
		return nil, fmt.Errorf("no CSV: %w", err)
	}
	return cells, nil
}

// arrange finds the column of each cell of the header. An unknown column is a fault
// and its cells stay unread (nil); ok is false when a column is missing, since the
// lines could then only be misjudged.
func arrange[T any](header []string, columns []column[T], faults *faultList) (order []*column[T], ok bool) {
	order = make([]*column[T], len(header))
	for i, name := range header {
		j := slices.IndexFunc(columns, func(c column[T]) bool { return c.name == name })
		switch {
		case slices.Contains(header[:i], name):
			faults.at(1, "column %q is there twice", name)
		case j < 0:
			faults.at(1, "unknown column %q", name)
		default:
			order[i] = &columns[j]
		}
	}
	ok = true
	for _, c := range columns {
		if !c.optional && !slices.Contains(header, c.name) {
			faults.at(1, "no column %q", c.name)
			ok = false
		}
	}
	return order, ok
}

// readLine reads the cells of one line; all that are wrong are told.
func readLine[T any](line string, number int, header []string, order []*column[T], faults *faultList) (value T, ok bool) {
	cells, err := splitCells(line)
	if err != nil {
		faults.at(number, "%v", err)
		return value, false
	}
	if len(cells) != len(header) {
		faults.at(number, "%d cells, expected %d", len(cells), len(header))
		return value, false
	}
	ok = true
	for i, c := range order {
		if c == nil {
			continue
		}
		if err := c.parse(&value, cells[i]); err != nil {
			faults.at(number, "%s: %v", c.name, err)
			ok = false
		}
	}
	return value, ok
}

// writeLines writes a file of lines.
func writeLines[T any](out io.Writer, columns []column[T], values []T) error {
	w := csv.NewWriter(out)
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.name
	}
	w.Write(cells) // its error is kept for Error
	for i := range values {
		for j, c := range columns {
			cells[j] = c.format(&values[i])
		}
		w.Write(cells)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write lines: %w", err)
	}
	return nil
}
