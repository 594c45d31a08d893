package probe

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/units"
)

// Line words a probe in one line, as ping words a packet:
//
//	seq 3  200  0.83 ms  tcp 0.050  tls 0.51  first byte 0.24  last byte 0.010  own 0.021
//	seq 4  connect_failed  0.11 ms  connect 127.0.0.1:8080: connection refused
func (p *Probe) Line() string {
	if p.Outcome == Missed {
		return fmt.Sprintf("seq %d  missed  %s", p.Seq, p.Error)
	}
	what := p.Outcome.String()
	if p.Outcome.answered() {
		what = fmt.Sprint(p.Status)
	}
	unit := units.RowUnit(p.Total())
	line := fmt.Sprintf("seq %d  %s  %s %s", p.Seq, what, unit.Digits(p.Total()), unit)
	if p.Outcome != OK {
		return line + "  " + p.Error
	}
	line += spansText(p.Spans, unit)
	if own, ok := p.Own(); ok {
		line += "  own " + unit.Digits(own)
	}
	return line
}

// Line words the second in one line:
//
//	5 s  10 ok  p50 0.83 ms  max 2.1  tcp 0.050  first byte 0.24  last byte 0.010  own 0.021
//	6 s  0 ok  10 failed  12 out, the oldest for 1.3 s  timeout: no response 1.0 s after sending
func (r Row) Line() string {
	line := fmt.Sprintf("%5.0f s  %d ok", r.At.Seconds(), r.OK)
	if r.OK > 0 {
		unit := units.RowUnit(r.P50, r.Max)
		if r.OK > 1 {
			line += fmt.Sprintf("  p50 %s %s  max %s", unit.Digits(r.P50), unit, unit.Digits(r.Max))
		} else { // no median of one
			line += fmt.Sprintf("  %s %s", unit.Digits(r.Max), unit)
		}
		line += spansText(r.Spans, unit)
		if r.Own > 0 {
			line += "  own " + unit.Digits(r.Own)
		}
	}
	if r.Failed > 0 {
		line += fmt.Sprintf("  %d failed", r.Failed)
	}
	if r.Oldest >= rowEvery {
		line += fmt.Sprintf("  %d out, the oldest for %s", r.Out, units.Duration(r.Oldest))
	}
	if r.Error != "" {
		line += "  " + r.Error
	}
	return line
}

func spansText(spans []Span, unit units.TimeUnit) string {
	var b strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&b, "  %s %s", s.Phase.words(), unit.Digits(s.Duration))
	}
	return b.String()
}

// words is the phase's name in a sentence.
func (p Phase) words() string { return strings.ReplaceAll(p.String(), "_", " ") }

