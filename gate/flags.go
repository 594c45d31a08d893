package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/units"
)

// Flag is something that a row must be read with. It decides nothing.
type Flag struct {
	Code string // one word, such as not-server-bound
	Text string
}

// The flags that a gate finds. Those of measurements, such as noisy-host, come as
// they are.
const (
	FlagAppBound        = "app-bound"
	FlagNotServerBound  = "not-server-bound"
	FlagNotMeasured     = "not-measured"
	FlagSpreadCapped    = "spread-capped"
	FlagControlMoved    = "control-moved"
	FlagSame            = "same"
	FlagDiffersUnknown  = "differs-unknown"
	FlagInterfered      = "interfered"
	FlagSaturated       = "generator-saturated"
	FlagIdles           = "generator-idles"
	FlagOffSchedule     = "off-schedule"
	FlagInvalidAttempts = "invalid-attempts"
	FlagRepeated        = "repeated"
	FlagRuled           = "ruled"
	FlagRulingOld       = "ruling-older"
	FlagRoundEffect     = "round-effect"
	FlagDependent       = "dependent"
	FlagBimodalHost     = "bimodal-host"
	FlagBimodalVariant  = "bimodal-variant"
	FlagDrift           = "drift"
	FlagPosition        = "position-effect"
	FlagNotWarm         = "not-warm"
	FlagFlip            = "flip"
	FlagWithinNoise     = "within-noise"
	FlagUncalibrated    = "uncalibrated" // said once for a table, too
	FlagUndecided       = "undecided"
	FlagSettled         = "inconclusive"
	FlagByTotals        = "by-totals"
)

// flag adds a flag, once for each code.
func (r *Row) flag(code, format string, args ...any) {
	if !r.hasFlag(code) {
		r.Flags = append(r.Flags, Flag{code, fmt.Sprintf(format, args...)})
	}
}

// hasFlag tells whether the row has a flag of a code.
func (r *Row) hasFlag(code string) bool {
	return slices.ContainsFunc(r.Flags, func(f Flag) bool { return f.Code == code })
}

// ownFlags are those to show beside the row: what was said of the table is not said again.
func (r *Row) ownFlags() []Flag {
	return slices.DeleteFunc(slices.Clone(r.Flags), func(f Flag) bool { return f.Code == FlagUncalibrated })
}

// limiterSlack is how far the product of the ratios of rps and cpu_us may be from 1
// where the server's CPUs are the limit. All 47 rows of the published tables with
// another scenario than php, node and python are within it.
const limiterSlack = 0.005

// flagNumbers flags what the row's numbers say besides its verdict.
func (r *Row) flagNumbers(rule Rule) {
	n := &r.Numbers
	if n.Metric == CPU {
		r.flag(FlagAppBound, "an application limits the rate, so that rps cannot see the server; judged by cpu_us")
	} else if product := n.Value * n.CPU; math.Abs(product-1) > limiterSlack {
		// While the server's CPUs are busy all the time, rps times cpu_us is their
		// number, and the two ratios cancel out.
		r.flag(FlagNotServerBound, "rps times cpu_us changed by %s: the server was not the limit", units.SignedPercent(product-1))
	}
	var absent []string
	for _, number := range []struct {
		name  string
		ratio float64
	}{{"p99", n.P99}, {"cpu_us", n.CPU}, {"peak RSS", n.RSS}} {
		if math.IsNaN(number.ratio) {
			absent = append(absent, number.name)
		}
	}
	if rule.P999Max > 0 && math.IsNaN(n.P999) {
		absent = append(absent, "p99.9")
	}
	if len(absent) > 0 {
		r.flag(FlagNotMeasured, "not measured: %s", strings.Join(absent, ", "))
	}
	ratio, spread := n.judged()
	if rule.Policy == Parity && rule.MaxMarginFrac > 0 && spread > rule.MaxMarginFrac {
		r.flag(FlagSpreadCapped, "a spread of %s excuses a loss of %s at most", percentText(spread), percentText(rule.MaxMarginFrac))
	}
	if r.Control && math.Abs(ratio-1) > spread+guard {
		r.flag(FlagControlMoved, "a control is expected to show no difference, and shows %s with a spread of %s", units.SignedPercent(ratio-1), percentText(spread))
	}
}

// Where a generator is no longer above suspicion.
const (
	saturatedBusyFrac = 0.95 // of its busiest CPU
	idlesLittleRatio  = 0.90
)

// flagMeasurements flags what the measurements say about themselves. Its result is
// why they cannot be judged, "" when they can: with a saturated generator a slower
// server looks as fast as a faster one.
func (r *Row) flagMeasurements(sample []roundSample, ofRecord bool) string {
	for _, s := range sample {
		for _, m := range slices.Concat(s.base, s.new) {
			where := placeText(&m)
			if busy, known := m.GeneratorBusyFrac.Get(); known && busy >= saturatedBusyFrac {
				text := fmt.Sprintf("%s: the generator was %s busy, so that it may have been the limit", where, percentText(busy))
				if ofRecord {
					return text
				}
				r.flag(FlagSaturated, "%s", text)
			}
			if off := m.OffSchedule(); off != "" {
				if ofRecord {
					return where + ": " + off
				}
				r.flag(FlagOffSchedule, "%s: %s", where, off)
			}
			if little, known := m.LittleRatio.Get(); known && little < idlesLittleRatio {
				r.flag(FlagIdles, "%s: only %s of the connections were waiting for the server", where, percentText(little))
			}
			if m.Interfered {
				r.flag(FlagInterfered, "%s: something else ran on its CPUs", where)
			}
			for _, code := range m.Flags {
				r.flag(code, "%s", where)
			}
		}
	}
	return ""
}

// flagAttempts counts the attempts that were rejected before these measurements:
// hiding them would be excluding runs.
func (r *Row) flagAttempts(b *body, rounds []*record.Round) {
	rejected, reason := 0, ""
	seen := map[string]bool{}
	for _, round := range rounds {
		s := b.sessions[round.Session]
		if s == nil || seen[round.Session] {
			continue
		}
		seen[round.Session] = true
		for _, e := range s.Journal.Of(record.Rejected) {
			if e.Mode == r.Mode && e.Scenario == r.Scenario && (e.Variant == r.Base || e.Variant == r.New) {
				rejected++
				reason = fmt.Sprintf("%s, round %d, run %d: %s", e.Variant, e.Round, e.Run, e.Text)
			}
		}
	}
	if rejected > 0 {
		r.flag(FlagInvalidAttempts, "%d measured again; last: %s", rejected, reason)
	}
}
