package loadgen

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
)

// Timeline fixes when what happens. It is the same for all workers and known
// before the first request: [Start, From) warm-up, [From, To) the measure
// window, [To, DrainTo) the drain.
type Timeline struct {
	Start   mono.Time `json:"start_ns"`    // first request
	From    mono.Time `json:"from_ns"`     // the window's first instant
	To      mono.Time `json:"to_ns"`       // the first instant after it; never, when a number of requests is to be measured
	DrainTo mono.Time `json:"drain_to_ns"` // what has not ended by then is unfinished

	renewed bool // connections that are up are opened anew before Start
}

// never is an instant that is not reached.
const never = netloop.Forever

// newTimeline lays the plan's durations out from start.
func newTimeline(p Plan, start mono.Time) Timeline {
	t := Timeline{Start: start, From: start.Add(p.WarmUp), To: never, DrainTo: never}
	if p.Requests == 0 {
		t.To = t.From.Add(p.Measure)
		t.DrainTo = t.To.Add(p.Drain)
	}
	return t
}

// cut returns the timeline with its window ended at an instant at the latest. A
// window that has not begun by then is empty. Who interrupts does not want to
// wait: the drain is then a second at the most, and a drain that is under way
// ends.
func (t Timeline) cut(at mono.Time, p Plan) Timeline {
	switch {
	case at == t.To: // cut already
		return t
	case at > t.To:
		t.DrainTo = min(t.DrainTo, at)
		return t
	}
	t.From, t.To = min(t.From, at), at
	t.DrainTo = t.To.Add(min(p.Drain, time.Second))
	return t
}

// measures reports whether an instant lies in the window.
func (t *Timeline) measures(at mono.Time) bool { return at >= t.From && at < t.To }