// WriteText writes the summary for people:
//
//	GET http://127.0.0.1:8080/   h1, a new connection for each probe, 10 a second for 60 s
//	probes    600 sent, 599 answered, 0.2 % lost
//	latency   min 0.41 ms  avg 0.55  max 3.1  stddev 0.31  p50 0.50  p90 0.90  p99 2.1
//	response  ... the same from the intended times
//	phases    p50 tcp 0.050 ms  tls 0.51  first byte 0.24  last byte 0.010
//	own       p50 0.021 ms  max 0.10, of this process in the first byte: 0.22 without it
//	failed    1 timeout: no response 30 s after sending
func (s *Summary) WriteText(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, s.headline())
	line := func(name, text string) { fmt.Fprintf(&b, "%-8s  %s\n", name, text) }
	line("probes", s.counts())
	if d := s.Latency.Total; d != nil {
		line("latency", d.words())
	}
	if d := s.Latency.Response; d != nil {
		line("response", d.words())
	}
	if text := s.Latency.phases(); text != "" {
		line("phases", text)
	}
	if text := s.Latency.ownText(); text != "" {
		line("own", text)
	}
	for _, kind := range slices.Sorted(maps.Keys(s.FirstErrors)) {
		if n := s.of(kind); n > 0 {
			line("failed", fmt.Sprintf("%s %s: %s", units.Group(int64(n)), kind, s.FirstErrors[kind]))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (s *Summary) headline() string {
	how := "a new connection for each probe"
	if s.KeepAlive {
		how = "one connection kept"
	}
	elapsed := units.Duration(time.Duration(s.ElapsedS * float64(time.Second)))
	if s.Interrupted {
		elapsed += " (interrupted)"
	}
	return fmt.Sprintf("%s %s   %s, %s, %g a second for %s", s.Method, s.URL, s.Protocol, how, s.RateRPS, elapsed)
}

// counts is ping's line: sent, answered, lost.
func (s *Summary) counts() string {
	l := s.Ledger
	text := fmt.Sprintf("%s sent, %s answered", units.Group(int64(l.Scheduled-l.Missed)), units.Group(int64(s.Answered)))
	if s.LostFrac != nil { // something has ended
		text += fmt.Sprintf(", %s lost", units.Percent(*s.LostFrac))
	}
	if l.Missed > 0 {
		text += fmt.Sprintf(", %s missed", units.Group(int64(l.Missed)))
	}
	if l.Unfinished > 0 {
		text += fmt.Sprintf(", %s unfinished", units.Group(int64(l.Unfinished)))
	}
	return text
}

// of is how often an outcome that is no success occurred.
func (s *Summary) of(kind string) uint64 {
	if kind == Missed.String() {
		return s.Ledger.Missed
	}
	return s.Ledger.Errors[kind]
}

// words is a distribution as ping ends with it, and the percentiles that its
// count supports, in one unit.
func (d *Distribution) words() string {
	names := []string{"min", "avg", "max", "stddev"}
	values := []time.Duration{fromMicros(d.MinUS), fromMicros(d.MeanUS), fromMicros(d.MaxUS), fromMicros(d.StddevUS)}
	for _, p := range []struct {
		name string
		us   *float64
	}{{"p50", d.P50US}, {"p90", d.P90US}, {"p99", d.P99US}} {
		if p.us != nil {
			names, values = append(names, p.name), append(values, fromMicros(*p.us))
		}
	}
	unit := units.RowUnit(d.spread()...)
	return rowText(names, values, unit)
}

// spread are the values that choose a distribution's unit: the deviation may be
// of any size.
func (d *Distribution) spread() []time.Duration {
	return []time.Duration{fromMicros(d.MinUS), fromMicros(d.MaxUS)}
}

// typical is the median, which two values have, or the only value.
func (d *Distribution) typical() (value time.Duration, median bool) {
	if d.P50US != nil {
		return fromMicros(*d.P50US), true
	}
	return fromMicros(d.MeanUS), false
}

// phases are the medians in the order of the phases; of a phase that there was once, such as
// connecting when connections are kept, its only duration.
func (l *Latency) phases() string {
	var names []string
	var values []time.Duration
	prefix := ""
	for i, d := range [numPhases]*Distribution{l.DNS, l.TCP, l.TLS, l.QUIC, l.FirstByte, l.LastByte} {
		if d == nil {
			continue
		}
		value, median := d.typical()
		name := Phase(i).words()
		if median {
			prefix = "p50 "
		} else {
			name += " (once)"
		}
		names, values = append(names, name), append(values, value)
	}
	if len(values) == 0 {
		return ""
	}
	return prefix + rowText(names, values, units.RowUnit(slices.Max(values)))
}

// ownText tells this process's part of the first byte.
func (l *Latency) ownText() string {
	if l.Own == nil {
		return ""
	}
	own, median := l.Own.typical()
	without, _ := l.FirstByteKernel.typical() // there are as many
	if !median {
		return fmt.Sprintf("%s of this process in the first byte, once: %s without it", units.Duration(own), units.Duration(without))
	}
	unit := units.RowUnit(own, fromMicros(l.Own.MaxUS))
	return rowText([]string{"p50", "max"}, []time.Duration{own, fromMicros(l.Own.MaxUS)}, unit) +
		", of this process in the first byte: p50 " + units.Duration(without) + " without it"
}

// rowText writes names and values, with the unit at the first.
func rowText(names []string, values []time.Duration, unit units.TimeUnit) string {
	var parts []string
	for i, name := range names {
		part := name + " " + unit.Digits(values[i])
		if i == 0 {
			part += " " + unit.String()
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

func fromMicros(us float64) time.Duration { return time.Duration(us * float64(time.Microsecond)) }
