package suite

import (
	"errors"
	"fmt"
	"time"
)

// Plan is how often, how long and in what order the scenarios of a suite are
// measured. Its warm-up and measure are those of every scenario of a session; what
// a scenario says of its own is for `scalbench load`. A suite's is complete:
// [DefaultPlan] with what the file says.
type Plan struct {
	Preset string // the [Preset] whose numbers these are, all of them; "": there are others

	Rounds    int // windows of time, each with all variants; 1 to 100
	MaxRounds int // as many while a policy cannot tell; Rounds to 100
	Runs      int // of each variant in a round, 1 to 100

	Warmup  time.Duration // not counted; 0 to 1 h
	Measure time.Duration // counted; 1 ms to 24 h

	Order      Order
	Shuffle    bool // the scenarios come in another order in each round, seeded, all variants alike
	Interleave Interleave
	Restart    Restart
	Seed       uint64 // of all that is random

	// OfRecord plans give verdicts of record: a saturated generator makes a
	// measurement invalid, and a host that never becomes quiet is refused. In
	// others both are flags.
	OfRecord bool
}

// Bounds of a plan.
const (
	maxRounds = 100
	maxRuns   = 100
)

// DefaultPlan is the preset release.
func DefaultPlan() Plan { return Plan{Seed: 1}.With(Presets()[0]) }

// PlanEdit is a part of a plan that is put over another; nil: not said.
type PlanEdit struct {
	Rounds, MaxRounds, Runs *int
	Warmup, Measure         *time.Duration
	Order                   *Order
	Shuffle                 *bool
	Interleave              *Interleave
	Restart                 *Restart
	Seed                    *uint64
}

// With puts a preset over the plan. What the preset does not say stays.
//
// What is said later wins, so that a session's plan is made in this order: the
// preset release, or the one that the file names; what else the file says; the
// preset of the command line, which is asked for in spite of the file; the other
// flags ([Plan.Edit]).
func (p Plan) With(preset Preset) Plan {
	p = p.Edit(preset.Plan)
	p.Preset, p.OfRecord = preset.Name, preset.OfRecord
	return p
}

// Edit puts a part over the plan. Preset is then "", unless that changes none of the
// numbers that presets are about.
//
// Rounds alone sets MaxRounds too. [ByScenario] alone sets [EachMeasurement] too,
// since it cannot be without.
func (p Plan) Edit(e PlanEdit) Plan {
	before := p
	put(&p.Rounds, e.Rounds)
	put(&p.MaxRounds, e.Rounds)
	put(&p.MaxRounds, e.MaxRounds)
	put(&p.Runs, e.Runs)
	put(&p.Warmup, e.Warmup)
	put(&p.Measure, e.Measure)
	put(&p.Order, e.Order)
	put(&p.Shuffle, e.Shuffle)
	put(&p.Interleave, e.Interleave)
	if p.Interleave == ByScenario && e.Interleave != nil {
		p.Restart = EachMeasurement
	}
	put(&p.Restart, e.Restart)
	put(&p.Seed, e.Seed)

	same := before
	same.Order, same.Shuffle, same.Seed = p.Order, p.Shuffle, p.Seed
	if p != same {
		p.Preset = ""
	}
	return p
}

func put[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// Load is how long one measurement is loaded, with its warm-up: of two that take turns
// each has half of the window.
func (p Plan) Load() time.Duration {
	if p.Interleave == Sliced {
		return p.Warmup + p.Measure/2
	}
	return p.Warmup + p.Measure
}

// Validate returns everything that is wrong with the plan, joined, in the words of
// the file.
func (p Plan) Validate() error {
	return errors.Join(
		inRange("rounds", p.Rounds, 1, maxRounds),
		inRange("max_rounds", p.MaxRounds, p.Rounds, maxRounds),
		inRange("runs", p.Runs, 1, maxRuns),
		inRange("warmup", p.Warmup, 0, maxWarmup),
		inRange("measure", p.Measure, minMeasure, maxMeasure),
		p.checkRestart())
}

func inRange[T int | time.Duration](what string, n, low, high T) error {
	if n < low || n > high {
		return fmt.Errorf("%s: %v, expected %v to %v", what, n, low, high)
	}
	return nil
}

func (p Plan) checkRestart() error {
	if p.Interleave == ByScenario && p.Restart == EachRun {
		return errors.New("restart: run, but interleave: scenario changes the server after each measurement, expected restart: measurement")
	}
	return nil
}

// Order is which variant is first.
type Order uint8

const (
	// Rotate begins each run with the next variant, and each round one further.
	Rotate Order = iota
	// Counterbalanced runs pairs AB and BA, of which a seeded coin takes one first;
	// more than two variants by the rows of a Williams square. It is the default of
	// the policy noninferior.
	Counterbalanced
	// Random shuffles the variants of each run, seeded.
	Random
)

// String returns the word of the file.
func (o Order) String() string { return [...]string{"rotate", "counterbalanced", "random"}[o] }

// Interleave is how far the two halves of a pair are apart.
type Interleave uint8

const (
	// ByVariant measures all scenarios of a variant, then those of the next.
	ByVariant Interleave = iota
	// ByScenario measures all variants of a scenario, then those of the next.
	ByScenario
	// Sliced has both variants of a comparison up, and loads the one and the other in turns,
	// in slices of some ten milliseconds. Measure is the time of both together, and Warmup
	// that of each. Each variant is in one comparison, and the policy is [NonInferior].
	Sliced
)

// String returns the word of the file.
func (i Interleave) String() string { return [...]string{"variant", "scenario", "sliced"}[i] }

// Restart is when a server is started anew.
type Restart uint8

const (
	EachRun         Restart = iota // a process serves all scenarios of a run
	EachMeasurement                // a process serves one, which draws its layout anew
)

// String returns the word of the file.
func (r Restart) String() string { return [...]string{"run", "measurement"}[r] }
