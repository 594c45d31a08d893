package probe

import (
	"github.com/scalws/scalbench/internal/mono"
)

// stopwatch writes the spans of a probe. Each begins where the one before it
// ended, so that no time is in none of them: what lies between two steps, which
// is microseconds, belongs to the later one.
type stopwatch struct {
	clock mono.Clock
	probe *Probe
	phase Phase     // that goes on
	since mono.Time // end of the last span
}

// begin starts the probe's time.
func (s *stopwatch) begin() {
	s.probe.Began = s.clock.Now()
	s.since = s.probe.Began
}

// enter says what is waited for from now on.
func (s *stopwatch) enter(p Phase) { s.phase = p }

// leave ends the phase now.
func (s *stopwatch) leave() { s.leaveAt(s.clock.Now()) }

// leaveAt ends the phase at an instant that may have been read by another
// goroutine.
func (s *stopwatch) leaveAt(at mono.Time) {
	at = max(at, s.since)
	s.probe.Spans = append(s.probe.Spans, Span{s.phase, at.Sub(s.since)})
	s.since = at
}

// end ends the probe with the phase that goes on.
func (s *stopwatch) end() {
	s.leave()
	s.probe.Done = s.since
}
