package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/loadgen"
)

// FlagSaturated is of a generator whose CPUs were the limit. Like every flag that a warning
// of the generator gives it is called as flagOf says.
const FlagSaturated = "generator-saturated"

// flagOf names a flag after a warning of the generator, with dashes.
func flagOf(code loadgen.WarningCode) string { return strings.ReplaceAll(string(code), "_", "-") }

// Flags of a row beside those.
const (
	flagBusyGenerator = "generator-busy"       // more than four fifths of one of its CPUs: a faster server may not look faster
	flagIdleGenerator = "generator-idles"      // Little's ratio is low: slots waited for the generator
	flagCPULost       = "cpu-lost"             // processes ended of which nobody kept the account: cpu_us is too low
	flagSharedCPUs    = "shared-cpus"          // the generator has CPUs of the server's
	flagUnwatched     = "interference-unknown" // whether others used the CPUs is not known of all of the window
	flagClockStep     = "clock-step"           // the wall clock was set in the window
	flagClockSlew     = "clock-slew"           // the clock by which is measured was being moved in it
	flagUnfinished    = "unfinished"           // requests were still out when the drain ended
	flagOffSchedule   = "off-schedule"         // an open loop was not at its rate, or late
)

// busyMost is the share of a CPU above which the generator is said to be busy.
const busyMost = 0.8

// littleLeast is the ratio under which the generator is said to idle.
const littleLeast = 0.9

// judge says whether the row may be judged by others, and with which flags. reason is what
// is known already; the first that is found counts. The error is ours.
func (m *measurement) judge(row *record.Measurement, reason string) error {
	logged, err := m.running.nextEntries(false)
	if err != nil {
		return err
	}
	m.evidence.Files = append(m.evidence.Files, logged.files...)
	m.evidence.Complaints = logged.report.Complaints
	for _, found := range []string{
		m.seen.wrong, m.running.ended(), logged.failure(), reason, m.wrongResult(), m.saturated(), m.offSchedule(*row), m.unread(),
	} {
		if found != "" {
			row.State, row.Reason = record.Invalid, record.OneLine(found)
			break
		}
	}
	row.Flags = m.flags(*row)
	return nil
}

// wrongResult says what makes the generator's result worthless, "" when nothing does.
func (m *measurement) wrongResult() string {
	r := m.result
	switch {
	case r == nil:
		return "the generator has no result"
	case r.Interrupted:
		return "the generator was interrupted"
	case r.Ledger.ErrorsTotal() > 0:
		return fmt.Sprintf("%d of %d requests failed: %s", r.Ledger.ErrorsTotal(), r.Ledger.Scheduled, firstErrors(r))
	case otherStatus(r) != "":
		return "answered with " + otherStatus(r)
	case m.turns && brokenTexts(r) != "":
		return brokenTexts(r)
	case !m.turns && r.Validity == loadgen.Invalid:
		return warningTexts(r)
	case r.CompletedInWindow == 0:
		return notOne
	}
	return ""
}

// notOne is said of a window in which nothing happened.
const notOne = "not one request ended in the window"

// otherStatus names the answers that were not 2xx, which the scenario may even expect: what
// is compared is the serving of content.
func otherStatus(r *loadgen.Result) string {
	var texts []string
	for code, n := range r.Status {
		if !strings.HasPrefix(code, "2") {
			texts = append(texts, fmt.Sprintf("%s (%d times)", code, n))
		}
	}
	return strings.Join(texts, ", ")
}

// warningTexts are the warnings that make a result invalid, in one.
func warningTexts(r *loadgen.Result) string {
	var texts []string
	for _, w := range r.Warnings {
		if w.Bearing() == loadgen.Invalid {
			texts = append(texts, w.Text)
		}
	}
	return "the generator's result is invalid: " + strings.Join(texts, "; ")
}

// brokenTexts are the warnings that make all that was measured in turns worthless; "":
// there are none. That the generator stood still, which spoils a measurement by itself, is
// one bad slice of many there, and noise that is in the pairs: the row has the flag.
func brokenTexts(r *loadgen.Result) string {
	var texts []string
	for _, w := range r.Warnings {
		if w.Code == loadgen.LedgerBroken || w.Code == loadgen.Suspended {
			texts = append(texts, w.Text)
		}
	}
	if texts == nil {
		return ""
	}
	return "the generator's result is invalid: " + strings.Join(texts, "; ")
}

// saturated says that the generator was the limit, where that is a reason: in a plan of
// record a slower server would look equal. In others it is a flag.
func (m *measurement) saturated() string {
	if m.result == nil || !m.session.OfRecord {
		return ""
	}
	for _, w := range m.result.Warnings {
		if w.Code == loadgen.GeneratorSaturated {
			return "the generator was the limit: " + w.Text
		}
	}
	return ""
}

// offSchedule says that an open loop was not what it was to be, where that is a reason: with
// fewer requests the latency is that of another rate, and what the generator sent late it
// measured late. In plans that are not of record it is a flag.
func (m *measurement) offSchedule(row record.Measurement) string {
	if !m.session.OfRecord {
		return ""
	}
	return row.OffSchedule()
}

// unread says that what the processes used could not be read, which means that they had
// ended.
func (m *measurement) unread() string {
	if m.edges == nil || m.edges.err == nil {
		return ""
	}
	return m.edges.err.Error()
}

// flags are what must be read with the row.
func (m *measurement) flags(row record.Measurement) []string {
	var flags []string
	add := func(holds bool, flag string) {
		if holds {
			flags = append(flags, flag)
		}
	}
	if m.result != nil {
		for _, w := range m.result.Warnings {
			add(true, flagOf(w.Code))
		}
		add(m.result.Ledger.Unfinished > 0, flagUnfinished)
	}
	busy, known := row.GeneratorBusyFrac.Get()
	add(known && busy > busyMost && !slices.Contains(flags, FlagSaturated), flagBusyGenerator)
	ratio, known := row.LittleRatio.Get()
	add(known && ratio < littleLeast && m.plan.RequestsPerConn == 0, flagIdleGenerator)
	add(m.evidence.Server != nil && m.evidence.Server.Lost, flagCPULost)
	add(m.bench.placement.Shared, flagSharedCPUs)
	add(m.seen.cut, flagUnwatched)
	add(m.evidence.Clocks.stepped(), flagClockStep)
	add(m.evidence.Clocks.slewed(m.evidence.To.Sub(m.evidence.From)), flagClockSlew)
	add(row.OffSchedule() != "", flagOffSchedule)
	return flags
}
