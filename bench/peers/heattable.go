package main

import (
	"fmt"
	"io"
	"math"

	"github.com/scalws/scalbench/internal/units"
)

// peerTable has a row of medians for each peer. A peer that has no sample has
// no row.
func peerTable(h heat, peers []peer) table {
	t := table{columns: []string{"peer", "req/s", "CPU/request", "peak RSS", "threads", "peer busy", "server busy"}}
	for _, p := range peers {
		samples := h.samples[p.name()]
		if len(samples) == 0 {
			continue
		}
		t.rows = append(t.rows, []string{
			p.name(),
			units.Rate(median(of(samples, rps))),
			units.Micros(median(of(samples, cpuMicrosPerRequest))),
			units.Bytes(int64(math.Round(median(of(samples, peakRSSBytes))))),
			units.Group(int64(math.Round(median(of(samples, threads))))),
			units.Percent(median(of(samples, peerBusyFrac))),
			units.Percent(median(of(samples, serverBusyFrac))),
		})
	}
	return t
}

// ratioTable compares the first peer with each of the others.
func ratioTable(h heat, peers []peer) table {
	t := table{columns: []string{"ratio of medians (min..max of the rounds)", "req/s", "CPU/request", "peak RSS"}}
	first := h.samples[peers[0].name()]
	for _, p := range peers[1:] {
		other := h.samples[p.name()]
		if len(first) == 0 || len(other) == 0 {
			continue
		}
		t.rows = append(t.rows, []string{
			peers[0].name() + " / " + p.name(),
			newRatio(first, other, rps).String(),
			newRatio(first, other, cpuMicrosPerRequest).String(),
			newRatio(first, other, peakRSSBytes).String(),
		})
	}
	return t
}

// writeHeat prints the tables of a heat and what is to be known beside them.
func writeHeat(w io.Writer, h heat, peers []peer, markdown bool) error {
	if err := writeTitle(w, h.server+" "+h.course.name(), markdown); err != nil {
		return err
	}
	if err := peerTable(h, peers).write(w, markdown); err != nil {
		return err
	}
	if ratios := ratioTable(h, peers); len(ratios.rows) > 0 {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := ratios.write(w, markdown); err != nil {
			return err
		}
	}
	for _, note := range heatNotes(h, peers) {
		if _, err := fmt.Fprintf(w, "\n%s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// heatNotes lists what the numbers of the tables do not say.
func heatNotes(h heat, peers []peer) []string {
	var notes []string
	if h.course.churn {
		notes = append(notes, fmt.Sprintf("runs of %d s, %d rounds; %s", h.load.seconds, h.rounds, h.timeWait))
	}
	for _, p := range peers {
		if why := h.skipped[p.name()]; why != "" {
			notes = append(notes, fmt.Sprintf("%s skipped: %s", p.name(), why))
		}
		if err := h.failed[p.name()]; err != nil {
			notes = append(notes, fmt.Sprintf("%s FAILED: %v", p.name(), err))
		}
		if n := countErrors(h.samples[p.name()]); n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s requests FAILED", p.name(), units.Group(n)))
		}
	}
	return notes
}
