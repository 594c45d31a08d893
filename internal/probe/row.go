package probe

import (
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// Row is what ended in a second.
type Row struct {
	At     time.Duration // end of the second, since the start
	OK     int
	Failed int           // every error, and missed
	Error  string        // of the first that failed; "": none
	Out    int           // still out at the end
	Oldest time.Duration // since the oldest of those was intended

	// Of those that were ok; Max is 0 when there are none.
	P50, Max time.Duration
	Spans    []Span        // median of each phase that there was
	Own      time.Duration // median; 0: not known
}

// Ended is how many ended in the second.
func (r Row) Ended() int { return r.OK + r.Failed }

// rows gathers a row at a time. A second has at most RateMax probes begun in it,
// and outMax left of earlier ones, so that the durations can be kept as they are.
type rows struct {
	start  mono.Time
	row    Row
	totals []time.Duration
	phases [numPhases][]time.Duration
	own    []time.Duration
}

func newRows(start mono.Time) *rows { return &rows{start: start} }

func (r *rows) record(p *Probe) {
	switch {
	case p.Outcome == OK:
		r.row.OK++
	case p.Outcome.isError() || p.Outcome == Missed:
		r.row.Failed++
		if r.row.Error == "" {
			r.row.Error = p.Outcome.String() + ": " + p.Error
		}
		return
	default:
		return
	}
	r.totals = append(r.totals, p.Total())
	for _, s := range p.Spans {
		r.phases[s.Phase] = append(r.phases[s.Phase], s.Duration)
	}
	if own, ok := p.Own(); ok {
		r.own = append(r.own, own)
	}
}

// take returns the row that is over and begins the next. oldest is when the
// oldest of those out was intended; zero: none is out.
func (r *rows) take(now mono.Time, out int, oldest mono.Time) Row {
	row := r.row
	row.At, row.Out = now.Sub(r.start), out
	if oldest != 0 {
		row.Oldest = now.Sub(oldest)
	}
	if len(r.totals) > 0 {
		row.P50, row.Max = median(r.totals), slices.Max(r.totals)
	}
	for i := range r.phases {
		if len(r.phases[i]) > 0 {
			row.Spans = append(row.Spans, Span{Phase(i), median(r.phases[i])})
			r.phases[i] = r.phases[i][:0]
		}
	}
	if len(r.own) > 0 {
		row.Own = median(r.own)
	}
	r.row, r.totals, r.own = Row{}, r.totals[:0], r.own[:0]
	return row
}

// median sorts and returns the middle one, the lower of two.
func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[(len(of)-1)/2]
}
