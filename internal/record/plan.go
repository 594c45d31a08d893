package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// PlanFile is the file of a session's plan; PlanSchema its format.
const (
	PlanFile   = "plan.json"
	PlanSchema = "scalbench.plan/v1"
)

// Plan is what a session set out to measure. It is written before the first server
// starts and never changes. It tells what a gate and a reader have to know; how to
// start things is in the files that Sources names.
type Plan struct {
	Schema     string    `json:"schema"`
	Session    string    `json:"session"`
	CreatedUTC time.Time `json:"created_utc"`
	Hash       string    `json:"plan_hash"` // what [Plan.ComputeHash] returns

	Suite    string `json:"suite"`
	Host     string `json:"host"`                // first part of the names of directories
	Preset   string `json:"preset,omitempty"`    // release, instances, estimate, quick, smoke; "": the suite's own numbers
	RepeatOf string `json:"repeat_of,omitempty"` // session whose rows it repeats; "": none
	StandIn  string `json:"stand_in,omitempty"`  // why no number is about the variants' servers; "": they ran

	Rounds         int               `json:"rounds"`
	Runs           int               `json:"runs"` // in a round, of each variant
	WarmupSeconds  float64           `json:"warmup_s"`
	MeasureSeconds float64           `json:"measure_s"`
	Order          string            `json:"order,omitempty"`      // rotate, counterbalanced, random
	Shuffle        bool              `json:"shuffle,omitempty"`    // of the scenarios in each round
	Interleave     string            `json:"interleave,omitempty"` // variant, scenario, or InterleaveSliced
	Restart        string            `json:"restart,omitempty"`    // run, measurement
	Seed           uint64            `json:"seed"`
	Params         map[string]string `json:"params,omitempty"`

	Variants  []PlanVariant    `json:"variants"`
	Scenarios []PlanScenario   `json:"scenarios"` // in the order of tables
	Compare   []PlanComparison `json:"compare,omitempty"`
	Gate      PlanGate         `json:"gate"`
	Varies    []string         `json:"varies,omitempty"`  // what may differ between two variants; none: anything
	Profile   string           `json:"profile,omitempty"` // which rows are profiled after the rounds: always, or on-fail; "": none
	Sources   []Source         `json:"sources,omitempty"`
}

// PlanVariant is one variant of a plan.
type PlanVariant struct {
	Name     string            `json:"name"`
	Command  []string          `json:"command,omitempty"`
	Provides []string          `json:"provides,omitempty"` // such as http, tls, h2
	About    map[string]string `json:"about,omitempty"`    // commit, profile, features; as the suite says
	Binary   *Binary           `json:"binary,omitempty"`   // nil: not started here, or not readable
}

// PlanScenario is one row of the tables.
type PlanScenario struct {
	Name     string   `json:"name"`
	Mode     string   `json:"mode,omitempty"`
	Bound    string   `json:"bound,omitempty"`    // BoundServer, the default, or BoundApp
	Control  bool     `json:"control,omitempty"`  // expected to show no difference
	Expected string   `json:"expected,omitempty"` // what its author expects to see, a sentence; nothing is judged by it
	Margin   Value    `json:"margin,omitzero"`    // loss that still passes in this row, a fraction; none: that of the gate
	Needs    []string `json:"needs,omitempty"`    // what the host or the variant must have
	Varies   []string `json:"varies,omitempty"`   // in addition to the plan's
}

// InterleaveSliced is the interleave of a session in which both variants of a comparison
// are up and are loaded in turns, in slices of time. Measure is the time of both together.
const InterleaveSliced = "sliced"

// Sliced tells whether that is so.
func (p *Plan) Sliced() bool { return p.Interleave == InterleaveSliced }

// Who limits the rate of a scenario.
const (
	BoundServer = "server" // the server under test
	BoundApp    = "app"    // an application behind it: rps cannot see the server
)

// PlanComparison is one comparison that the suite asks for.
type PlanComparison struct {
	Base   string `json:"base"`
	New    string `json:"new"`
	SameOK string `json:"same_ok,omitempty"` // why the two may be the same program; "": they may not
}

// PlanGate is the rule that the suite asks for. None is the policy's default.
type PlanGate struct {
	Policy        string `json:"policy,omitempty"` // parity, fixed or noninferior
	MaxMarginFrac Value  `json:"max_margin,omitzero"`
	MinRatio      Value  `json:"min_ratio,omitzero"`
	MarginFrac    Value  `json:"margin,omitzero"`
	Alpha         Value  `json:"alpha,omitzero"`
	LooksFrom     int    `json:"looks_from,omitempty"`      // looked at after each round from this one
	MaxRounds     int    `json:"max_rounds,omitempty"`      // until this one; both 0: once
	Spend         string `json:"spend,omitempty"`           // how those looks share alpha: obf or power2
	Interval      string `json:"interval,omitempty"`        // how bounds are made: rounds, pairs or bootstrap
	Inconclusive  string `json:"on_inconclusive,omitempty"` // what such a row counts as in the end: fail or pass
	P99Max        Value  `json:"p99_max,omitzero"`          // ratios new / base
	P999Max       Value  `json:"p999_max,omitzero"`
	RSSMax        Value  `json:"rss_max,omitzero"`
	CPUMax        Value  `json:"cpu_max,omitzero"`
}

