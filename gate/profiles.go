package gate

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/scalws/scalbench/internal/record"
)

// addProfiles adds what profiles say of the table's rows, the latest of each session and
// row, and says so where none was taken though one was asked for, or a row fails. plan may
// be nil.
func (t *Table) addProfiles(profiles []*record.Profile, plan *record.Plan) {
	if profiles == nil {
		return
	}
	var compare []record.PlanComparison
	for _, c := range t.Rules.Compare {
		compare = append(compare, record.PlanComparison{Base: c.Base, New: c.New})
	}
	type place struct{ session, mode, scenario string }
	shown := map[place]bool{}
	for _, p := range slices.Backward(profiles) {
		if !slices.ContainsFunc(t.Rounds, func(r *record.Round) bool { return r.Session == p.Session }) {
			continue
		}
		if p.NA != "" {
			t.ProfileNotes = append(t.ProfileNotes, "no profile was taken: "+p.NA)
		}
		var views []record.ProfileView
		for _, v := range p.Views(t.Rounds, compare) {
			at := place{p.Session, v.Mode, v.Scenario}
			if t.hasRow(v.Mode, v.Scenario) && !shown[at] {
				views = append(views, v)
			}
			shown[at] = true
		}
		t.Profiles = append(views, t.Profiles...)
	}
	if len(t.Profiles) > 0 {
		t.ProfileNotes = nil // an earlier try failed
	} else if len(t.ProfileNotes) == 0 {
		t.ProfileNotes = t.noProfile(plan)
	}
}

func (t *Table) hasRow(mode, scenario string) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Mode == mode && r.Scenario == scenario })
}

// noProfile says that there is none, and how one is had, where one was asked for or a row
// fails.
func (t *Table) noProfile(plan *record.Plan) []string {
	asked := ""
	if plan != nil {
		asked = plan.Profile
	}
	fails := slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Verdict == Fail })
	again := ""
	if t.Session != "" {
		again = fmt.Sprintf("; scalbench resume %s --profile takes one", t.Session)
	}
	switch {
	case fails && asked == "":
		return []string{"no profile was taken" + again}
	case asked == "":
		return nil
	case asked == profileOnFail && !fails:
		return []string{"no profile was taken: it was asked for on-fail, and no row fails"}
	}
	return []string{fmt.Sprintf("no profile was taken, though it was asked for (%s)%s", asked, again)}
}

// profileOnFail is the word of a plan that asks for profiles of rows that fail.
const profileOnFail = "on-fail"

// writeProfiles writes the tables of samples, with what of the measured differences they
// explain, or that there are none.
func (t *Table) writeProfiles(out *bytes.Buffer, f form) {
	for _, v := range t.Profiles {
		f.note(out, v.Title)
		if len(v.Rows) > 0 {
			g := Grid{Rows: v.Rows}
			for i, title := range v.Columns {
				g.Columns = append(g.Columns, Column{Title: title, Number: i > 0})
			}
			f.grid(out, g, false)
		}
		for _, line := range v.Lines {
			f.note(out, line)
		}
	}
	for _, note := range t.ProfileNotes {
		f.note(out, note)
	}
}

// The parts of a profile in JSON.
type (
	jsonProfile struct {
		Mode     string       `json:"mode,omitempty"`
		Scenario string       `json:"scenario"`
		Causes   []jsonCauses `json:"causes,omitempty"` // of each comparison
		Notes    []string     `json:"notes,omitempty"`  // what samples there are, as in the text
	}
	jsonCauses struct {
		Base        string     `json:"base"`
		New         string     `json:"new"`
		Pairs       int        `json:"pairs"`      // of runs of the rounds
		Difference  jsonMicros `json:"difference"` // of cpu_us, new - base
		Sure        bool       `json:"sure"`       // it is more than two of its standard errors
		Costs       []jsonCost `json:"costs"`      // of all groups; their differences add up to that
		Unexplained jsonMicros `json:"unexplained"`
		Functions   []jsonCost `json:"functions,omitempty"` // that differ by more than four of their standard errors
	}
	jsonMicros struct {
		Micros float64      `json:"us"`
		SE     record.Value `json:"se_us,omitzero"`
	}
	jsonCost struct {
		Group      string       `json:"group"` // or function
		Base       float64      `json:"base_us"`
		New        float64      `json:"new_us"`
		Difference float64      `json:"difference_us"`
		SE         record.Value `json:"se_us,omitzero"`
		Part       record.Value `json:"part,omitzero"` // of the difference, 1 is all; only of a sure one
		Cause      bool         `json:"cause,omitempty"`
	}
)

// profilesJSON are the profiles of a table as numbers.
func (t *Table) profilesJSON() (all []jsonProfile) {
	for _, v := range t.Profiles {
		p := jsonProfile{Mode: v.Mode, Scenario: v.Scenario, Notes: v.Lines}
		for _, c := range v.Causes {
			file := jsonCauses{Base: c.Base, New: c.New, Pairs: c.Pairs, Sure: c.Sure(),
				Difference:  jsonMicros{c.Difference.Value, record.Of(c.Difference.SE)},
				Unexplained: jsonMicros{c.Unexplained.Value, record.Of(c.Unexplained.SE)}}
			for _, cost := range c.Costs {
				line := jsonCost{Group: cost.Group, Base: cost.Base, New: cost.New, Difference: cost.Difference, SE: record.Of(cost.SE), Cause: c.IsCause(cost.Group)}
				if c.Sure() {
					line.Part = record.Of(c.Part(cost.Difference))
				}
				file.Costs = append(file.Costs, line)
			}
			for _, f := range c.Functions {
				file.Functions = append(file.Functions, jsonCost{Group: f.Group, Base: f.Base, New: f.New, Difference: f.Difference, SE: record.Of(f.SE)})
			}
			p.Causes = append(p.Causes, file)
		}
		all = append(all, p)
	}
	return all
}
