package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// progress says once a second how it goes: on a terminal in one line that is
// written over, in a pipe in lines. Only whole rows of the time series are told:
// the last one is usually cut short, its length is not in the row, and the
// result follows it at once.
type progress struct {
	out      io.Writer // nil: quiet
	terminal bool
	plan     loadgen.Plan
	from     time.Time // when the window begins

	rows   int // since the last line
	ok     uint64
	errors uint64
}

func newProgress(out io.Writer, plan loadgen.Plan, quiet bool) *progress {
	p := &progress{plan: plan}
	if !quiet {
		p.out = out
	}
	if file, ok := out.(*os.File); ok {
		p.terminal = isTerminal(file)
	}
	return p
}

func isTerminal(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// start is called when the load begins.
func (p *progress) start(now time.Time) { p.from = now.Add(p.plan.WarmUp) }

// row is called with each row of the time series. Rows shorter than a second
// are gathered.
func (p *progress) row(w loadgen.Window, now time.Time) {
	end := time.Duration(w.StartS*float64(time.Second)) + p.plan.Window
	if p.out == nil || !p.whole(end, now) {
		return
	}
	p.rows++
	p.ok += w.OK
	p.errors += w.Errors
	elapsed := time.Duration(p.rows) * p.plan.Window
	if elapsed < time.Second {
		return
	}
	p99 := ""
	if w.P99US != nil {
		p99 = units.Duration(time.Duration(*w.P99US * float64(time.Microsecond)))
	}
	line := progressLine(end.Seconds(), float64(p.ok)/elapsed.Seconds(), p.errors, p99)
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	} else {
		fmt.Fprintln(p.out, line)
	}
	p.rows, p.ok, p.errors = 0, 0, 0
}

// startSlack is how much later than the first request start may be called.
const startSlack = 5 * time.Millisecond

// whole reports whether a row that should last until end, counted from the
// window's beginning, did. With a number of requests the last of them ends the
// row, which comes too early then.
func (p *progress) whole(end time.Duration, now time.Time) bool {
	if p.plan.Requests == 0 {
		return end <= p.plan.Measure
	}
	return now.Sub(p.from) >= end-startSlack
}

// end clears the line on a terminal.
func (p *progress) end() {
	if p.out != nil && p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