// Source is a file that the plan was made of, as it was then.
type Source struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// ComputeHash returns the SHA-256 of everything that makes two sessions measure the
// same thing: all but the session's id, its time, what it repeats, what it profiles when all
// is measured, and the number of rounds, so that a second session can add rounds to a first one.
func (p *Plan) ComputeHash() string {
	same := *p
	same.Schema = PlanSchema
	same.Session, same.CreatedUTC, same.Hash, same.RepeatOf, same.Profile, same.Rounds = "", time.Time{}, "", "", "", 0
	text, err := json.Marshal(same) // maps are written in the order of their keys
	if err != nil {
		return "" // a NaN or an infinity, which Validate refuses
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Method says how the plan measures, in words: preset, times, how variants take turns,
// params. Ratios of sessions of one suite can be held beside each other where it is
// equal, whatever binaries they were of.
func (p *Plan) Method() string {
	parts := []string{fmt.Sprintf("%v s + %v s", p.WarmupSeconds, p.MeasureSeconds)}
	if p.Preset != "" {
		parts = slices.Insert(parts, 0, p.Preset)
	}
	for _, setting := range [][2]string{{"order", p.Order}, {"interleave", p.Interleave}, {"restart", p.Restart}} {
		if setting[1] != "" {
			parts = append(parts, setting[0]+" "+setting[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		parts = append(parts, name+"="+p.Params[name])
	}
	return strings.Join(parts, ", ")
}

// Scenario returns the scenario of a mode, and false when the plan has none.
func (p *Plan) Scenario(mode, name string) (PlanScenario, bool) {
	i := slices.IndexFunc(p.Scenarios, func(s PlanScenario) bool { return s.Mode == mode && s.Name == name })
	if i < 0 {
		return PlanScenario{}, false
	}
	return p.Scenarios[i], true
}

// ReadPlan reads a plan.json; name is the file's, for faults. The error is a
// [Faults] with everything that is wrong.
func ReadPlan(in io.Reader, name string) (*Plan, error) {
	faults := &faultList{file: name}
	plan, ok := readJSON[Plan](in, faults)
	if ok {
		plan.check(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &plan, nil
}

func (p *Plan) check(faults *faultList) {
	if p.Schema != PlanSchema {
		faults.at(0, "schema %q, expected %q", p.Schema, PlanSchema)
		return
	}
	checkNames(faults, map[string]string{"session": p.Session, "suite": p.Suite, "host": p.Host})
	if p.Rounds < 1 || p.Runs < 1 {
		faults.at(0, "rounds %d, runs %d, expected 1 or more", p.Rounds, p.Runs)
	}
	variants := map[string]bool{}
	for _, v := range p.Variants {
		checkNames(faults, map[string]string{"variant": v.Name})
		if variants[v.Name] {
			faults.at(0, "variant %s is there twice", v.Name)
		}
		variants[v.Name] = true
	}
	scenarios := map[[2]string]bool{}
	for _, s := range p.Scenarios {
		checkNames(faults, map[string]string{"scenario": s.Name})
		if key := [2]string{s.Mode, s.Name}; scenarios[key] {
			faults.at(0, "scenario %s is there twice", scenarioText(s.Mode, s.Name))
		} else {
			scenarios[key] = true
		}
		if s.Bound != "" && s.Bound != BoundServer && s.Bound != BoundApp {
			faults.at(0, "scenario %s: bound %q, expected %s or %s", scenarioText(s.Mode, s.Name), s.Bound, BoundServer, BoundApp)
		}
	}
	for _, s := range p.Scenarios {
		if margin, known := s.Margin.Get(); known && !(margin > 0 && margin < 1) {
			faults.at(0, "scenario %s: margin %v, expected a fraction above 0 and below 1", scenarioText(s.Mode, s.Name), margin)
		}
	}
	for _, c := range p.Compare {
		for _, name := range []string{c.Base, c.New} {
			if !variants[name] {
				faults.at(0, "compare: no variant %q", name)
			}
		}
	}
	if hash := p.ComputeHash(); p.Hash != hash {
		faults.at(0, "plan_hash is %s, but the plan has %s: it was changed after it was written", shortHash(p.Hash), shortHash(hash))
	}
}

// checkNames tells which of the names cannot stand in a path.
func checkNames(faults *faultList, names map[string]string) {
	for _, what := range slices.Sorted(maps.Keys(names)) {
		if !IsName(names[what]) {
			faults.at(0, "%s %q, %s", what, names[what], nameRule)
		}
	}
}

// shortHash is enough of a hash to tell two apart.
func shortHash(hash string) string {
	if hash == "" {
		return "none"
	}
	return hash[:min(12, len(hash))]
}

// WritePlan writes a plan with its schema and its hash, which it sets in the plan.
func WritePlan(out io.Writer, p *Plan) error {
	p.Schema = PlanSchema
	p.Hash = p.ComputeHash()
	faults := &faultList{file: PlanFile}
	p.check(faults)
	if err := faults.err(); err != nil {
		return fmt.Errorf("write a plan that cannot be read back: %w", err)
	}
	return writeJSON(out, p)
}
