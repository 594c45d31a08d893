package gate

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/scalws/scalbench/internal/record"
)

// endsInNumber is a name whose end benchstat takes for a number of CPUs: rc1-11.
var endsInNumber = regexp.MustCompile(`-\d+$`)

// WriteBenchfmt writes every run that the tables were made of in the format of Go
// benchmarks (golang.org/design/14313-benchmark-format), for benchstat:
//
//	benchstat -col /variant gate.bench
//
// A line is a run, so that benchstat has samples to compare; it knows nothing of
// rounds, pairs and verdicts. Where a variant's name ends like a number of CPUs, all
// lines get one, "-1", so that names stay what they are.
func WriteBenchfmt(out io.Writer, g Gate) error {
	suffix := ""
	for i := range g {
		for _, v := range g[i].variants() {
			if endsInNumber.MatchString(v) {
				suffix = "-1"
			}
		}
	}
	var file bytes.Buffer
	file.WriteString("Unit req/s better=higher\nUnit cpu-us/req better=lower\nUnit p99-ns better=lower\nUnit peak-MiB better=lower\n")
	for i := range g {
		t := &g[i]
		fmt.Fprintf(&file, "\ntable: %s\n", oneLine(t.Name))
		for _, rows := range t.scenarios() {
			for _, v := range t.variants() {
				for _, m := range runsIn(rows, v) {
					writeBenchLine(&file, &m, suffix)
				}
			}
		}
	}
	_, err := out.Write(file.Bytes())
	if err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

// runsIn are the runs of a variant in the rows of a scenario, each once though it may
// stand in several comparisons.
func runsIn(rows []*Row, variant string) (all []record.Measurement) {
	seen := map[MeasurementKey]bool{}
	for _, row := range rows {
		base, new := row.Numbers.runs()
		for _, m := range slices.Concat(base, new) {
			if k := KeyOf(&m); m.Variant == variant && !seen[k] {
				seen[k] = true
				all = append(all, m)
			}
		}
	}
	return all
}

// writeBenchLine writes what was measured of a run, and nothing in place of the rest.
// The count is 1: the line is one measurement, however many requests it had.
func writeBenchLine(out *bytes.Buffer, m *record.Measurement, suffix string) {
	name := "BenchmarkScal"
	if m.Mode != "" {
		name += "/mode=" + m.Mode
	}
	fmt.Fprintf(out, "%s/scenario=%s/variant=%s%s 1", name, m.Scenario, m.Variant, suffix)
	for _, number := range []struct {
		value record.Value
		scale float64
		unit  string
	}{
		{m.RPS, 1, "req/s"}, {m.CPUMicros, 1, "cpu-us/req"}, {m.P99Millis, 1e6, "p99-ns"}, {m.RSSKiB, 1.0 / 1024, "peak-MiB"},
	} {
		if x := number.value.OrNaN() * number.scale; !math.IsNaN(x) {
			out.WriteString(" " + strconv.FormatFloat(x, 'f', -1, 64) + " " + number.unit)
		}
	}
	out.WriteByte('\n')
}
