package record

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/scalws/scalbench/internal/stat"
)

// AggregateFile is the file of a round's medians. It is written when the round has
// ended, after everything else but its text form, so that a round with one is
// finished.
const AggregateFile = "aggregate.csv"

// Aggregate is one line of an aggregate.csv: one scenario of one variant over the
// runs of a round. Fields stand in the order of the columns.
type Aggregate struct {
	Round    int
	Mode     string // "" where there is only one
	Scenario string
	Variant  string
	N        int // valid runs; the numbers below are of these

	RPSMedian, RPSMin, RPSMax Value
	CVPercent                 Value // of rps, with n-1; none for fewer than two runs
	CPUMicros                 Value // median; none when a run lacks it, as the two below
	P99Millis                 Value
	RSSMiB                    Value // not rounded
}

// Summarize computes the aggregate of a round from its measurements, in the order
// of scenarios and variants in which they first appear.
func Summarize(measurements []Measurement) []Aggregate {
	type key struct{ mode, scenario, variant string }
	var order []key
	runs := map[key][]Measurement{}
	for _, m := range measurements {
		k := key{m.Mode, m.Scenario, m.Variant}
		if _, seen := runs[k]; !seen {
			order = append(order, k)
		}
		runs[k] = append(runs[k], m)
	}
	// A file of the first run has all scenarios of its variant; tables want the
	// variants of a scenario together.
	scenarios := map[[2]string]int{}
	for i, k := range order {
		if _, seen := scenarios[[2]string{k.mode, k.scenario}]; !seen {
			scenarios[[2]string{k.mode, k.scenario}] = i
		}
	}
	slices.SortStableFunc(order, func(a, b key) int {
		return cmp.Compare(scenarios[[2]string{a.mode, a.scenario}], scenarios[[2]string{b.mode, b.scenario}])
	})
	lines := make([]Aggregate, 0, len(order))
	for _, k := range order {
		lines = append(lines, summarize(runs[k]))
	}
	return lines
}

// summarize makes the line of one scenario and variant; there is at least one
// measurement.
func summarize(runs []Measurement) Aggregate {
	line := Aggregate{Round: runs[0].Round, Mode: runs[0].Mode, Scenario: runs[0].Scenario, Variant: runs[0].Variant}
	valid := slices.DeleteFunc(slices.Clone(runs), func(m Measurement) bool { return m.State != Valid })
	line.N = len(valid)
	if line.N == 0 {
		return line
	}
	rps := Column(valid, func(m *Measurement) Value { return m.RPS })
	line.RPSMedian, line.RPSMin, line.RPSMax = median(rps), Of(slices.Min(rps)), Of(slices.Max(rps))
	if cv, err := stat.CV(rps); err == nil {
		line.CVPercent = Of(100 * cv)
	}
	line.CPUMicros = median(Column(valid, func(m *Measurement) Value { return m.CPUMicros }))
	line.P99Millis = median(Column(valid, func(m *Measurement) Value { return m.P99Millis }))
	if kib, known := median(Column(valid, func(m *Measurement) Value { return m.RSSKiB })).Get(); known {
		line.RSSMiB = Of(kib / 1024)
	}
	return line
}

// Column takes one number out of each measurement, NaN where there is none.
func Column(measurements []Measurement, number func(*Measurement) Value) []float64 {
	column := make([]float64, len(measurements))
	for i := range measurements {
		column[i] = number(&measurements[i]).OrNaN()
	}
	return column
}

// median is none for no numbers, and when one of them was not measured.
func median(x []float64) Value {
	m, err := stat.Median(x)
	if err != nil {
		return Value{}
	}
	return Of(m)
}

// aggregateColumns are the columns of aggregate.csv in the order in which they are
// written.
func aggregateColumns() []column[Aggregate] {
	type a = Aggregate
	return []column[a]{
		intColumn("round", 1, func(l *a) *int { return &l.Round }),
		textColumn("mode", func(l *a) *string { return &l.Mode }),
		nameColumn("scenario", func(l *a) *string { return &l.Scenario }),
		nameColumn("variant", func(l *a) *string { return &l.Variant }),
		intColumn("n", 0, func(l *a) *int { return &l.N }),
		valueColumn("rps_median", func(l *a) *Value { return &l.RPSMedian }),
		valueColumn("rps_min", func(l *a) *Value { return &l.RPSMin }),
		valueColumn("rps_max", func(l *a) *Value { return &l.RPSMax }),
		valueColumn("cv_pct", func(l *a) *Value { return &l.CVPercent }),
		valueColumn("cpu_us", func(l *a) *Value { return &l.CPUMicros }),
		valueColumn("p99_ms", func(l *a) *Value { return &l.P99Millis }),
		valueColumn("rss_mib", func(l *a) *Value { return &l.RSSMiB }),
	}
}

// ReadAggregate reads an aggregate.csv; name is the file's, for faults. The error is
// a [Faults] with everything that is wrong; there are no lines then.
func ReadAggregate(in io.Reader, name string) ([]Aggregate, error) {
	faults := &faultList{file: name}
	lines := readLines(in, faults, func([]string) []column[Aggregate] { return aggregateColumns() })
	type key struct {
		round                   int
		mode, scenario, variant string
	}
	first := map[key]int{}
	for _, l := range lines {
		k := key{l.value.Round, l.value.Mode, l.value.Scenario, l.value.Variant}
		if at, twice := first[k]; twice {
			faults.at(l.line, "variant %s, scenario %s is on line %d already", k.variant, scenarioText(k.mode, k.scenario), at)
			continue
		}
		first[k] = l.line
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return values(lines), nil
}

// WriteAggregate writes an aggregate.csv. What [ReadAggregate] would refuse is not
// written: the error is the [Faults] that it would return.
func WriteAggregate(out io.Writer, lines []Aggregate) error {
	var file bytes.Buffer
	if err := writeLines(&file, aggregateColumns(), lines); err != nil {
		return err
	}
	if _, err := ReadAggregate(bytes.NewReader(file.Bytes()), AggregateFile); err != nil {
		return fmt.Errorf("write an aggregate that cannot be read back: %w", err)
	}
	_, err := out.Write(file.Bytes())
	return err
}
