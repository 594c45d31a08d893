package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// Schema is the format of a gate in JSON. It only grows; readers ignore keys that they
// do not know. A number that was not measured is absent.
const Schema = "scalbench.gate/v1"

// The parts of a gate in JSON, in the order of the text. Ratios are new / base,
// fractions are of 1.
type (
	jsonGate struct {
		Schema  string      `json:"schema"`
		Version string      `json:"version,omitempty"` // of the program that judged
		Verdict string      `json:"verdict"`
		Worst   string      `json:"worst,omitempty"` // sentence about the worst row
		Again   string      `json:"again,omitempty"` // command that measures that row again
		Tables  []jsonTable `json:"tables"`
	}
	jsonTable struct {
		Name      string                 `json:"name"`
		Verdict   string                 `json:"verdict"`
		Estimate  string                 `json:"estimate,omitempty"` // why it gives no verdict of record
		Rule      jsonRule               `json:"rule"`
		Compare   []jsonComparison       `json:"compare"`
		Rounds    []jsonRound            `json:"rounds"`
		Notes     []string               `json:"notes,omitempty"`
		Differs   []record.Differs       `json:"differs,omitempty"`
		Identity  []record.IdentityCount `json:"identity,omitempty"`
		Binaries  []jsonBinary           `json:"binaries,omitempty"`
		Rows      []jsonRow              `json:"rows"`
		Profiles  []jsonProfile          `json:"profiles,omitempty"`
		NoProfile []string               `json:"no_profile,omitempty"` // why there is none
	}
	jsonRule struct {
		Policy    string       `json:"policy"`
		MaxMargin record.Value `json:"max_margin,omitzero"`
		MinRatio  record.Value `json:"min_ratio,omitzero"`
		Margin    record.Value `json:"margin,omitzero"`
		Alpha     float64      `json:"alpha"`
		Spend     string       `json:"spend,omitempty"`
		Interval  string       `json:"interval"`
		MinRounds int          `json:"min_rounds"`
		MaxRounds int          `json:"max_rounds,omitempty"`
		AppMargin record.Value `json:"app_margin,omitzero"` // of rows that are judged by cpu_us
		Counts    string       `json:"on_inconclusive,omitempty"`
		P99Max    record.Value `json:"p99_max,omitzero"`
		P999Max   record.Value `json:"p999_max,omitzero"`
		RSSMax    record.Value `json:"rss_max,omitzero"`
		CPUMax    record.Value `json:"cpu_max,omitzero"`
	}
	jsonComparison struct {
		Base   string `json:"base"`
		New    string `json:"new"`
		SameOK string `json:"same_ok,omitempty"`
	}
	jsonRound struct {
		Dir     string `json:"dir"`
		Session string `json:"session"`
		Round   int    `json:"round"`
	}
	jsonBinary struct {
		Variant string `json:"variant"`
		*record.Binary
	}
)

// WriteJSON writes a gate as [Schema]; version is that of the program, "" for none.
func WriteJSON(out io.Writer, g Gate, version string) error {
	file := jsonGate{Schema: Schema, Version: version, Verdict: g.Verdict().String(), Worst: g.WorstSentence(), Again: g.Again(), Tables: []jsonTable{}}
	for i := range g {
		file.Tables = append(file.Tables, g[i].json())
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

func (t *Table) json() jsonTable {
	file := jsonTable{
		Name: t.Name, Verdict: t.Verdict().String(), Estimate: t.Estimate, Rule: t.Rules.json(),
		Notes: t.Notes, Differs: t.Differs, Identity: t.identityCounts(), Rounds: []jsonRound{}, Rows: []jsonRow{},
	}
	for _, c := range t.Rules.Compare {
		file.Compare = append(file.Compare, jsonComparison(c))
	}
	for _, r := range t.Rounds {
		file.Rounds = append(file.Rounds, jsonRound{path.Base(r.Dir), r.Session, r.Number})
	}
	for _, v := range t.Variants {
		if v.Binary != nil {
			file.Binaries = append(file.Binaries, jsonBinary{v.Name, v.Binary})
		}
	}
	for i := range t.Rows {
		file.Rows = append(file.Rows, t.Rows[i].json())
	}
	file.Profiles, file.NoProfile = t.profilesJSON(), t.ProfileNotes
	return file
}

func (r Rule) json() jsonRule {
	file := jsonRule{
		Policy: r.Policy.String(), Alpha: r.alpha(), Interval: r.Interval.String(), MinRounds: r.Rounds(),
		P99Max: asked(r.P99Max), P999Max: asked(r.P999Max), RSSMax: asked(r.RSSMax), CPUMax: asked(r.CPUMax),
	}
	switch r.Policy {
	case Parity:
		file.MaxMargin = asked(r.MaxMarginFrac)
	case Fixed:
		file.MinRatio, file.MaxRounds = asked(r.MinRatio), r.MaxRounds
	case NonInferior:
		file.Margin, file.AppMargin, file.MaxRounds = asked(r.MarginFrac), asked(r.AppMarginFrac), r.MaxRounds
		if r.OnInconclusive != 0 {
			file.Counts = strings.ToLower(r.OnInconclusive.String())
		}
		if r.MaxRounds > 0 {
			file.Spend = r.Spend.String()
		}
	}
	return file
}

// asked is a number of a rule, none for 0, which is "not looked at".
func asked(x float64) record.Value {
	if x == 0 {
		return record.Value{}
	}
	return record.Of(x)
}
