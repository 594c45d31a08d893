package gate

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/units"
)

// seriesShown is how many of the last ratios of a series are printed.
const seriesShown = 10

// markEstimate stands behind the ratio of an estimate.
const markEstimate = "~"

// WriteHistory writes the series of each origin under a heading, one a line, and the
// changes in them; then the notes.
func WriteHistory(out io.Writer, all []Series, notes []string) error {
	var page bytes.Buffer
	for i, o := range origins(all) {
		if i > 0 {
			page.WriteByte('\n')
		}
		writeOrigin(&page, o, all)
	}
	if len(notes) > 0 && len(all) > 0 {
		page.WriteByte('\n')
	}
	for _, note := range notes {
		fmt.Fprintln(&page, oneLine(note))
	}
	if _, err := out.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// origins are those of the series, each once.
func origins(all []Series) (each []Origin) {
	for _, s := range all {
		if !slices.Contains(each, s.Origin) {
			each = append(each, s.Origin)
		}
	}
	return each
}

// writeOrigin writes the series of one origin.
func writeOrigin(page *bytes.Buffer, o Origin, all []Series) {
	grid := Grid{Columns: []Column{{"row", false}, {"sessions", true}, {fmt.Sprintf("ratios, the last %d", seriesShown), false}, {"changes", true}}}
	var changes []string
	estimates := false
	for _, s := range all {
		if s.Origin != o {
			continue
		}
		grid.Rows = append(grid.Rows, []string{s.Row, fmt.Sprint(len(s.Points)), ratiosOfPoints(s.Points), fmt.Sprint(len(s.Changes))})
		estimates = estimates || anyEstimate(s.Points)
		for _, c := range s.Changes {
			changes = append(changes, fmt.Sprintf("%s: from %s to %s with %s (p %s)", s.Row, ratioText(c.Before), ratioText(c.After), s.Points[c.At].text(), pText(c.P)))
		}
	}
	fmt.Fprintf(page, "%s\n\n", oneLine(o.String()))
	grid.Text(page) // a buffer takes everything
	if len(changes) == 0 {
		changes = []string{fmt.Sprintf("no change of level of %s or more", percentText(changeRatio))}
	}
	fmt.Fprintf(page, "\n%s\n", strings.Join(changes, "\n"))
	if estimates {
		fmt.Fprintf(page, "%s is an estimate: its session gives no verdict of record\n", markEstimate)
	}
}

func anyEstimate(points []Point) bool {
	return slices.ContainsFunc(points, func(p Point) bool { return p.Estimate })
}

// ratiosOfPoints writes the last ratios.
func ratiosOfPoints(points []Point) string {
	var texts []string
	for _, p := range points[max(0, len(points)-seriesShown):] {
		text := ratioText(p.Ratio)
		if p.Estimate {
			text += markEstimate
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// text names a point as people remember it.
func (p *Point) text() string {
	if p.Began.IsZero() {
		return p.Table
	}
	return p.Table + " of " + p.Began.Format(time.DateOnly)
}

// pastLine tells what earlier sessions said of a row; "" when there are none.
func (r *Row) pastLine() string {
	if len(r.Past) == 0 {
		return ""
	}
	last := &r.Past[len(r.Past)-1]
	text := fmt.Sprintf("before, over %d sessions: %s; last %s", len(r.Past), ratiosOfPoints(r.Past), last.text())
	if anyEstimate(r.Past) {
		text += " (" + markEstimate + ": an estimate)"
	}
	if change := r.Numbers.Base.RPS/last.BaseRPS - 1; !math.IsNaN(change) && !math.IsInf(change, 0) {
		text += fmt.Sprintf(", since when %s itself is at %s req/s, %s", r.Base, rateText(r.Numbers.Base.RPS), units.SignedPercent(change))
	}
	return text
}
