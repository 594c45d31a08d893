package gate

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// Origin is what sessions have in common whose ratios form a series: another suite, host
// or method makes other ratios, and the step between the two would be no change of any
// variant.
type Origin struct {
	Suite       string // of rounds without a session the name of their table
	Host        string // name of the host; "": not known
	Fingerprint string // as [record.Host.Fingerprint]; "": not known
	Method      string // as [record.Plan.Method]; "": not known
}

// originOf is where the table's numbers come from.
func originOf(name string, s *record.Session) Origin {
	if s == nil {
		return Origin{Suite: name}
	}
	return Origin{s.Plan.Suite, s.Host.Name, s.Host.Fingerprint(), s.Plan.Method()}
}

// String returns the heading of the series: "gate1 on xeon (host 3f2a91bc): release,
// 10 s + 30 s".
func (o Origin) String() string {
	if o.Fingerprint == "" {
		return o.Suite + " on a host that is not known"
	}
	return fmt.Sprintf("%s on %s (host %.8s): %s", o.Suite, o.Host, o.Fingerprint, o.Method)
}

// Point is what one session said of a row.
type Point struct {
	Table    string    // its name
	Began    time.Time // of its first measurement; zero: it does not say
	Ratio    float64   // that the row is judged by, above 1 for better
	BaseRPS  float64   // median of all runs of the base; NaN: not known
	Verdict  Verdict
	Estimate bool // the session gives no verdict of record
}

// Series is one row over the sessions of one origin.
type Series struct {
	Origin  Origin
	Row     string  // as [Row.ID]
	Points  []Point // in the order of time
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

// History puts the rows of tables into series, a table a point, and looks for changes of
// level: one session at a different level is none. Repeats have no points, since they
// measured rows because of what these had shown, and nor have rows that were not judged.
// The notes name the tables without any point, and why.
func History(tables []Table) (all []Series, notes []string) {
	tables = slices.Clone(tables)
	slices.SortStableFunc(tables, func(a, b Table) int { return a.began().Compare(b.began()) })
	for i := range tables {
		t := &tables[i]
		if t.RepeatOf != "" {
			notes = append(notes, t.Name+" repeats session "+t.RepeatOf+": it is no point")
			continue
		}
		points := 0
		for j := range t.Rows {
			row := &t.Rows[j]
			if point, ok := t.point(row); ok {
				points++
				at := seriesOf(&all, t.Origin, row.ID())
				at.Points = append(at.Points, point)
			}
		}
		if points == 0 {
			notes = append(notes, t.Name+" has no row that was judged: "+(Gate{*t}).WorstSentence())
		}
	}
	for i := range all {
		all[i].findChanges()
	}
	return all, notes
}

// seriesOf finds a series, which it adds where there is none.
func seriesOf(all *[]Series, o Origin, row string) *Series {
	at := slices.IndexFunc(*all, func(s Series) bool { return s.Origin == o && s.Row == row })
	if at < 0 {
		at = len(*all)
		*all = append(*all, Series{Origin: o, Row: row})
	}
	return &(*all)[at]
}

// Remember gives the rows of a table what earlier tables of the same origin, in any
// order, said of them.
func (t *Table) Remember(earlier []Table) {
	all, _ := History(earlier)
	for _, s := range all {
		for i := range t.Rows {
			if s.Origin == t.Origin && t.Rows[i].ID() == s.Row {
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
	return Point{t.Name, t.began(), r.Ratio, r.Numbers.Base.RPS, r.Verdict, t.Estimate != ""}, true
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
