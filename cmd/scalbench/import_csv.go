package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// A foreign table is turned into the text of a summary.csv, and read by the reader of
// those: what it would refuse of ours it refuses of theirs, at the line of their file.

// foreignLine is a line of a foreign table in our columns.
type foreignLine struct {
	number int // in their file
	cells  map[string]string
}

// readForeign reads a foreign table.
func (o *importOptions) readForeign(file string, m *columnMap) ([]imported, error) {
	text, err := readGiven(file)
	if err != nil {
		return nil, err
	}
	return o.parseForeign(file, text, m)
}

func (o *importOptions) parseForeign(file string, text []byte, m *columnMap) ([]imported, error) {
	lines, err := o.mapLines(file, text, m)
	if err != nil {
		return nil, err
	}
	// A summary.csv is of one round, and so has no line twice.
	byRound := map[string][]foreignLine{}
	var rounds []string
	for _, l := range lines {
		byRound[l.cells["round"]] = append(byRound[l.cells["round"]], l)
		rounds = appendNew(rounds, l.cells["round"])
	}
	var all []imported
	var faults []error
	for _, round := range rounds {
		measurements, err := readAsSummary(file, byRound[round], m)
		faults = append(faults, err)
		for i, m := range measurements {
			all = append(all, imported{m, fmt.Sprintf("%s:%d", file, byRound[round][i].number)})
		}
	}
	return all, errors.Join(faults...)
}

// mapLines reads the cells that the map names.
func (o *importOptions) mapLines(file string, text []byte, m *columnMap) (lines []foreignLine, err error) {
	table := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	table.Comma = rune(o.separator[0])
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, usageError{record.Fault{File: file, Line: 1, Text: "the file is empty, expected a header"}}
	}
	var faults record.Faults
	at := func(line int, format string, args ...any) {
		faults = append(faults, record.Fault{File: file, Line: line, Text: fmt.Sprintf(format, args...)})
	}
	if err == nil {
		faults = m.against(file, header)
	}
	for err == nil && len(faults) == 0 {
		var cells []string
		if cells, err = table.Read(); err == nil {
			number, _ := table.FieldPos(0)
			lines = append(lines, foreignLine{number, o.cellsOf(header, cells, m)})
			if ours := m.broken(header, cells); ours != "" {
				at(number, "%s: a line feed in a cell", ours)
			}
		}
	}
	if errors.Is(err, io.EOF) && !bytes.HasSuffix(text, []byte("\n")) {
		at(1+bytes.Count(text, []byte("\n")), "the file ends in the middle of this line: it was cut, or wants a line feed at its end")
	}
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &syntax):
		at(syntax.Line, "no CSV: %v", syntax.Err)
	case len(lines) == 0 && len(faults) == 0:
		at(1, "a header and no measurement")
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b record.Fault) int { return a.Line - b.Line })
		return nil, usageError{faults}
	}
	return lines, nil
}

// against tells which columns a table lacks, and which it has twice, so that nobody knows
// which of them is meant.
func (m *columnMap) against(file string, header []string) (faults record.Faults) {
	for _, ours := range slices.Sorted(maps.Keys(m.cells)) {
		s := m.cells[ours]
		if s.column == "" {
			continue
		}
		first := slices.Index(header, s.column)
		switch {
		case first < 0:
			faults = append(faults, record.Fault{File: m.file, Line: s.line, Text: fmt.Sprintf("%s: %s has no column %q, only %s", ours, file, s.column, strings.Join(header, ", "))})
		case slices.Contains(header[first+1:], s.column):
			faults = append(faults, record.Fault{File: file, Line: 1, Text: fmt.Sprintf("column %q, which is to be %s, is there twice", s.column, ours)})
		}
	}
	return faults
}

// broken is the first column of ours whose cell has a line feed; "": none.
func (m *columnMap) broken(header, theirs []string) string {
	for _, ours := range slices.Sorted(maps.Keys(m.cells)) {
		if s := m.cells[ours]; s.column != "" && strings.ContainsAny(theirs[slices.Index(header, s.column)], "\r\n") {
			return ours
		}
	}
	return ""
}

// cellsOf are the cells of one line in our columns and units, and what follows from
// them.
func (o *importOptions) cellsOf(header, theirs []string, m *columnMap) map[string]string {
	cells := map[string]string{
		"session": o.session, "round": strconv.Itoa(o.place.round), "run": strconv.Itoa(o.place.run), "slot": "0",
		"variant": o.place.variant, "mode": o.place.mode, "scenario": o.place.scenario,
		"start_mono_ns": "0", "requests": "0", "status_2xx": "0", "status_other": "0", "errors": "0", "bytes": "0",
		"identity_ok": "0", "identity_n": "0", "interfered": "no", "valid": "yes", "flags": flagImported,
	}
	for ours, s := range m.cells {
		text := s.value
		if s.column != "" {
			text = theirs[slices.Index(header, s.column)]
		}
		cells[ours] = scaled(strings.TrimSpace(text), s.scale)
	}
	duration, rps, requests := number(cells["duration_s"]), number(cells["rps"]), number(cells["requests"])
	if _, told := m.cells["requests"]; !told && rps*duration > 0 {
		cells["requests"] = strconv.FormatFloat(math.Round(rps*duration), 'f', 0, 64)
	}
	if _, told := m.cells["rps"]; !told && duration > 0 && requests >= 0 {
		cells["rps"] = strconv.FormatFloat(requests/duration, 'f', -1, 64)
	}
	other, failed := number(cells["status_other"]), number(cells["errors"])
	if other > 0 || failed > 0 {
		cells["valid"], cells["reason"] = "no", notOnlyOK(uint64(max(0, number(cells["requests"]))), uint64(max(0, other)), uint64(max(0, failed)))
	}
	_, hasOther := m.cells["status_other"]
	_, hasErrors := m.cells["errors"]
	if !hasOther || !hasErrors {
		cells["flags"] += " status-unknown" // nobody knows whether all were 2xx
	}
	return cells
}

// scaled turns a number into our unit. What is no number from 0 on stays, for the reader
// to refuse it as it was written.
func scaled(text string, scale float64) string {
	x := number(text)
	if scale == 0 || !(x >= 0) {
		return text
	}
	return strconv.FormatFloat(x*scale, 'f', -1, 64)
}

// number is NaN for what is no decimal: the reader of a summary.csv takes no inf and no
// hexadecimal either.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return math.NaN()
	}
	return x
}

// readAsSummary reads lines as those of a summary.csv. A fault of what the map says for
// all lines is the map's, and told once.
func readAsSummary(file string, lines []foreignLine, m *columnMap) ([]record.Measurement, error) {
	columns := []string{"session", "start_mono_ns", "rss_method", "little", "identity_ok", "identity_n", "interfered", "valid", "reason", "flags"}
	for _, c := range importColumns() {
		columns = append(columns, c.name)
	}
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	out.Write(columns) // a buffer takes everything
	for _, l := range lines {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = l.cells[c]
		}
		out.Write(cells)
	}
	out.Flush()
	measurements, err := record.ReadSummary(&text, file)
	var faults record.Faults
	if !errors.As(err, &faults) {
		return measurements, err
	}
	var told record.Faults
	for _, f := range faults {
		if f.Line >= 2 && f.Line-2 < len(lines) {
			f.Line = lines[f.Line-2].number
		}
		ours, _, _ := strings.Cut(f.Text, ":")
		if s, is := m.cells[ours]; is && s.value != "" {
			f.File, f.Line = m.file, s.line
		}
		if !slices.Contains(told, f) {
			told = append(told, f)
		}
	}
	return nil, usageError{told}
}
