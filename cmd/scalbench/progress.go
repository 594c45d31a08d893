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
// written over, in a pipe in lines.
type progress struct {
	out      io.Writer // nil: quiet
	terminal bool
	window   time.Duration
	rows     int // since the last line
	ok       uint64
	errors   uint64
}

// newProgress makes a progress line for a plan. Rows shorter than a second are
// gathered.
func newProgress(out io.Writer, plan loadgen.Plan, quiet bool) *progress {
	p := &progress{window: plan.Window}
	if !quiet {
		p.out = out
	}
	if file, ok := out.(*os.File); ok {
		_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
		p.terminal = err == nil
	}
	return p
}

// row is called with each row of the time series.
func (p *progress) row(w loadgen.Window) {
	if p.out == nil {
		return
	}
	p.rows++
	p.ok += w.OK
	p.errors += w.Errors
	elapsed := time.Duration(p.rows) * p.window
	if elapsed < time.Second {
		return
	}
	p99 := ""
	if w.P99US != nil {
		p99 = units.Duration(time.Duration(*w.P99US * float64(time.Microsecond)))
	}
	line := progressLine(w.StartS+p.window.Seconds(), float64(p.ok)/elapsed.Seconds(), p.errors, p99)
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
	} else {
		fmt.Fprintln(p.out, line)
	}
	p.rows, p.ok, p.errors = 0, 0, 0
}

// end clears the line on a terminal.
func (p *progress) end() {
	if p.out != nil && p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
