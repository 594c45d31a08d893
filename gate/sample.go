package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// cell names a row of a comparison.
type cell struct{ mode, scenario string }

// String returns [MODE/]SCENARIO.
func (c cell) String() string {
	if c.mode == "" {
		return c.scenario
	}
	return c.mode + "/" + c.scenario
}

// cells are the rows that a comparison has: those of the plan, or where there is
// none, those in which one of its variants was measured.
func (b *body) cells(c Comparison) []cell {
	var all []cell
	if b.plan != nil && len(b.plan.Scenarios) > 0 {
		for _, s := range b.plan.Scenarios {
			all = append(all, cell{s.Mode, s.Name})
		}
		return all
	}
	for _, r := range b.rounds {
		for _, m := range r.Measurements {
			if k := (cell{m.Mode, m.Scenario}); (m.Variant == c.Base || m.Variant == c.New) && !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// ofEither leaves out the rows in a mode that neither variant has, which are of other
// comparisons. Where no row would be left it leaves none out.
func (b *body) ofEither(c Comparison, all []cell) []cell {
	some := slices.DeleteFunc(slices.Clone(all), func(k cell) bool { return b.inOtherMode(c.Base, k) && b.inOtherMode(c.New, k) })
	if len(some) == 0 {
		return all
	}
	return some
}

// inOtherMode tells whether all that there is of a variant in a row says that only others
// have its mode.
func (b *body) inOtherMode(variant string, k cell) bool {
	var runs []record.Measurement
	for _, r := range b.rounds {
		runs = append(runs, runsOf(r, variant, k)...)
	}
	here := func(m record.Measurement) bool { return !slices.Contains(m.Flags, record.FlagOtherMode) }
	return len(runs) > 0 && !slices.ContainsFunc(runs, here)
}

// noCells tells why a comparison has no row.
func (b *body) noCells(c Comparison) string {
	if len(b.faults) > 0 {
		return strings.Join(b.faults, "; ")
	}
	return missingText(c.New, b.rounds)
}

// roundSample are the runs of a row in one round. Both sides have the same runs, at
// least one, in order.
type roundSample struct {
	round     *record.Round
	base, new []record.Measurement
}

// unjudged is why a row has no sample.
type unjudged struct {
	verdict Verdict // NotApplicable, NotRun or Invalid
	reason  string
}

// draw collects the runs of a row. The second result is nil when there is a sample.
func draw(rounds []*record.Round, plan *record.Plan, c Comparison, k cell) ([]roundSample, *unjudged) {
	var sample []roundSample
	var base, new []record.Measurement
	for _, r := range rounds {
		s := roundSample{r, runsOf(r, c.Base, k), runsOf(r, c.New, k)}
		sample = append(sample, s)
		base, new = append(base, s.base...), append(new, s.new...)
	}
	for _, side := range []struct {
		variant string
		runs    []record.Measurement
	}{{c.Base, base}, {c.New, new}} {
		if why := stateOf(side.variant, side.runs, rounds); why != nil {
			return nil, why
		}
	}
	for _, s := range sample {
		if text := unpaired(s, c, plan); text != "" {
			return nil, &unjudged{Invalid, text}
		}
	}
	for _, text := range []string{twoBinaries(c.Base, base), twoBinaries(c.New, new)} {
		if text != "" {
			return nil, &unjudged{Invalid, text}
		}
	}
	return sample, nil
}

// runsOf returns the measurements of a variant in a row of a round, by run.
func runsOf(r *record.Round, variant string, k cell) []record.Measurement {
	var runs []record.Measurement
	for _, m := range r.Measurements {
		if m.Variant == variant && m.Mode == k.mode && m.Scenario == k.scenario {
			runs = append(runs, m)
		}
	}
	slices.SortFunc(runs, func(a, b record.Measurement) int { return cmp.Compare(a.Run, b.Run) })
	return runs
}

// stateOf tells why the runs of one variant are no sample: the gravest reason first.
// nil when all are valid.
func stateOf(variant string, runs []record.Measurement, rounds []*record.Round) *unjudged {
	if len(runs) == 0 {
		return &unjudged{Invalid, missingText(variant, rounds)}
	}
	count := map[record.State]int{}
	for _, m := range runs {
		count[m.State]++
		if m.State == record.Invalid {
			return &unjudged{Invalid, fmt.Sprintf("%s, round %d, run %d: %s", variant, m.Round, m.Run, m.Reason)}
		}
	}
	switch {
	case count[record.Valid] == len(runs):
		return nil
	case count[record.NotRun] == len(runs):
		return &unjudged{NotRun, runs[0].Reason}
	case count[record.NotApplicable] == len(runs):
		return &unjudged{NotApplicable, variant + ": " + runs[0].Reason}
	}
	return &unjudged{Invalid, variant + " was measured in some of its runs only"}
}

// missingText tells whether a variant is missing from the row or from everything.
func missingText(variant string, rounds []*record.Round) string {
	var known []string
	for _, r := range rounds {
		for _, m := range r.Measurements {
			if !slices.Contains(known, m.Variant) {
				known = append(known, m.Variant)
			}
		}
	}
	if slices.Contains(known, variant) {
		return variant + " was not measured"
	}
	slices.Sort(known)
	return fmt.Sprintf("there is no variant %s, only %s", variant, strings.Join(known, ", "))
}

// unpaired tells when the two variants of a round do not have the same runs, or not
// as many as planned; "" when they do.
func unpaired(s roundSample, c Comparison, plan *record.Plan) string {
	number := func(m record.Measurement) int { return m.Run }
	base, new := collect(s.base, number), collect(s.new, number)
	switch {
	case !slices.Equal(base, new):
		return fmt.Sprintf("round %d: %s has runs %v, %s has %v", s.round.Number, c.Base, base, c.New, new)
	case len(base) == 0:
		return fmt.Sprintf("not measured in round %d", s.round.Number)
	case plan != nil && len(base) != plan.Runs:
		return fmt.Sprintf("round %d: %d runs, the plan has %d", s.round.Number, len(base), plan.Runs)
	}
	return ""
}

func collect[T any](runs []record.Measurement, of func(record.Measurement) T) []T {
	all := make([]T, len(runs))
	for i, m := range runs {
		all[i] = of(m)
	}
	return all
}

// twoBinaries tells when a variant was not the same program in all runs; "" when it
// was, as far as it could be read.
func twoBinaries(variant string, runs []record.Measurement) string {
	hash := ""
	for _, m := range runs {
		switch {
		case m.ExeSHA256 == "" || m.ExeSHA256 == hash:
		case hash == "":
			hash = m.ExeSHA256
		default:
			return fmt.Sprintf("%s was two programs: SHA-256 %.12s, and %.12s in round %d, run %d", variant, hash, m.ExeSHA256, m.Round, m.Run)
		}
	}
	return ""
}
