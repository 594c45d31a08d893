package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/profile"
	"github.com/scalws/scalbench/internal/stat"
	"github.com/scalws/scalbench/internal/units"
)

// ProfileView is what is shown of the profiles of one scenario: a table with all variants
// side by side, and lines below it.
type ProfileView struct {
	Mode, Scenario string
	Title          string
	Columns        []string   // the first is of names, the others of numbers
	Rows           [][]string // the greatest first; none: there are only lines
	Lines          []string

	Causes []ProfileCauses // one for each comparison that has all it needs
}

// ProfileCauses is how much of what two variants differ in by the rounds their profiles
// explain.
type ProfileCauses struct {
	Base, New string
	Pairs     int            // of runs, in which the difference was measured
	Functions []profile.Cost // that differ, whatever group they are in
	profile.Explanation
}

// Views makes one of each scenario. rounds are what the session has measured: costs are
// shares of that and never of what was measured while samples were taken. Of compare are
// those that are held against each other.
func (p *Profile) Views(rounds []*Round, compare []PlanComparison) []ProfileView {
	var views []ProfileView
	for _, r := range p.Rows {
		if !slices.ContainsFunc(views, func(v ProfileView) bool { return v.Mode == r.Mode && v.Scenario == r.Scenario }) {
			views = append(views, p.view(r.Mode, r.Scenario, rounds, compare))
		}
	}
	return views
}

func (p *Profile) view(mode, scenario string, rounds []*Round, compare []PlanComparison) ProfileView {
	v := ProfileView{Mode: mode, Scenario: scenario,
		Title: "profile of " + scenarioText(mode, scenario) + ", a pass of its own, not judged: % of the server's samples ± standard error, us of CPU per request"}
	var rows []*ProfileRow // that have samples
	var told []string
	for i, r := range p.Rows {
		if r.Mode != mode || r.Scenario != scenario {
			continue
		}
		told = append(told, p.Rows[i].line())
		if r.Samples > 0 {
			rows = append(rows, &p.Rows[i])
		}
	}
	if len(rows) == 0 {
		v.Lines = told
		return v
	}
	cpus := make([]profile.Micros, len(rows))
	for i, r := range rows {
		cpus[i] = cpuOf(p.cpuRuns(r, rounds))
	}
	for _, c := range compare {
		base := slices.IndexFunc(rows, func(r *ProfileRow) bool { return r.Variant == c.Base })
		new := slices.IndexFunc(rows, func(r *ProfileRow) bool { return r.Variant == c.New })
		if base >= 0 && new >= 0 && !math.IsNaN(cpus[base].Value) && !math.IsNaN(cpus[new].Value) {
			v.Causes = append(v.Causes, p.causes(rows[base], rows[new], cpus[base], cpus[new], rounds))
		}
	}
	v.table(p.groupsOf(rows), rows, cpus)
	for _, c := range v.Causes {
		v.Lines = append(v.Lines, c.lines(p.Of(c.Base, mode, scenario), p.Of(c.New, mode, scenario))...)
	}
	v.Lines = append(v.Lines, told...)
	return v
}

// table fills in the shares of all variants, what they cost, and in what comparisons differ.
func (v *ProfileView) table(groups []string, rows []*ProfileRow, cpus []profile.Micros) {
	v.Columns = []string{"group"}
	for _, r := range rows {
		v.Columns = append(v.Columns, r.Variant+" %")
	}
	for i, r := range rows {
		if !math.IsNaN(cpus[i].Value) {
			v.Columns = append(v.Columns, r.Variant+" us")
		}
	}
	for _, c := range v.Causes {
		v.Columns = append(v.Columns, c.New+" - "+c.Base+" us")
	}
	for _, group := range groups {
		cells := []string{group}
		for _, r := range rows {
			s := profile.ShareOf(r.group(group), r.Samples)
			cells = append(cells, fmt.Sprintf("%.2f ± %.2f", 100*s.Frac, 100*s.SE))
		}
		for i, r := range rows {
			if !math.IsNaN(cpus[i].Value) {
				cells = append(cells, fmt.Sprintf("%.2f", profile.ShareOf(r.group(group), r.Samples).Frac*cpus[i].Value))
			}
		}
		for _, c := range v.Causes {
			cells = append(cells, signedMicros(c.cost(group).Difference, c.cost(group).SE))
		}
		v.Rows = append(v.Rows, cells)
	}
}

