package record

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/profile"
)

// ProfileFile is the file of the profiles that were taken in one pass; ProfileSchema its
// format.
const (
	ProfileFile   = "profile.json"
	ProfileSchema = "scalbench.profile/v1"
)

// Profile says what the CPU time of the variants of a session went into, from samples that
// were taken in a pass of their own, under the load of the rounds. Sampling costs a server
// time: what was measured then is no measurement, and nobody judges it.
type Profile struct {
	Schema     string           `json:"schema"`
	Session    string           `json:"session"`
	StandIn    string           `json:"stand_in,omitempty"` // as in the plan; "": the variants' servers ran
	StartedUTC time.Time        `json:"started_utc"`
	Compare    []PlanComparison `json:"compare,omitempty"` // those of the plan
	// When says which rows were asked for: always, all; on-fail, those that a gate had failed.
	When string `json:"when"`
	// NA says why there is no profile at all; "": rows say it of themselves, and without
	// rows there was none to take.
	NA     string          `json:"na,omitempty"`
	Groups []profile.Group `json:"groups,omitempty"` // in the order in which they were asked about a function
	Rows   []ProfileRow    `json:"rows"`             // a scenario of all variants, then the next
}

// ProfileRow is one scenario of one variant.
type ProfileRow struct {
	Variant  string    `json:"variant"`
	Mode     string    `json:"mode,omitempty"`
	Scenario string    `json:"scenario"`
	StartUTC time.Time `json:"start_utc,omitzero"` // of the window
	Seconds  Value     `json:"sampled_s,omitzero"`
	RPS      Value     `json:"rps,omitzero"`    // meanwhile
	CPU      Value     `json:"cpu_us,omitzero"` // of the server for each request, meanwhile; that of the rounds is what is divided
	CPUs     string    `json:"cpus,omitempty"`  // that were sampled, the server's
	Event    string    `json:"event,omitempty"` // cycles, or cpu-clock where the host counts none
	Hz       int       `json:"hz,omitempty"`    // asked for, on each CPU

	Samples uint64          `json:"samples,omitempty"` // of the server's processes: what shares are of
	Idle    uint64          `json:"idle,omitempty"`    // in which a CPU had nothing to do
	Others  []profile.Count `json:"others,omitempty"`  // of other processes, by thread name
	Cut     uint64          `json:"cut,omitempty"`     // of Samples: the server's own callers could not be found
	Groups  []ProfileGroup  `json:"groups,omitempty"`  // each sample is in one; those without any are left out

	// NA says why there are no numbers; "": there are. Note says what must be known of them.
	NA   string `json:"na,omitempty"`
	Note string `json:"note,omitempty"`
}

// ProfileGroup are the samples of a row in one group, with the functions that were running
// most.
type ProfileGroup struct {
	Name    string          `json:"name"`
	Samples uint64          `json:"samples"`
	Symbols []profile.Count `json:"symbols,omitempty"`
}

// Of returns the row of a variant; nil: there is none.
func (p *Profile) Of(variant, mode, scenario string) *ProfileRow {
	i := slices.IndexFunc(p.Rows, func(r ProfileRow) bool { return r.Variant == variant && r.Mode == mode && r.Scenario == scenario })
	if i < 0 {
		return nil
	}
	return &p.Rows[i]
}

// ReadProfile reads a profile.json; name is the file's, for faults. The error is a
// [Faults] with everything that is wrong.
func ReadProfile(in io.Reader, name string) (*Profile, error) {
	faults := &faultList{file: name}
	p, ok := readJSON[Profile](in, faults)
	if ok {
		p.check(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &p, nil
}

func (p *Profile) check(faults *faultList) {
	if p.Schema != ProfileSchema {
		faults.at(0, "schema %q, expected %q", p.Schema, ProfileSchema)
		return
	}
	checkNames(faults, map[string]string{"session": p.Session})
	seen := map[[3]string]bool{}
	for _, r := range p.Rows {
		what := r.Variant + ", " + scenarioText(r.Mode, r.Scenario)
		checkNames(faults, map[string]string{"variant": r.Variant, "scenario": r.Scenario})
		if key := [3]string{r.Variant, r.Mode, r.Scenario}; seen[key] {
			faults.at(0, "%s is there twice", what)
		} else {
			seen[key] = true
		}
		if (r.Samples > 0) == (r.NA != "") {
			faults.at(0, "%s: %d samples and na is %q, expected one of them", what, r.Samples, r.NA)
		}
		var sum uint64
		for _, g := range r.Groups {
			sum += g.Samples
		}
		if sum != r.Samples || r.Cut > r.Samples {
			faults.at(0, "%s: %d samples, but %d in groups and %d cut", what, r.Samples, sum, r.Cut)
		}
	}
}

// WriteProfile writes a profile.json with its schema, which it sets.
func WriteProfile(out io.Writer, p *Profile) error {
	p.Schema = ProfileSchema
	faults := &faultList{file: ProfileFile}
	p.check(faults)
	if err := faults.err(); err != nil {
		return fmt.Errorf("write a profile that cannot be read back: %w", err)
	}
	return writeJSON(out, p)
}
