package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// Capacity writes the curve that a search for the highest rate has measured,
// from the lowest rate to the highest, and the answer.
func Capacity(out io.Writer, url, goal string, c loadgen.Capacity) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s   the highest rate at which %s\n", url, goal)
	fmt.Fprintf(&b, "%10s %10s %9s %9s %9s\n", "offered", "achieved", "p50", "p99", "p99.9")
	steps := slices.Clone(c.Steps)
	slices.SortStableFunc(steps, func(a, b loadgen.CapacityStep) int {
		switch {
		case a.OfferedRPS < b.OfferedRPS:
			return -1
		case a.OfferedRPS > b.OfferedRPS:
			return 1
		}
		return a.Repeat - b.Repeat
	})
	for _, s := range steps {
		mark := "held"
		switch {
		case !s.Valid:
			mark = "void: " + s.Why
		case !s.Held:
			mark = s.Why
		}
		fmt.Fprintf(&b, "%10s %10s %9s %9s %9s   %s\n", units.Rate(s.OfferedRPS), units.Rate(s.AchievedRPS), optional(s.P50US), optional(s.P99US), optional(s.P999US), mark)
	}
	line(&b, "answer", "%s", c.Sure)
	for _, n := range c.Notes {
		line(&b, "note", "%s", n)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// CapacityLine is one step as it was measured.
func CapacityLine(r *loadgen.Result, offered float64) string {
	text := fmt.Sprintf("%s req/s of %s", units.Rate(r.RPS), units.Rate(offered))
	if r.Latency.Response != nil {
		text += "  " + latencies(r.Latency.Response)
	}
	return text
}

func optional(us *float64) string {
	if us == nil {
		return "-"
	}
	return units.Duration(micros(*us))
}
