package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/scalws/scalbench/internal/units"
)

const (
	// boundFrac of one CPU is what makes the server the limit.
	boundFrac = 0.95
	// agreedFrac is how far a peer's rate may be from the first peer's.
	agreedFrac = 0.01
	// agreedGuard keeps a difference of the bound itself inside it, which
	// binary fractions would put on either side.
	agreedGuard = 1e-9
)

// agreement is what the peers say about one server that was the limit: all
// should say the same.
type agreement struct {
	server, course string
	rows           []agreementRow
}

// agreementRow is what one peer says. The first row is the one that the others
// are held against.
type agreementRow struct {
	peer     string
	rps      float64 // median of the rounds, as are the next two
	p50, p99 time.Duration
	// underLoadFrac is the median of the samples' own.
	underLoadFrac float64
	// difference of rps from the first peer's, as a fraction of that: the
	// median of the differences inside each round, and the least and largest.
	// Differences of rounds, unlike those of medians, do not contain what the
	// host did between them. Not a number in the first row.
	difference, least, largest float64
	verdict                    string
}

// The verdicts of the agreement table.
const (
	verdictReference = "reference"
	verdictAgrees    = "agrees"
	verdictDiffers   = "DIFFERS by more than 1 %"
	verdictUnbound   = "not server-bound"
)

// newAgreement compares the rates of a heat. Peers without a sample have no
// row; ok is false where there are no two to compare.
func newAgreement(h heat, peers []peer) (a agreement, ok bool) {
	a = agreement{server: h.server, course: h.course.name()}
	first := h.samples[peers[0].name()]
	if len(first) == 0 {
		return a, false
	}
	for i, p := range peers {
		samples := h.samples[p.name()]
		if len(samples) == 0 {
			continue
		}
		row := agreementRow{
			peer:          p.name(),
			rps:           median(of(samples, rps)),
			p50:           time.Duration(median(of(samples, p50))),
			p99:           time.Duration(median(of(samples, p99))),
			underLoadFrac: median(of(samples, underLoadFrac)),
			difference:    math.NaN(),
		}
		if i > 0 {
			row.compare(samples, first)
		}
		row.verdict = row.judge(i == 0, median(of(first, underLoadFrac)))
		a.rows = append(a.rows, row)
	}
	return a, len(a.rows) > 1
}

// compare fills in the differences, round by round.
func (row *agreementRow) compare(samples, first []sample) {
	var differences []float64
	for round := range min(len(samples), len(first)) {
		differences = append(differences, samples[round].rps/first[round].rps-1)
	}
	row.difference = median(differences)
	row.least, row.largest = differences[0], differences[0]
	for _, d := range differences {
		row.least, row.largest = min(row.least, d), max(row.largest, d)
	}
}

// judge tells what the row is worth. Where the server had time left under
// either peer, a peer was the limit and its rate is about itself.
func (row agreementRow) judge(isFirst bool, firstUnderLoadFrac float64) string {
	switch {
	case min(row.underLoadFrac, firstUnderLoadFrac) < boundFrac:
		return verdictUnbound
	case isFirst:
		return verdictReference
	case math.Abs(row.difference) > agreedFrac+agreedGuard:
		return verdictDiffers
	}
	return verdictAgrees
}

// table has a row for each peer.
func (a agreement) table() table {
	t := table{columns: []string{"peer", "req/s", "p50", "p99", "server busy under load", "req/s against the first (min..max of the rounds)", "verdict"}}
	for _, row := range a.rows {
		difference := units.NotAvailable
		if !math.IsNaN(row.difference) {
			difference = fmt.Sprintf("%s (%s..%s)", units.SignedPercent(row.difference),
				units.SignedPercent(row.least), units.SignedPercent(row.largest))
		}
		t.rows = append(t.rows, []string{
			row.peer,
			units.Rate(row.rps),
			latencyText(row.p50),
			latencyText(row.p99),
			units.Percent(row.underLoadFrac),
			difference,
			row.verdict,
		})
	}
	return t
}

// latencyText writes a latency, where 0 is one that the peer does not tell.
func latencyText(d time.Duration) string {
	if d == 0 {
		return units.NotAvailable
	}
	return units.Duration(d)
}

// agreements compares the peers in every heat that is meant for it.
func agreements(heats []heat, peers []peer) []agreement {
	var all []agreement
	for _, h := range heats {
		if !h.course.agreesOn(h.server) {
			continue
		}
		if a, ok := newAgreement(h, peers); ok {
			all = append(all, a)
		}
	}
	return all
}

// writeAgreements prints the agreement tables.
func writeAgreements(w io.Writer, all []agreement, markdown bool) error {
	for _, a := range all {
		if err := writeTitle(w, "agreement: "+a.server+" "+a.course, markdown); err != nil {
			return err
		}
		if err := a.table().write(w, markdown); err != nil {
			return err
		}
	}
	return nil
}
