package record

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/scalws/scalbench/internal/units"
)

// AggregateTextFile is the aggregate for people; nothing reads it back.
const AggregateTextFile = "aggregate.txt"

// WriteAggregateText writes the aggregate as an aligned table: req/s in groups of
// three digits, the range with its CV, cpu_us and p99 with two decimals, whole MiB.
// What was not measured is a dash.
func WriteAggregateText(out io.Writer, lines []Aggregate) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "round\tmode\tscenario\tvariant\tn\treq/s\tmin-max (CV)\tcpu_us\tp99 ms\tMiB\t") // its error is kept for Flush
	for _, l := range lines {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t\n", l.Round, dash(l.Mode), l.Scenario, l.Variant, l.N,
			whole(l.RPSMedian), rangeText(l), decimals(l.CPUMicros, 2), decimals(l.P99Millis, 2), whole(l.RSSMiB))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write aggregate: %w", err)
	}
	return nil
}

// dash stands for what is not there.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// whole writes 68707.9 as 68 708.
func whole(v Value) string {
	x, known := v.Get()
	if !known {
		return "-"
	}
	return units.Group(int64(math.Round(x)))
}

func decimals(v Value, n int) string {
	x, known := v.Get()
	if !known {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', n, 64)
}

// rangeText writes 68 462-69 077 (0.4 %).
func rangeText(l Aggregate) string {
	if !l.RPSMin.Known() {
		return "-"
	}
	text := whole(l.RPSMin) + "-" + whole(l.RPSMax)
	if l.CVPercent.Known() {
		text += " (" + decimals(l.CVPercent, 1) + " %)"
	}
	return text
}
