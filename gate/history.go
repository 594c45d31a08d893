package gate

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/stat"
	"github.com/scalws/scalbench/internal/units"
)

// Point is what one session said of a row.
type Point struct {
	Table   string    // its name
	Began   time.Time // of its first measurement; zero: it does not say
	Ratio   float64   // that the row is judged by, above 1 for better
	BaseRPS float64   // median of all runs of the base; NaN: not known
	Verdict Verdict
}

// Series is one row over sessions.
type Series struct {
	Row     string // as [Row.ID]
	Points  []Point
	Changes []Change
}

// Change is a place from which on a series is at another level.
type Change struct {
	At            int     // of the first point of the new level, from 0
	Before, After float64 // ratios
	P             float64
}

// What a change of level has to be. The p is strict because many places are tried.
const (
	changeP     = 0.001
	changeRatio = 0.01
)

// History puts the rows of tables that measured the same into series, and looks for
// changes of level: one session at a different level is none. Rows that were not judged
// have no point.
func History(tables []Table) []Series {
	tables = slices.Clone(tables)
	slices.SortStableFunc(tables, func(a, b Table) int { return a.began().Compare(b.began()) })
	var all []Series
	for i := range tables {
		for j := range tables[i].Rows {
			row := &tables[i].Rows[j]
			point, ok := tables[i].point(row)
			if !ok {
				continue
			}
			at := slices.IndexFunc(all, func(s Series) bool { return s.Row == row.ID() })
			if at < 0 {
				at = len(all)
				all = append(all, Series{Row: row.ID()})
			}
			all[at].Points = append(all[at].Points, point)
		}
	}
	for i := range all {
		all[i].findChanges()
	}
	return all
}

// Remember gives the rows of a table what earlier tables, in any order, said of them.
func (t *Table) Remember(earlier []Table) {
	for _, s := range History(earlier) {
		for i := range t.Rows {
			if t.Rows[i].ID() == s.Row {
				t.Rows[i].Past = s.Points
			}
		}
	}
}

// began is when the table's first measurement began.
func (t *Table) began() (first time.Time) {
	for _, r := range t.Rounds {
		if b := began(r); !b.IsZero() && (first.IsZero() || b.Before(first)) {
			first = b
		}
	}
	return first
}

// point is what the table says of a row; ok is false when nothing was judged.
func (t *Table) point(r *Row) (p Point, ok bool) {
	if !r.Verdict.judged() || !(r.Ratio > 0) || math.IsInf(r.Ratio, 0) {
		return p, false
	}
	return Point{t.Name, t.began(), r.Ratio, r.Numbers.Base.RPS, r.Verdict}, true
}

func (s *Series) findChanges() {
	y := make([]float64, len(s.Points))
	for i, p := range s.Points {
		y[i] = math.Log(p.Ratio)
	}
	changes, err := stat.FindChanges(y, changeP, math.Log1p(changeRatio))
	if err != nil {
		return // fewer points than can show a change
	}
	for _, c := range changes {
		s.Changes = append(s.Changes, Change{c.Index, math.Exp(c.Before), math.Exp(c.After), c.P})
	}
}

// seriesShown is how many of the last ratios of a series are printed.
const seriesShown = 10

// WriteHistory writes series, one a line, and the changes in them.
func WriteHistory(out io.Writer, all []Series) error {
	grid := Grid{Columns: []Column{{"row", false}, {"sessions", true}, {fmt.Sprintf("ratios, the last %d", seriesShown), false}, {"changes", true}}}
	var changes []string
	for _, s := range all {
		grid.Rows = append(grid.Rows, []string{s.Row, fmt.Sprint(len(s.Points)), ratiosOfPoints(s.Points), fmt.Sprint(len(s.Changes))})
		for _, c := range s.Changes {
			changes = append(changes, fmt.Sprintf("%s: from %s to %s with %s (p %s)", s.Row, ratioText(c.Before), ratioText(c.After), s.Points[c.At].text(), pText(c.P)))
		}
	}
	var page bytes.Buffer
	grid.Text(&page) // a buffer takes everything
	if len(changes) == 0 {
		changes = []string{fmt.Sprintf("no change of level of %s or more", percentText(changeRatio))}
	}
	fmt.Fprintf(&page, "\n%s\n", strings.Join(changes, "\n"))
	if _, err := out.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// ratiosOfPoints writes the last ratios.
func ratiosOfPoints(points []Point) string {
	var texts []string
	for _, p := range points[max(0, len(points)-seriesShown):] {
		texts = append(texts, ratioText(p.Ratio))
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
	if change := r.Numbers.Base.RPS/last.BaseRPS - 1; !math.IsNaN(change) && !math.IsInf(change, 0) {
		text += fmt.Sprintf(", since when %s itself is at %s req/s, %s", r.Base, rateText(r.Numbers.Base.RPS), units.SignedPercent(change))
	}
	return text
}
