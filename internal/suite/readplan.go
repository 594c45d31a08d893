package suite

import (
	"time"

	"github.com/goccy/go-yaml/ast"
)

var planKeys = keyTable{
	what:  "plan",
	known: []string{"preset", "rounds", "max_rounds", "runs", "warmup", "measure", "order", "shuffle", "interleave", "restart", "seed"},
}

// maxSeed is what every reader of JSON takes for the same number (RFC 8259, 6).
const maxSeed = 1<<53 - 1

// plan reads the plan of the file over its preset. orderSaid is false when the
// order is the policy's to choose; interleaveAt is nil where that is not said.
func (r *reader) plan(f field) (plan Plan, preset Preset, orderSaid bool, interleaveAt ast.Node) {
	var e PlanEdit
	var maxRoundsAt, restartAt ast.Node
	preset = Presets()[0]
	for _, f := range r.fields(f.val, planKeys) {
		switch f.key {
		case "preset":
			preset = r.preset(f)
		case "rounds":
			e.Rounds = new(int(r.integer(f, 1, maxRounds)))
		case "max_rounds":
			e.MaxRounds, maxRoundsAt = new(int(r.integer(f, 1, maxRounds))), f.val
		case "runs":
			e.Runs = new(int(r.integer(f, 1, maxRuns)))
		case "warmup":
			e.Warmup = new(r.duration(f, 0, maxWarmup))
		case "measure":
			e.Measure = new(r.duration(f, minMeasure, maxMeasure))
		case "order":
			e.Order = new(choice(r, f, words(Rotate, Counterbalanced, Random)...))
		case "shuffle":
			e.Shuffle = new(r.boolean(f))
		case "interleave":
			interleaveAt = f.val
			e.Interleave = new(choice(r, f, words(ByVariant, ByScenario, Sliced)...))
		case "restart":
			e.Restart, restartAt = new(choice(r, f, words(EachRun, EachMeasurement)...)), f.val
		case "seed":
			e.Seed = new(uint64(r.integer(f, 0, maxSeed)))
		}
	}
	plan = DefaultPlan().With(preset).Edit(e)
	if maxRoundsAt != nil && *e.MaxRounds > 0 && plan.MaxRounds < plan.Rounds {
		r.fault(maxRoundsAt, "max_rounds: %d is less than the %d rounds there are anyway", plan.MaxRounds, plan.Rounds)
	}
	if err := plan.checkRestart(); err != nil && restartAt != nil {
		r.fault(restartAt, "%v", err)
	}
	return plan, preset, e.Order != nil, interleaveAt
}

func (r *reader) preset(f field) Preset {
	text, ok := r.text(f, "the name of a preset")
	if !ok {
		return Presets()[0]
	}
	preset, err := FindPreset(text)
	if err != nil {
		r.fault(f.val, "preset: %v", err)
		return Presets()[0]
	}
	return preset
}

// words are the options of an enumeration whose values say their own words.
func words[T interface{ String() string }](values ...T) []option[T] {
	options := make([]option[T], len(values))
	for i, v := range values {
		options[i] = option[T]{word: v.String(), value: v}
	}
	return options
}

var quietKeys = keyTable{what: "quiet", known: []string{"load1", "busy", "timeout"}}

// quiet reads the condition of a round over that of a preset; f may be missing.
func (r *reader) quiet(f *field, preset Preset) Quiet {
	q := Quiet{Load1: 2, BusyFrac: 0.02}.With(preset)
	if f == nil {
		return q
	}
	for _, f := range r.fields(f.val, quietKeys) {
		switch f.key {
		case "load1":
			q.Load1 = r.number(f, 0.01, 10_000)
		case "busy":
			q.BusyFrac = r.share(f, 0.0001, 1)
		case "timeout":
			q.Timeout = r.duration(f, 0, 24*time.Hour)
		}
	}
	return q
}
