package gate

import (
	"fmt"
	"math"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
	"github.com/scalws/scalbench/internal/units"
)

// Turns is what the slices of time say of a row whose variants took turns in each run. A
// run is one pair among the others, whatever the number of its slices: they tell its ratio
// to within Within, and what another start of both servers, or another hour, adds is in how
// the runs differ, which alone makes the bounds.
type Turns struct {
	Slices int     // pairs of slices, of all runs
	Within float64 // standard error of the ratio of one run, on the ln scale, median; NaN: not known

	// ByTotals: runs are taken for the ratio of their rates over all slices, and not for the
	// centre of their pairs of slices, which leaves rare slow ones out: those are one
	// server's own here, for the two differ by more than their noise. Apart is by how much, on
	// the ln scale, above 0 where the totals are better for the new variant.
	ByTotals bool
	Apart    float64
}

// unturned tells which run of a sample is none of two variants that took turns, as its plan
// has it; "" when all are.
func unturned(sample []roundSample, metric Metric) string {
	for _, s := range sample {
		for i := range s.new { // both have the same runs
			base, new := s.base[i], s.new[i]
			ratio, _ := centreOf(metric)(&new)
			where := fmt.Sprintf("round %d, run %d", new.Round, new.Run)
			switch {
			case base.Pair == "" || base.Pair != new.Pair:
				return fmt.Sprintf("%s: %s and %s did not take turns (pairs %q and %q)", where, base.Variant, new.Variant, base.Pair, new.Pair)
			case !ratio.Known():
				return fmt.Sprintf("%s: no ratio of %s over its pairs of slices", where, metric)
			}
		}
	}
	return ""
}

// calibrationsFor are those that may hold for a table. There are none where variants take
// turns: a burden beside one of two servers that are up would burden both.
func calibrationsFor(plan *record.Plan, e Evidence) []*record.Calibration {
	if plan != nil && plan.Sliced() {
		return nil
	}
	return e.Calibrations
}

// centreOf reads what the slices of a run say of a metric, new / base, and its standard
// error.
func centreOf(metric Metric) func(*record.Measurement) (ratio, se record.Value) {
	if metric == CPU {
		return func(m *record.Measurement) (record.Value, record.Value) { return m.CPURatio, m.CPURatioSE }
	}
	return func(m *record.Measurement) (record.Value, record.Value) { return m.RPSRatio, m.RPSRatioSE }
}

// turnsOf takes for the pairs of runs, ln new - ln base as they stand in rounds, what their
// slices say.
func turnsOf(n *Numbers, rounds [][]float64, alpha float64) ([][]float64, *Turns, error) {
	t := &Turns{Apart: math.NaN()}
	centres := make([][]float64, len(rounds))
	var errors, apart []float64
	for i, r := range n.Rounds {
		for k := range r.New {
			ratio, se := centreOf(n.Metric)(&r.New[k])
			centre := math.Log(ratio.OrNaN())
			if math.IsNaN(centre) || math.IsInf(centre, 0) {
				return nil, nil, fmt.Errorf("round %d, run %d has no ratio of its slices", r.New[k].Round, r.New[k].Run)
			}
			t.Slices += int(r.New[k].SlicePairs)
			centres[i] = append(centres[i], centre)
			apart = append(apart, rounds[i][k]-centre)
			if se.Known() {
				errors = append(errors, se.OrNaN())
			}
		}
	}
	t.Within = median(errors)
	if centre, err := stat.HodgesLehmann(apart); err == nil {
		t.Apart = centre
	}
	if iv, err := stat.SignedRankInterval(apart, alpha); err == nil && (iv.Lo > guard || iv.Hi < -guard) {
		t.ByTotals = true
		return rounds, t, nil
	}
	return centres, t, nil
}

// text tells what the slices say, in one sentence.
func (t *Turns) text(e *Effect) string {
	text := fmt.Sprintf("%d pairs of slices in %d runs: within a run they tell its ratio to %s", t.Slices, e.Pairs, seText(t.Within))
	text += fmt.Sprintf(" (standard error, median), and runs differ by %s (standard deviation), which is what the bounds are made of", seText(e.Sigma))
	if t.ByTotals {
		text += fmt.Sprintf("; a run is taken for the rates over all of its slices, since rare slow ones of one server make %s, which the centres leave out", units.SignedPercent(math.Expm1(t.Apart)))
	}
	return text
}

// seText writes a standard error on the ln scale as percent of the ratio.
func seText(x float64) string {
	if math.IsNaN(x) {
		return absent
	}
	return fmt.Sprintf("%.2g %%", 100*x)
}

// flagTurns flags what the slices show besides the ratio.
func (r *Row) flagTurns() {
	if t := r.Effect.Turns; t != nil && t.ByTotals {
		r.flag(FlagByTotals, "%s", t.text(&r.Effect))
	}
}
