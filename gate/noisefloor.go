package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// What a calibration is good for.
const (
	// calibrationAge is how far apart it and a session may be.
	calibrationAge = 30 * 24 * time.Hour
	// floorMargin is how much of the noise floor a margin has at least that the suite
	// leaves open.
	floorMargin = 1.5
	// floorMarginMax is the most that such a margin is, as that of parity: a host may be too
	// noisy for a verdict, and must not be noisy enough to pass everything.
	floorMarginMax = DefaultMaxMarginFrac
)

// calibrating is which calibration holds for a table.
type calibrating struct {
	looked bool                // whether there is one was asked
	of     *record.Calibration // nil: there is none that holds
	before bool                // it was made before the session, so that it may say what the margin is
	why    string              // there is none that holds
}

// chooseCalibration finds the one that holds for a session: of its suite, host and way to
// measure, and not too old. The newest one before the session is taken, and where there
// is none the first one after it.
func chooseCalibration(all []*record.Calibration, s *record.Session) calibrating {
	c := calibrating{looked: all != nil && s != nil && !isCalibration(s.Plan)}
	if !c.looked {
		return c
	}
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b *record.Calibration) int { return a.CreatedUTC.Compare(b.CreatedUTC) })
	c.why = "no calibration of suite " + s.Plan.Suite + " on this host"
	for _, one := range sorted {
		before := one.CreatedUTC.Before(s.Plan.CreatedUTC)
		switch why := unfit(one, s); {
		case why != "":
			c.why = why // of the last one
		case before:
			c.of, c.before = one, true
		case c.of == nil:
			c.of = one
		}
	}
	return c
}

// isCalibration tells whether a plan is of a variant against itself.
func isCalibration(p *record.Plan) bool {
	return len(p.Compare) > 0 && !slices.ContainsFunc(p.Compare, func(c record.PlanComparison) bool { return c.SameOK == "" })
}

// unfit tells why a calibration does not hold for a session; "" when it does.
func unfit(c *record.Calibration, s *record.Session) string {
	p, m := s.Plan, &c.Method
	made := "that of " + c.CreatedUTC.UTC().Format(time.DateOnly)
	if c.Suite != p.Suite {
		return made + " is of suite " + c.Suite
	}
	if d := c.Host.Differences(s.Host); len(d) > 0 {
		return fmt.Sprintf("%s is of another host: %s was %s, is %s", made, d[0].What, d[0].Base, d[0].New)
	}
	if age := p.CreatedUTC.Sub(c.CreatedUTC).Abs(); age > calibrationAge {
		return fmt.Sprintf("%s is %d days away", made, int(age/(24*time.Hour)))
	}
	for _, way := range []struct {
		of        string
		then, now any
	}{
		{"runs in a round", m.Runs, p.Runs}, {"warm-up in seconds", m.WarmupSeconds, p.WarmupSeconds}, {"window in seconds", m.MeasureSeconds, p.MeasureSeconds},
		{"order", m.Order, p.Order}, {"interleave", m.Interleave, p.Interleave}, {"restart", m.Restart, p.Restart},
	} {
		if way.then != way.now {
			return fmt.Sprintf("%s was measured otherwise: %s was %v, is %v", made, way.of, way.then, way.now)
		}
	}
	if !maps.Equal(m.Params, p.Params) {
		return made + " was measured with other params"
	}
	return ""
}

// noiseFloor is that of a row in a table of so many rounds, on the ln scale; false when it
// is not known.
func (c *calibrating) noiseFloor(r *Row, metric Metric, rounds int) (float64, bool) {
	if c.of == nil {
		return 0, false
	}
	row := c.of.Row(r.Mode, r.Scenario)
	if row == nil || row.Metric != metric.String() {
		return 0, false
	}
	return row.FloorOf(rounds)
}

// floorRule gives a row the margin that its noise floor asks for, where its margin is
// open, and says which margin it is. The floor is that of a table with as many rounds as
// the policy needs, whatever this one has: a margin is fixed beforehand.
func (c *calibrating) floorRule(r *Row, open bool) {
	rule, metric := &r.rule, r.Numbers.Metric
	said := metric == CPU && rule.CPUMax > 0
	if rule.Policy != NonInferior || !open || said || !c.looked {
		return
	}
	floor, known := c.noiseFloor(r, metric, rule.Rounds())
	asked := -math.Expm1(-floorMargin * floor)
	byDefault := "the margin is the default of " + percentText(rule.MarginFrac) + ": "
	times := shortText(floorMargin) + " times the noise floor of " + lossText(floor)
	switch {
	case !known:
		r.margin = byDefault + "there is no noise floor"
	case !c.before:
		r.margin = byDefault + "the calibration was made after the session"
	case asked <= rule.MarginFrac:
		r.margin = byDefault + times + " is less"
	case asked > floorMarginMax:
		rule.MarginFrac = max(rule.MarginFrac, floorMarginMax)
		r.margin = "the margin is " + percentText(rule.MarginFrac) + ", the most that noise can make it: " + times + " is more"
	default:
		rule.MarginFrac = asked
		r.margin = "the margin is " + percentText(asked) + ": " + times
	}
}

// flagNoise flags a row that says no more than the host's noise does, and one of which
// nobody knows.
func (c *calibrating) flagNoise(r *Row) {
	if !c.looked {
		return
	}
	floor, known := c.noiseFloor(r, r.Numbers.Metric, len(r.Numbers.Rounds))
	if known {
		r.Floor = record.Of(floor)
	}
	switch distance := math.Abs(math.Log(r.Effect.Ratio)); {
	case c.of == nil:
		r.flag(FlagUncalibrated, "%s", c.why)
	case !known:
		r.flag(FlagUncalibrated, "the calibration of %s has no noise floor of it", c.of.CreatedUTC.UTC().Format(time.DateOnly))
	case distance < floor:
		r.flag(FlagWithinNoise, "within A/A noise: its pairs are %s from 1, and those of a program and itself come %s apart here, 19 times of 20", lossText(distance), lossText(floor))
	}
}

// notes say once for a table what its rows were held against.
func (c *calibrating) notes(rows []Row) (notes []string) {
	if !c.looked {
		return nil
	}
	if c.of == nil {
		return []string{FlagUncalibrated + ": " + c.why + " (scalbench calibrate)"}
	}
	note := "calibrated " + c.of.CreatedUTC.UTC().Format("2006-01-02 15:04") + " UTC"
	if !c.before {
		note += ", after the session"
	}
	var without []string
	for i := range rows {
		if rows[i].hasFlag(FlagUncalibrated) && !slices.Contains(without, rows[i].cell().String()) {
			without = append(without, rows[i].cell().String())
		}
	}
	if len(without) > 0 {
		note += "; " + FlagUncalibrated + ": " + strings.Join(without, ", ")
	}
	return []string{note}
}

// marginNotes say which margins rows had that the suite left open: one line for all that
// had the same for the same reason.
func marginNotes(rows []Row) (notes []string) {
	var texts []string
	of := map[string][]string{} // their cells
	for i := range rows {
		text, name := rows[i].margin, rows[i].cell().String()
		if text == "" {
			continue
		}
		if of[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(of[text], name) {
			of[text] = append(of[text], name)
		}
	}
	for _, text := range texts {
		if len(texts) > 1 {
			text = strings.Join(of[text], ", ") + ": " + text
		}
		notes = append(notes, text)
	}
	return notes
}
