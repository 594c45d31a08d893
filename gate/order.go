package gate

import (
	"fmt"
	"slices"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
	"github.com/scalws/scalbench/internal/units"
)

// Order is what the order of things in time shows of a row, whether or not it is flagged.
// It decides nothing.
type Order struct {
	Drift    []SessionDrift // of each session of which it is known
	Position *Position      // nil: not known
	Seconds  Seconds
}

// SessionDrift is how the rate of the base moved over the runs of one session.
type SessionDrift struct {
	Session string
	Change  float64 // from the first run to the last, about a fraction
	P       float64 // of "no trend"
}

// Position is what it matters which variant of a pair runs first.
type Position struct {
	Effect        float64 // how much better new is where it runs first, a fraction
	P             float64 // of "it does not matter"
	First, Second int     // pairs in which new ran first, and second
}

// Seconds counts the measurements whose seconds are known, and what they show.
type Seconds struct{ Known, NotWarm, Flipped int }

// flagOrder flags what the order of the runs did to them: a host that drifted, and a
// place in the order that was worth something. Pairs cancel the first, and equally
// many pairs in both orders the second; absolute numbers keep both.
func (r *Row) flagOrder(sample []roundSample) {
	var newFirst, newSecond []float64
	for _, s := range sample {
		d, err := lnDifferences([]RoundNumbers{{Base: s.base, New: s.new}}, rpsOf)
		for k := range s.base {
			base, new := &s.base[k], &s.new[k]
			switch {
			case err != nil || base.Slot == 0 || new.Slot == 0:
			case new.Slot < base.Slot:
				newFirst = append(newFirst, d[0][k])
			default:
				newSecond = append(newSecond, d[0][k])
			}
		}
	}
	for _, rounds := range bySession(r.Numbers.Rounds) {
		drift, err := driftOf(rounds)
		if err != nil {
			continue
		}
		r.Order.Drift = append(r.Order.Drift, SessionDrift{rounds[0].Session, drift.Change, drift.P})
		if drift.Flagged() {
			r.flag(FlagDrift, "the rate of %s moved by %s from the first run to the last (p %s): absolute numbers do not describe the host", r.Base, units.SignedPercent(drift.Change), pText(drift.P))
		}
	}
	position, err := stat.PositionTest(newFirst, newSecond)
	if err != nil {
		return
	}
	r.Order.Position = &Position{position.Effect, position.P, len(newFirst), len(newSecond)}
	if position.Flagged() {
		r.flag(FlagPosition, "%s is %s better where it runs first (p %s; %d pairs first, %d second)", r.New, units.SignedPercent(position.Effect), pText(position.P), len(newFirst), len(newSecond))
	}
}

// driftOf looks whether the base became faster or slower over the rounds of one session.
// Two sessions differ by more than time.
func driftOf(rounds []RoundNumbers) (stat.Drift, error) {
	base, _ := runsOfRounds(rounds)
	var times []float64
	for i := range base {
		if !base[i].StartUTC.IsZero() {
			times = append(times, float64(base[i].StartUTC.UnixNano())/1e9)
		}
	}
	return stat.DriftTest(times, logs(base, rpsOf))
}

// flagSeconds flags measurements that began before the server had settled, and such
// whose rate changed in the middle, where their seconds are known.
func (r *Row) flagSeconds(sample []roundSample, seconds map[MeasurementKey][]float64) {
	var cold, flipped []string
	known := 0
	for _, s := range sample {
		for _, m := range slices.Concat(s.base, s.new) {
			perSecond := seconds[KeyOf(&m)]
			if len(perSecond) == 0 {
				continue
			}
			known++
			if w, err := stat.WarmUpTest(perSecond); err == nil && !w.Warm() {
				cold = append(cold, fmt.Sprintf("%s began with %s of its later rate", placeText(&m), units.SignedPercent(w.Change)))
			}
			if f, err := stat.FlipTest(perSecond); err == nil && f.Flagged() {
				flipped = append(flipped, fmt.Sprintf("%s changed its rate at second %d", placeText(&m), f.Second))
			}
		}
	}
	r.Order.Seconds = Seconds{known, len(cold), len(flipped)}
	if len(cold) > 0 {
		r.flag(FlagNotWarm, "%d of %d measurements; %s", len(cold), known, cold[0])
	}
	// One of a hundred steady measurements shows a flip.
	if len(flipped) > 0 {
		r.flag(FlagFlip, "%d of %d measurements; %s", len(flipped), known, flipped[0])
	}
}

// placeText names a measurement in its session.
func placeText(m *record.Measurement) string {
	return fmt.Sprintf("%s, round %d, run %d", m.Variant, m.Round, m.Run)
}

// texts tell all of it, flagged or not.
func (o *Order) texts(base, new string) (texts []string) {
	for _, d := range o.Drift {
		text := fmt.Sprintf("%s moved by %s from the first run to the last (p %s)", base, units.SignedPercent(d.Change), pText(d.P))
		if len(o.Drift) > 1 {
			text = "session " + d.Session + ": " + text
		}
		texts = append(texts, text)
	}
	if p := o.Position; p != nil {
		texts = append(texts, fmt.Sprintf("%s is %s better where it runs first (p %s; %d pairs first, %d second)", new, units.SignedPercent(p.Effect), pText(p.P), p.First, p.Second))
	}
	if s := o.Seconds; s.Known > 0 {
		texts = append(texts, fmt.Sprintf("of %d measurements whose seconds are known %d began before the server had settled, %d changed their rate in the middle", s.Known, s.NotWarm, s.Flipped))
	}
	return texts
}
