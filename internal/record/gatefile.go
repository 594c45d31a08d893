package record

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// GateRow is one line of a gate.csv: one row of a verdict table. Fields stand in the
// order of the columns. A file of published tables has the columns up to verdict,
// in printed decimals; one that a gate wrote has all, in full.
type GateRow struct {
	Report   string // where the table was published, or the session
	Gate     string
	Table    string
	Mode     string
	Scenario string
	Base     string
	New      string
	Ratios   []Value // of each round, new / base, of rps; columns r1 to rN
	Median   Value   // of Ratios: the gate's value

	SpreadPercent Value
	P99, CPU, RSS Value  // ratios, new / base
	Verdict       string // the word of the cell

	CILo, CIHi Value // bounds of the ratio
	Level      Value // error of each bound
	MDE        Value // smallest loss that could have been seen, a fraction
	Flags      []string
}

// leastRatios is how many columns of ratios a gate.csv has at least.
const leastRatios = 3

// gateColumns are the columns of a gate.csv with so many ratios, in the order in
// which they are written.
func gateColumns(ratios int) []column[GateRow] {
	type g = GateRow
	columns := []column[g]{
		textColumn("report", func(l *g) *string { return &l.Report }),
		textColumn("gate", func(l *g) *string { return &l.Gate }),
		textColumn("table", func(l *g) *string { return &l.Table }),
		textColumn("mode", func(l *g) *string { return &l.Mode }),
		nameColumn("scenario", func(l *g) *string { return &l.Scenario }),
		nameColumn("base", func(l *g) *string { return &l.Base }),
		nameColumn("new", func(l *g) *string { return &l.New }),
	}
	for i := range ratios {
		columns = append(columns, ratioColumn(i, ratios))
	}
	return append(columns,
		valueColumn("median", func(l *g) *Value { return &l.Median }),
		valueColumn("spread_pct", func(l *g) *Value { return &l.SpreadPercent }),
		valueColumn("p99", func(l *g) *Value { return &l.P99 }),
		valueColumn("cpu_us", func(l *g) *Value { return &l.CPU }),
		valueColumn("rss", func(l *g) *Value { return &l.RSS }),
		textColumn("verdict", func(l *g) *string { return &l.Verdict }),
		optional(valueColumn("ci_lo", func(l *g) *Value { return &l.CILo })),
		optional(valueColumn("ci_hi", func(l *g) *Value { return &l.CIHi })),
		optional(valueColumn("level", func(l *g) *Value { return &l.Level })),
		optional(valueColumn("mde", func(l *g) *Value { return &l.MDE })),
		optional(wordsColumn("flags", func(l *g) *[]string { return &l.Flags })),
	)
}

// ratioColumn is the column of the round's ratio, i from 0; a row of fewer rounds
// leaves the last ones empty.
func ratioColumn(i, of int) column[GateRow] {
	return column[GateRow]{name: "r" + strconv.Itoa(i+1),
		parse: func(l *GateRow, text string) (err error) {
			if l.Ratios == nil {
				l.Ratios = make([]Value, of)
			}
			l.Ratios[i], err = parseValue(text)
			return err
		},
		format: func(l *GateRow) string {
			if i >= len(l.Ratios) {
				return ""
			}
			return l.Ratios[i].String()
		},
	}
}

// ReadGate reads a gate.csv; name is the file's, for faults. The error is a [Faults]
// with everything that is wrong; there are no rows then.
func ReadGate(in io.Reader, name string) ([]GateRow, error) {
	faults := &faultList{file: name}
	lines := readLines(in, faults, func(header []string) []column[GateRow] {
		ratios := leastRatios
		for slices.Contains(header, "r"+strconv.Itoa(ratios+1)) {
			ratios++
		}
		return gateColumns(ratios)
	})
	for i := range lines {
		checkGateRow(&lines[i].value, lines[i].line, faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return values(lines), nil
}

// checkGateRow drops the empty ratios at the end of a row and looks at the rest.
func checkGateRow(row *GateRow, line int, faults *faultList) {
	for len(row.Ratios) > 0 && !row.Ratios[len(row.Ratios)-1].Known() {
		row.Ratios = row.Ratios[:len(row.Ratios)-1]
	}
	if len(row.Ratios) == 0 {
		row.Ratios = nil
	}
	for i, r := range row.Ratios {
		if ratio, known := r.Get(); !known || ratio == 0 {
			faults.at(line, "r%d: %s, expected the ratio of a round before others", i+1, dash(r.String()))
		}
	}
	if row.Verdict == "" {
		faults.at(line, "verdict: nothing")
	}
	m := median(ratioNumbers(row.Ratios))
	if published, known := row.Median.Get(); known && m.Known() && math.Abs(published-m.OrNaN()) > medianSlack {
		faults.at(line, "median: %s, but that of the ratios is %s", row.Median, m)
	}
}

// medianSlack is the most by which the median of an even number of ratios of three
// decimals may differ from the ratio's own three decimals.
const medianSlack = 0.001 + 1e-9

// ratioNumbers turns ratios into numbers, NaN for none.
func ratioNumbers(ratios []Value) []float64 {
	numbers := make([]float64, len(ratios))
	for i, r := range ratios {
		numbers[i] = r.OrNaN()
	}
	return numbers
}

// WriteGate writes a gate.csv with all columns, and as many ratios as the row with
// the most rounds has. What [ReadGate] would refuse is not written: the error is the
// [Faults] that it would return.
func WriteGate(out io.Writer, rows []GateRow) error {
	ratios := leastRatios
	for _, row := range rows {
		ratios = max(ratios, len(row.Ratios))
	}
	var file bytes.Buffer
	if err := writeLines(&file, gateColumns(ratios), rows); err != nil {
		return err
	}
	if _, err := ReadGate(bytes.NewReader(file.Bytes()), "gate.csv"); err != nil {
		return fmt.Errorf("write rows that cannot be read back: %w", err)
	}
	_, err := out.Write(file.Bytes())
	return err
}