// groupsOf are those of which any variant has samples, the greatest share first.
func (p *Profile) groupsOf(rows []*ProfileRow) []string {
	var names []string
	for _, g := range p.Groups {
		names = append(names, g.Name)
	}
	names = append(names, profile.Rest()...)
	greatest := func(group string) (frac float64) {
		for _, r := range rows {
			frac = max(frac, profile.ShareOf(r.group(group), r.Samples).Frac)
		}
		return frac
	}
	for _, r := range rows { // of another version's rest
		for _, g := range r.Groups {
			if !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	names = slices.DeleteFunc(names, func(group string) bool { return greatest(group) == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(greatest(b), greatest(a)) })
	return names
}

// group is how many samples are in one.
func (r *ProfileRow) group(name string) uint64 {
	for _, g := range r.Groups {
		if g.Name == name {
			return g.Samples
		}
	}
	return 0
}

// cutLeast is the share of samples with callers that cannot be found which is told.
const cutLeast = 0.1

// line is what a variant's samples are, or why there are none.
func (r *ProfileRow) line() string {
	if r.NA != "" {
		return r.Variant + ": n/a: " + r.NA
	}
	text := fmt.Sprintf("%s: %d samples of the server (%s, %d Hz, CPUs %s, %s s)", r.Variant, r.Samples, r.Event, r.Hz, r.CPUs, oneDecimal(r.Seconds))
	all := r.Samples + r.Idle
	for _, o := range r.Others {
		all += o.Samples
	}
	var beside []string
	if r.Idle > 0 {
		beside = append(beside, "idle "+units.Percent(float64(r.Idle)/float64(all)))
	}
	for _, o := range r.Others[:min(othersNamed, len(r.Others))] {
		beside = append(beside, o.Name+" "+units.Percent(float64(o.Samples)/float64(all)))
	}
	if len(beside) > 0 {
		text += "; beside it on these CPUs: " + strings.Join(beside, ", ")
	}
	if cpu, known := r.CPU.Get(); known {
		text += fmt.Sprintf("; meanwhile cpu_us %.2f", cpu)
	}
	if frac := float64(r.Cut) / float64(r.Samples); frac >= cutLeast {
		text += fmt.Sprintf("; in %s of the samples the server's own callers cannot be found, for it keeps no frame pointers", units.Percent(frac))
	}
	if r.Note != "" {
		text += "; " + r.Note
	}
	return text
}

// othersNamed is how many other programs are named.
const othersNamed = 4

// cpuRuns are the cpu_us of a row in the rounds of the session, by run in each.
func (p *Profile) cpuRuns(row *ProfileRow, rounds []*Round) map[[2]int]float64 {
	runs := map[[2]int]float64{}
	for _, r := range rounds {
		for _, m := range r.Measurements {
			cpu, known := m.CPUMicros.Get()
			if r.Session == p.Session && known && m.State == Valid && m.Variant == row.Variant && m.Mode == row.Mode && m.Scenario == row.Scenario {
				runs[[2]int{r.Number, m.Run}] = cpu
			}
		}
	}
	return runs
}

// cpuOf is what runs say together, as a gate has it: the median over rounds of the medians
// of their runs. NaN: there is none.
func cpuOf(runs map[[2]int]float64) profile.Micros {
	of := map[int][]float64{}
	var all, medians []float64
	for key, cpu := range runs {
		of[key[0]], all = append(of[key[0]], cpu), append(all, cpu)
	}
	for _, cpus := range of {
		m, err := stat.Median(cpus)
		if err != nil {
			return profile.Micros{Value: math.NaN(), SE: math.NaN()}
		}
		medians = append(medians, m)
	}
	m, err := stat.Median(medians)
	if err != nil {
		return profile.Micros{Value: math.NaN(), SE: math.NaN()}
	}
	return profile.Micros{Value: m, SE: errorOf(all)}
}

// errorOf is the standard error of the median of runs, NaN of a single one.
func errorOf(x []float64) float64 {
	slices.Sort(x) // a map has no order, and sums of floats have one
	se, err := stat.MedianSE(x)
	if err != nil {
		return math.NaN()
	}
	return se
}

// causes explains the difference of two variants. Its error is that of pairs of runs, which
// stood beside each other in time.
func (p *Profile) causes(base, new *ProfileRow, baseCPU, newCPU profile.Micros, rounds []*Round) ProfileCauses {
	baseRuns, newRuns := p.cpuRuns(base, rounds), p.cpuRuns(new, rounds)
	var pairs []float64
	for key, cpu := range newRuns {
		if of, both := baseRuns[key]; both {
			pairs = append(pairs, cpu-of)
		}
	}
	ofBase, ofNew := functions(base, new)
	difference := profile.Micros{Value: newCPU.Value - baseCPU.Value, SE: errorOf(pairs)}
	return ProfileCauses{Base: base.Variant, New: new.Variant, Pairs: len(pairs),
		Functions:   profile.Functions(profile.Side{Samples: base.Samples, Group: ofBase, CPU: baseCPU}, profile.Side{Samples: new.Samples, Group: ofNew, CPU: newCPU}),
		Explanation: profile.Explain(base.side(baseCPU), new.side(newCPU), difference, p.groupsOf([]*ProfileRow{base, new}), profile.Rest())}
}

// functions are the samples of each function in both rows. Of a group of which only the most
// frequent were kept, what one row has and the other does not is left out: it may be there.
func functions(base, new *ProfileRow) (ofBase, ofNew map[string]uint64) {
	baseAll, newAll := base.named(), new.named()
	ofBase, ofNew = map[string]uint64{}, map[string]uint64{}
	for _, of := range []struct {
		from, to, other map[string]uint64
		otherRow        *ProfileRow
		groups          []ProfileGroup
	}{{baseAll, ofBase, newAll, new, base.Groups}, {newAll, ofNew, baseAll, base, new.Groups}} {
		for _, g := range of.groups {
			for _, s := range g.Symbols {
				if _, both := of.other[s.Name]; both || of.otherRow.namesAll(g.Name) {
					of.to[s.Name] = of.from[s.Name]
				}
			}
		}
	}
	return ofBase, ofNew
}

// named are the samples of each function that is named, whatever groups it is in.
func (r *ProfileRow) named() map[string]uint64 {
	of := map[string]uint64{}
	for _, g := range r.Groups {
		for _, s := range g.Symbols {
			of[s.Name] += s.Samples
		}
	}
	return of
}

// namesAll tells whether all functions of a group were kept.
func (r *ProfileRow) namesAll(group string) bool {
	var sum uint64
	for _, g := range r.Groups {
		if g.Name == group {
			for _, s := range g.Symbols {
				sum += s.Samples
			}
		}
	}
	return sum == r.group(group)
}

func (r *ProfileRow) side(cpu profile.Micros) profile.Side {
	s := profile.Side{Samples: r.Samples, Group: map[string]uint64{}, CPU: cpu}
	for _, g := range r.Groups {
		s.Group[g.Name] = g.Samples
	}
	return s
}

// cost is that of a group.
func (c ProfileCauses) cost(group string) profile.Cost {
	for _, cost := range c.Costs {
		if cost.Group == group {
			return cost
		}
	}
	return profile.Cost{}
}

// lines are the difference, its causes, and what they leave.
func (c ProfileCauses) lines(base, new *ProfileRow) []string {
	head := fmt.Sprintf("%s / %s: cpu_us %s us by %d pairs of runs of the rounds", c.New, c.Base, signedMicros(c.Difference.Value, c.Difference.SE), c.Pairs)
	if !c.Sure() {
		head += ", which is no sure difference: what causes are of it is not told"
	}
	lines := []string{head}
	for _, cost := range c.Causes {
		of := new
		if cost.Difference < 0 {
			of = base
		}
		lines = append(lines, fmt.Sprintf("cause %s: %s%s%s", cost.Group, signedMicros(cost.Difference, cost.SE), c.part(cost.Difference), of.symbols(cost.Group)))
	}
	if len(c.Causes) == 0 {
		lines = append(lines, fmt.Sprintf("no cause: no group of a known purpose differs by more than %d standard errors", profile.CauseSE))
	}
	lines = append(lines, fmt.Sprintf("unexplained: %s%s%s", signedMicros(c.Unexplained.Value, c.Unexplained.SE), c.part(c.Unexplained.Value), c.leftOver()))
	if len(c.Functions) > 0 {
		lines = append(lines, "functions that differ most: "+costsText(c.Functions, functionsNamed))
	}
	return lines
}

// functionsNamed is how many functions are named that differ.
const functionsNamed = 6

// costsText writes the first of some costs: network +0.20 ± 0.05, copy +0.10 ± 0.03.
func costsText(costs []profile.Cost, most int) string {
	var names []string
	for _, c := range costs[:min(most, len(costs))] {
		names = append(names, c.Group+" "+signedMicros(c.Difference, c.SE))
	}
	return strings.Join(names, ", ")
}

// part writes " us of +3.10 us (61 %)".
func (c ProfileCauses) part(micros float64) string {
	if !c.Sure() {
		return " us"
	}
	return fmt.Sprintf(" us of %+.2f us (%.0f %%)", c.Difference.Value, 100*c.Part(micros))
}

// leftOverNamed is how many groups are named of what is not explained, leftOverLeast the
// least of them, in microseconds as they are printed.
const (
	leftOverNamed = 3
	leftOverLeast = 0.005
)

// leftOver names where most of what is not explained lies.
func (c ProfileCauses) leftOver() string {
	left := slices.Clone(c.Costs)
	left = slices.DeleteFunc(left, func(cost profile.Cost) bool {
		return math.Abs(cost.Difference) < leftOverLeast || c.IsCause(cost.Group)
	})
	slices.SortStableFunc(left, func(a, b profile.Cost) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	if len(left) == 0 {
		return ""
	}
	return ", most of it " + costsText(left, leftOverNamed)
}

// symbolsNamed is how many functions of a cause are named.
const symbolsNamed = 4

// symbols writes the functions of a group that were running most.
func (r *ProfileRow) symbols(group string) string {
	for _, g := range r.Groups {
		var names []string
		for _, s := range g.Symbols[:min(symbolsNamed, len(g.Symbols))] {
			names = append(names, s.Name)
		}
		if g.Name == group && len(names) > 0 {
			return fmt.Sprintf(" (%s)", strings.Join(names, ", "))
		}
	}
	return ""
}

// signedMicros writes +1.90 ± 0.10, without an error that is not known.
func signedMicros(value, se float64) string {
	if math.IsNaN(se) {
		return fmt.Sprintf("%+.2f", value)
	}
	return fmt.Sprintf("%+.2f ± %.2f", value, se)
}
