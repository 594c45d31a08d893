package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/units"
)

// runProgress tells on standard error how a session goes: a line a measurement.
type runProgress struct{ out io.Writer }

func (p runProgress) observer() driver.Observer {
	return driver.Observer{
		Say:      func(line string) { fmt.Fprintf(p.out, "scalbench: %s\n", line) },
		Began:    p.began,
		Measured: func(m driver.Measured) { fmt.Fprintln(p.out, measuredLine(m)) },
	}
}

func (p runProgress) began(b driver.Began) {
	what := "session"
	if b.Resumed {
		what = "resumed"
	}
	fmt.Fprintf(p.out, "scalbench: %s %s: %d of %d measurements are to be made, about %s\n",
		what, b.Dir, b.Progress.Total-b.Progress.Done, b.Progress.Total, aboutTime(b.Progress.Left))
}

// measuredLine is one measurement: where in the plan, what, how much, time left.
func measuredLine(m driver.Measured) string {
	row := m.Scenario
	if m.Mode != "" {
		row = m.Mode + "/" + row
	}
	line := fmt.Sprintf("[%d/%d] round %d, run %d, %s, %s", m.Progress.Done, m.Progress.Total, m.Round, m.Run, m.Variant, row)
	if m.Attempt > 1 {
		line += fmt.Sprintf(", attempt %d", m.Attempt)
	}
	if !m.Valid {
		return line + ": INVALID: " + m.Reason
	}
	line += fmt.Sprintf(": %s req/s", rate(m.RPS))
	if m.P99Millis > 0 {
		line += fmt.Sprintf(", p99 %.2f ms", m.P99Millis)
	}
	if m.CPUMicros > 0 {
		line += fmt.Sprintf(", cpu %.2f us", m.CPUMicros)
	}
	for _, r := range m.Ratios {
		line += fmt.Sprintf(", %s/%s %.3f", r.New, r.Base, r.RPS)
		if r.SE > 0 {
			line += fmt.Sprintf(" (SE %.2g %%)", 100*r.SE)
		}
	}
	if m.Interfered {
		line += ", interfered"
	}
	return line + ", about " + aboutTime(m.Progress.Left) + " left"
}

// aboutTime is a time that is not known to the second.
func aboutTime(d time.Duration) string {
	if d >= time.Hour {
		d = d.Round(time.Minute)
		return strings.TrimSuffix(d.String(), "0s")
	}
	return d.Round(time.Second).String()
}

