package probe

import (
	"math"
	"time"

	"github.com/scalws/scalbench/internal/hdr"
)

// tally counts each probe once and records its durations. Its size does not
// depend on how long the run is.
type tally struct {
	outcomes    [numOutcomes]uint64
	status      map[int]uint64
	firstErrors map[Outcome]string
	address     string // of the last connection

	total       *series // of ok
	response    *series // of ok, timeout, unfinished and missed
	phases      [numPhases]*series
	own         *series
	firstKernel *series
	late        *series // of all that were begun
}

func newTally() *tally {
	t := &tally{
		status: map[int]uint64{}, firstErrors: map[Outcome]string{},
		total: newSeries(), response: newSeries(), own: newSeries(), firstKernel: newSeries(), late: newSeries(),
	}
	for i := range t.phases {
		t.phases[i] = newSeries()
	}
	return t
}

// record counts a probe.
func (t *tally) record(p *Probe) {
	t.outcomes[p.Outcome]++
	if p.Status != 0 {
		t.status[p.Status]++
	}
	if p.Address != "" {
		t.address = p.Address
	}
	if _, known := t.firstErrors[p.Outcome]; !known && p.Error != "" {
		t.firstErrors[p.Outcome] = p.Error
	}
	if p.Outcome == Missed {
		return // its response time comes with recordMissed
	}
	t.late.record(p.Late())
	switch p.Outcome {
	case OK:
		t.response.record(p.Response())
		t.recordSpans(p)
	case Timeout, Unfinished:
		t.response.record(p.Response())
	}
}

// recordSpans records where the time of a probe that ended ok went.
func (t *tally) recordSpans(p *Probe) {
	t.total.record(p.Total())
	for _, s := range p.Spans {
		t.phases[s.Phase].record(s.Duration)
	}
	if own, ok := p.Own(); ok {
		first, _ := p.Span(PhaseFirstByte)
		t.own.record(own)
		t.firstKernel.record(first - own)
	}
}

// recordMissed records a missed probe at the age it had when one could have been
// sent again, or the run ended: what it would have waited is at least that.
func (t *tally) recordMissed(age time.Duration) { t.response.record(age) }

// series is a distribution with its standard deviation, as ping has it.
type series struct {
	histogram *hdr.Histogram
	mean, m2  float64 // Welford's: in ns, and the sum of the squared differences from the mean in ns^2
}

func newSeries() *series { return &series{histogram: hdr.New(hdr.Fine)} }

// record adds a duration. The squares are summed around the running mean (D. Knuth,
// The Art of Computer Programming, vol. 2, 4.2.2): the sum of plain squares loses the
// deviation of a steady server in rounding.
func (s *series) record(d time.Duration) {
	ns := int64(d)
	s.histogram.Record(ns)
	delta := float64(ns) - s.mean
	s.mean += delta / float64(s.histogram.Count())
	s.m2 += delta * (float64(ns) - s.mean)
}

// deviationNS is the standard deviation of all values, not estimated from them.
func (s *series) deviationNS() float64 {
	if s.histogram.Count() == 0 {
		return 0
	}
	return math.Sqrt(s.m2 / float64(s.histogram.Count()))
}
