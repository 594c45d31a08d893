package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// abResult is what came of a comparison.
type abResult struct {
	ab.Report[*loadgen.Result]
	SliceS  float64       `json:"slice_s"`
	Lost    *loadgen.Lost `json:"lost,omitempty"`    // the server that answered nothing any more
	Invalid bool          `json:"invalid,omitempty"` // what was measured is worth nothing
	Why     string        `json:"why,omitempty"`     // why there is no verdict, whatever the ratios look like
	state   ab.State
}

func newABResult(s ab.State, p *loadgen.Pairs) abResult {
	r := abResult{Report: ab.ReportOf(s, p.A, p.B), SliceS: p.Slices.Length.Seconds(), Lost: p.Lost, state: s}
	r.doubt()
	return r
}

// doubt takes back what both loads do not allow to say.
func (r *abResult) doubt() {
	broken, limited := abBroken(*r), saturated(*r)
	switch {
	case broken != "":
		r.Invalid, r.Why = true, broken
		r.Verdict = ab.CannotTell
		if r.Loss != ab.LossNotAsked {
			r.Loss = ab.LossCannotTell
		}
	case limited != "" && (r.Verdict == ab.Same || r.Loss == ab.LossWithin):
		r.Why = "the generator was the limit, and what is no faster than it looks the same: " + limited
		if r.Verdict == ab.Same {
			r.Verdict = ab.CannotTell
		}
		if r.Loss == ab.LossWithin {
			r.Loss = ab.LossCannotTell
		}
	}
}

// write puts the result where it was asked for.
func (o *abOptions) write(r abResult, file *resultFile, out io.Writer) error {
	err := file.write(r)
	var failure error
	switch o.format {
	case "json":
		failure = writeJSON(out, r)
	case "text":
		failure = printAB(out, r)
	}
	if failure != nil {
		err = errors.Join(err, fmt.Errorf("write result: %w", failure))
	}
	return err
}

