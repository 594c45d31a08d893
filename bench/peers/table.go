package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/scalws/scalbench/internal/units"
)

// table is rows of text under a heading; the first column is a name, the
// others are numbers.
type table struct {
	columns []string
	rows    [][]string
}

// peerTable has a row of medians for each peer.
func peerTable(c course, peers []peer) table {
	t := table{columns: []string{"peer", "req/s", "CPU/request", "peak RSS", "peer busy", "server busy"}}
	for _, p := range peers {
		samples := c.samples[p.name()]
		t.rows = append(t.rows, []string{
			p.name(),
			units.Rate(median(of(samples, rps))),
			units.Micros(median(of(samples, cpuMicrosPerRequest))),
			units.Bytes(int64(math.Round(median(of(samples, peakRSSBytes))))),
			units.Percent(median(of(samples, peerBusyFrac))),
			units.Percent(median(of(samples, serverBusyFrac))),
		})
	}
	return t
}

// ratioTable compares the first peer with each of the others.
func ratioTable(c course, peers []peer) table {
	t := table{columns: []string{"ratio of medians (min..max of the rounds)", "req/s", "CPU/request", "peak RSS"}}
	first := c.samples[peers[0].name()]
	for _, p := range peers[1:] {
		other := c.samples[p.name()]
		t.rows = append(t.rows, []string{
			peers[0].name() + " / " + p.name(),
			newRatio(first, other, rps).String(),
			newRatio(first, other, cpuMicrosPerRequest).String(),
			newRatio(first, other, peakRSSBytes).String(),
		})
	}
	return t
}

// writeCourse prints the tables of a course and what is wrong with them.
func writeCourse(w io.Writer, c course, peers []peer, markdown bool) error {
	title, write := c.server+" "+c.path, table.writeText
	if markdown {
		title, write = "### "+title, table.writeMarkdown
	}
	if _, err := fmt.Fprintf(w, "\n%s\n\n", title); err != nil {
		return err
	}
	if err := write(peerTable(c, peers), w); err != nil {
		return err
	}
	if len(peers) > 1 {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := write(ratioTable(c, peers), w); err != nil {
			return err
		}
	}
	for _, p := range peers {
		if n := countErrors(c.samples[p.name()]); n > 0 {
			if _, err := fmt.Fprintf(w, "\n%s: %s requests FAILED\n", p.name(), units.Group(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeText pads the columns with spaces: names to the left, numbers to the
// right.
func (t table) writeText(w io.Writer) error {
	widths := make([]int, len(t.columns))
	lines := append([][]string{t.columns}, t.rows...)
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var out strings.Builder
		for i, cell := range line {
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				out.WriteString(cell + padding)
			} else {
				out.WriteString("  " + padding + cell)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(out.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown prints a table as GitHub renders it.
func (t table) writeMarkdown(w io.Writer) error {
	rule := []string{"---"}
	for range t.columns[1:] {
		rule = append(rule, "--:")
	}
	for _, line := range append([][]string{t.columns, rule}, t.rows...) {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// writeHeader prints the facts above the tables.
func writeHeader(w io.Writer, lines []string, markdown bool) error {
	bullet := ""
	if markdown {
		bullet = "- "
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, bullet+line); err != nil {
			return err
		}
	}
	return nil
}