// printPreviews says what would be measured.
func printPreviews(out io.Writer, previews []driver.Preview) {
	var total time.Duration
	for _, p := range previews {
		rounds := counted(p.Rounds, "round")
		if p.MaxRounds > p.Rounds {
			rounds += fmt.Sprintf(" (to %d, of what is not decided)", p.MaxRounds)
		}
		fmt.Fprintf(out, "%s: %s of %s, %s of %v + %v, about %s\n", p.Suite, rounds, counted(p.Runs, "run"),
			counted(len(p.Keys), "measurement"), p.Warmup, p.Measure, aboutTime(p.Takes))
		if p.Turns {
			fmt.Fprintf(out, "  both variants of a comparison are up and take turns: measurements are made two by two, with %v of warm-up each and a window of %v together\n", p.Warmup, p.Measure)
		}
		if p.ShuffledBy != nil {
			fmt.Fprintf(out, "  scenarios are shuffled in each round, by seed %d\n", *p.ShuffledBy)
		}
		if p.StandIn != "" {
			fmt.Fprintf(out, "  %s\n", p.StandIn)
		}
		if p.Capacities > 0 {
			fmt.Fprintf(out, "  first what a server can do is measured, %s, of which rates are a share\n", counted(p.Capacities, "time"))
		}
		for i, key := range p.Keys {
			fmt.Fprintf(out, "  %*d  %s\n", len(fmt.Sprint(len(p.Keys))), i+1, key)
		}
		for _, gap := range p.Gaps {
			fmt.Fprintf(out, "  not measured: %s\n", gap)
		}
		if p.Syscalls > 0 {
			fmt.Fprintf(out, "  then system calls are counted, %s\n", counted(p.Syscalls, "time"))
		}
		if p.Profiles > 0 {
			fmt.Fprintf(out, "  then profiles are taken, %d\n", p.Profiles)
		}
		if p.ProfilesMore {
			fmt.Fprintln(out, "  then profiles are taken of the rows that the gate fails")
		}
		total += p.Takes
	}
	if len(previews) > 1 {
		fmt.Fprintf(out, "all: about %s\n", aboutTime(total))
	}
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printSession says what became of a session, and where it is.
func printSession(out io.Writer, s driver.SessionOutcome) {
	fmt.Fprintf(out, "%-9s%s\n", "suite", s.Suite)
	if s.StandIn != "" {
		fmt.Fprintf(out, "%-9s%s\n", "note", s.StandIn)
	}
	if len(s.Files.Rounds) > 0 {
		fmt.Fprintf(out, "%-9s%s\n", "measured", measuredText(s))
		fmt.Fprintf(out, "%-9s%s\n", "rounds", strings.Join(s.Files.Rounds, " "))
		for _, line := range s.Identity {
			fmt.Fprintf(out, "%-9s%s\n", "identity", line)
		}
	}
	fmt.Fprintf(out, "%-9s%s\n", "session", s.Files.Session)
	if s.OverheadMax > 0 {
		fmt.Fprintf(out, "%-9s%s\n", "driver", costText(s))
	}
	if s.Decided != "" {
		fmt.Fprintf(out, "%-9s%s\n", "decided", s.Decided)
	}
	if s.Syscalls != nil {
		fmt.Fprintf(out, "%-9s%s\n", "syscalls", s.SyscallsDir)
		_ = record.WriteSyscallsText(out, s.Syscalls) // as all that is printed here
	}
	switch {
	case s.ProfileText != "":
		fmt.Fprintf(out, "%-9s%s\n%s", "profile", s.ProfileDir, s.ProfileText)
	case s.NoProfile != "":
		fmt.Fprintf(out, "%-9snone was taken: %s\n", "profile", s.NoProfile)
	}
	if s.Stopped != "" {
		fmt.Fprintf(out, "%-9s%s\n", "stopped", s.Stopped)
		fmt.Fprintf(out, "%-9sscalbench resume %s\n", "next", s.Files.Session)
	}
}

// costText is what the driver took of the time and of a CPU, at most, and whether that is
// more than it may be.
func costText(s driver.SessionOutcome) string {
	text := fmt.Sprintf("at most %s beside the load of a measurement", units.Duration(s.OverheadMax))
	if s.OverheadMax > driver.OverheadBound {
		text += fmt.Sprintf(" (ABOVE the bound of %s)", units.Duration(driver.OverheadBound))
	}
	if s.OwnCPUFracMax == 0 { // of no window is it known
		return text
	}
	text += fmt.Sprintf(", %s of a CPU in its window", units.Percent(s.OwnCPUFracMax))
	if s.OwnCPUFracMax > driver.OwnCPUFracBound {
		text += fmt.Sprintf(" (ABOVE the bound of %s)", units.Percent(driver.OwnCPUFracBound))
	}
	return text
}

// measuredText counts what the finished rounds have.
func measuredText(s driver.SessionOutcome) string {
	text := fmt.Sprintf("%d valid", s.Valid)
	for _, of := range []struct {
		n    int
		word string
	}{{s.Interfered, "of them interfered"}, {s.Invalid, "INVALID"}, {s.NotRun, "NOT RUN"}, {s.NotApplicable, "N/A"}} {
		if of.n > 0 {
			text += fmt.Sprintf(", %d %s", of.n, of.word)
		}
	}
	return text
}
