package suite

import (
	"fmt"
	"strings"
	"time"
)

// Preset is a plan that has a name.
type Preset struct {
	Name string
	Plan PlanEdit

	// OfRecord is that of [Plan].
	OfRecord bool
	// Quiet is how long a session waits for a quiet host, before each round.
	Quiet time.Duration
}

// Presets returns all presets, the default first.
func Presets() []Preset {
	release := numbers(10*time.Second, 30*time.Second, 5, 3)
	// As the published reports had it; the others leave both as they are.
	release.Interleave, release.Restart = new(ByVariant), new(EachRun)
	return []Preset{
		{Name: "release", Plan: release, OfRecord: true, Quiet: time.Hour},
		{Name: "instances", Plan: numbers(5*time.Second, 15*time.Second, 5, 3), OfRecord: true, Quiet: time.Hour},
		{Name: "estimate", Plan: numbers(10*time.Second, 30*time.Second, 3, 1), Quiet: 20 * time.Second},
		{Name: "quick", Plan: numbers(time.Second, 3*time.Second, 3, 1), Quiet: 20 * time.Second},
		// For tests: two runs are the fewest that have a spread, and nothing waits.
		{Name: "smoke", Plan: numbers(50*time.Millisecond, 100*time.Millisecond, 2, 1)},
	}
}

func numbers(warmup, measure time.Duration, runs, rounds int) PlanEdit {
	return PlanEdit{Warmup: &warmup, Measure: &measure, Runs: &runs, Rounds: &rounds}
}

// FindPreset returns the preset called name. The error names the nearest one, or
// all.
func FindPreset(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if near := Nearest(name, names); near != "" {
		return Preset{}, fmt.Errorf("no preset %q; did you mean %q?", name, near)
	}
	return Preset{}, fmt.Errorf("no preset %q; there are %s", name, strings.Join(names, ", "))
}