// printAB prints both servers, what is known beside the rate, and the answer last.
func printAB(out io.Writer, r abResult) error {
	for i, side := range []*loadgen.Result{r.A, r.B} {
		fmt.Fprintf(out, "%s  %s   %s, %d connections%s\n", abNames[i], side.Plan.Targets[0].URL, side.Protocol, side.Plan.Connections, abFailures(side))
		line := rate(side.RPS) + " req/s"
		if l := side.Latency.Response; l != nil && l.P50US != nil {
			line += "   p50 " + microseconds(*l.P50US)
			if l.P99US != nil {
				line += "  p99 " + microseconds(*l.P99US)
			}
		}
		if s := side.Server; s != nil && s.CPUPerRequestUS != nil {
			line += fmt.Sprintf("   %s[%d] %s CPU/request, %s busy", s.Name, s.PID, units.Micros(*s.CPUPerRequestUS), units.Percent(s.Busy))
		}
		if g := side.Generator.Busy; g != nil {
			line += fmt.Sprintf("   (generator %s busy)", units.Percent(*g))
		}
		fmt.Fprintf(out, "   %s\n", line)
	}
	for _, line := range r.state.Details() {
		fmt.Fprintf(out, "%s\n", line)
	}
	for _, text := range append(abWarnings(r), abTooShort(r)...) {
		fmt.Fprintf(out, "note         %s\n", text)
	}
	if r.Lost != nil {
		_, err := fmt.Fprintf(out, "%s was lost after %.3g s: %s\n", abNames[r.Lost.Target], r.Lost.AtS, r.Lost.Why)
		return err
	}
	text := r.state.Line()
	switch {
	case r.Invalid:
		text = "no answer: " + r.Why
	case r.Why != "":
		text = "cannot tell: " + r.Why
	}
	if sameTarget(r) {
		text = "A/A, the same server twice: " + text
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

func microseconds(us float64) string {
	return units.Duration(time.Duration(us * float64(time.Microsecond)))
}

// abFailures tells requests that did not end ok.
func abFailures(r *loadgen.Result) string {
	n := r.Ledger.NotOK()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of %s requests not ok: %s", units.Group(int64(n)), units.Group(int64(r.Ledger.Scheduled)), mainFailure(r))
}

// abWarnings are what has to be known of both, each sentence once.
func abWarnings(r abResult) []string {
	var texts []string
	seen := map[loadgen.WarningCode]bool{}
	for i, side := range []*loadgen.Result{r.A, r.B} {
		for _, w := range side.Warnings {
			if w.Code == loadgen.ErrorsPresent || seen[w.Code] {
				continue // told with the server; told of the other
			}
			seen[w.Code] = true
			texts = append(texts, abNames[i]+": "+w.Text)
		}
	}
	return texts
}

// slicesLeast is how many slices an answer takes at least: eight blocks of two pairs.
const slicesLeast = 8 * 4

// abTooShort says that the time that was asked for held too few slices, which are longer
// for servers that answer slowly. Where six seconds are more, these are what is missing.
func abTooShort(r abResult) []string {
	least := time.Duration(slicesLeast * r.SliceS * float64(time.Second))
	if r.state.Decided || r.Lost != nil || r.state.Rule.Max >= least || least < 6*time.Second {
		return nil
	}
	return []string{fmt.Sprintf("the servers answer slowly, so that slices are %s long, and an answer takes %d of them, %s: more than --max %v",
		units.Duration(time.Duration(r.SliceS*float64(time.Second))), slicesLeast, units.Duration(least), r.state.Rule.Max)}
}

// sameTarget reports whether both are one server that was asked the same.
func sameTarget(r abResult) bool {
	return r.A.Address == r.B.Address && r.A.Plan.Targets[0].URL == r.B.Plan.Targets[0].URL
}

// judge turns a result that was written into how the command ends.
func (o *abOptions) judge(r abResult) error {
	switch {
	case r.A.Interrupted || r.B.Interrupted:
		return errInterrupted
	case r.Invalid:
		return fmt.Errorf("%w: %s", errInvalid, r.Why)
	case r.Loss == ab.LossExceeded:
		return fmt.Errorf("%w: B loses more than %s", errBroken, units.Percent(o.maxLoss.frac))
	case r.Why != "":
		return fmt.Errorf("%w: %s", errNoVerdict, r.Why)
	case !r.state.Decided:
		return errNoVerdict
	}
	return nil
}

// abBroken says what makes a comparison worth nothing; "": nothing does. A server that
// refuses some requests has time for the others, and seems the faster for it. That a
// generator stood still, which spoils a single load, is one bad slice here, and noise that
// the interval has in it.
func abBroken(r abResult) string {
	if r.Lost != nil {
		return abNames[r.Lost.Target] + " was lost"
	}
	for i, side := range []*loadgen.Result{r.A, r.B} {
		if n := side.Ledger.ErrorsTotal(); n > 0 {
			return fmt.Sprintf("%s: %s of %s requests failed: %s", abNames[i], units.Group(int64(n)), units.Group(int64(side.Ledger.Scheduled)), mainFailure(side))
		}
		for _, w := range side.Warnings {
			if w.Code == loadgen.LedgerBroken || w.Code == loadgen.Suspended {
				return abNames[i] + ": " + w.Text
			}
		}
	}
	return ""
}

// saturated says which side's load was limited by the generator; "": neither.
func saturated(r abResult) string {
	for i, side := range []*loadgen.Result{r.A, r.B} {
		for _, w := range side.Warnings {
			if w.Code == loadgen.GeneratorSaturated {
				return abNames[i] + ": " + w.Text
			}
		}
	}
	return ""
}

// abLive says once a second how the interval closes in: on a terminal in one line that is
// written over, in a pipe in lines.
type abLive struct {
	out      io.Writer // nil: quiet
	terminal bool
	last     time.Time
	hopeless bool // it was said
}

func newABLive(out io.Writer, quiet bool) *abLive {
	l := &abLive{last: time.Now()}
	if !quiet {
		l.out = out
	}
	if file, ok := out.(*os.File); ok {
		l.terminal = isTerminal(file)
	}
	return l
}

// show is called after each pair.
func (l *abLive) show(s ab.State, now time.Time) {
	if l.out == nil || s.Elapsed < time.Second || now.Sub(l.last) < time.Second {
		return
	}
	l.last = now
	clear, end := "", "\n"
	if l.terminal {
		clear, end = "\r\x1b[K", ""
	}
	if text := s.Hopeless(); text != "" && !l.hopeless {
		l.hopeless = true
		fmt.Fprintf(l.out, "%sscalbench: %s\n", clear, text)
	}
	fmt.Fprintf(l.out, "%s%s%s", clear, s.Live(), end)
}

// end clears the line on a terminal.
func (l *abLive) end() {
	if l.out != nil && l.terminal {
		fmt.Fprint(l.out, "\r\x1b[K")
	}
}

// known is a number that may not be known, as package ab takes it.
func known(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
