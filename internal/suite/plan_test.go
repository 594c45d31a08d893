package suite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every preset is a plan, and what it says of itself.
func TestPresets(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, test := range []struct {
		name string
		want Plan
		wait time.Duration
	}{
		{"release", Plan{Preset: "release", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * s, Measure: 30 * s, Seed: 1, OfRecord: true}, time.Hour},
		{"instances", Plan{Preset: "instances", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 5 * s, Measure: 15 * s, Seed: 1, OfRecord: true}, time.Hour},
		{"estimate", Plan{Preset: "estimate", Rounds: 1, MaxRounds: 1, Runs: 3, Warmup: 10 * s, Measure: 30 * s, Seed: 1}, 20 * s},
		{"quick", Plan{Preset: "quick", Rounds: 1, MaxRounds: 1, Runs: 3, Warmup: s, Measure: 3 * s, Seed: 1}, 20 * s},
		{"smoke", Plan{Preset: "smoke", Rounds: 1, MaxRounds: 1, Runs: 2, Warmup: 50 * ms, Measure: 100 * ms, Seed: 1}, 0},
	} {
		preset, err := FindPreset(test.name)
		if err != nil {
			t.Fatal(err)
		}
		got := DefaultPlan().With(preset)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, -want +got\n%s", test.name, diff)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if q := (Quiet{Load1: 1, BusyFrac: 1, Timeout: 1}).With(preset); q != (Quiet{Load1: 1, BusyFrac: 1, Timeout: test.wait}) {
			t.Errorf("%s: quiet %+v", test.name, q)
		}
	}
	for name, want := range map[string]string{
		"qick": `no preset "qick"; did you mean "quick"?`,
		"x":    `no preset "x"; there are release, instances, estimate, quick, smoke`,
	} {
		if _, err := FindPreset(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// What is said later wins: the file, then the preset of the command line, then its
// other flags; what a preset does not say stays the file's.
func TestPlanPrecedence(t *testing.T) {
	file := Plan{Rounds: 6, MaxRounds: 8, Runs: 9, Warmup: 2 * time.Second, Measure: 4 * time.Second,
		Order: Random, Interleave: ByScenario, Restart: EachMeasurement, Seed: 7, OfRecord: true}
	quick, _ := FindPreset("quick")
	release, _ := FindPreset("release")
	for _, test := range []struct {
		name      string
		got, want Plan
	}{
		{"--preset quick", file.With(quick),
			Plan{Preset: "quick", Rounds: 1, MaxRounds: 1, Runs: 3, Warmup: time.Second, Measure: 3 * time.Second,
				Order: Random, Interleave: ByScenario, Restart: EachMeasurement, Seed: 7}},
		{"--preset release, which says the order of work", file.With(release),
			Plan{Preset: "release", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * time.Second, Measure: 30 * time.Second,
				Order: Random, Seed: 7, OfRecord: true}},
		{"--preset quick --rounds 2", file.With(quick).Edit(PlanEdit{Rounds: new(2)}),
			Plan{Rounds: 2, MaxRounds: 2, Runs: 3, Warmup: time.Second, Measure: 3 * time.Second,
				Order: Random, Interleave: ByScenario, Restart: EachMeasurement, Seed: 7}},
		{"--preset quick --seed 8 --order rotate is quick still", file.With(quick).Edit(PlanEdit{Seed: new(uint64(8)), Order: new(Rotate)}),
			Plan{Preset: "quick", Rounds: 1, MaxRounds: 1, Runs: 3, Warmup: time.Second, Measure: 3 * time.Second,
				Interleave: ByScenario, Restart: EachMeasurement, Seed: 8}},
		{"--warmup 0s", file.Edit(PlanEdit{Warmup: new(time.Duration(0))}),
			Plan{Rounds: 6, MaxRounds: 8, Runs: 9, Measure: 4 * time.Second,
				Order: Random, Interleave: ByScenario, Restart: EachMeasurement, Seed: 7, OfRecord: true}},
		{"--interleave scenario on release", DefaultPlan().Edit(PlanEdit{Interleave: new(ByScenario)}),
			Plan{Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * time.Second, Measure: 30 * time.Second,
				Interleave: ByScenario, Restart: EachMeasurement, Seed: 1, OfRecord: true}},
		{"no flag", file.Edit(PlanEdit{}), file},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

func TestPlanValidate(t *testing.T) {
	if err := DefaultPlan().Validate(); err != nil {
		t.Error(err)
	}
	bad := Plan{Rounds: 0, MaxRounds: -1, Runs: 101, Warmup: -1, Measure: 25 * time.Hour, Interleave: ByScenario}
	want := `rounds: 0, expected 1 to 100
max_rounds: -1, expected 0 to 100
runs: 101, expected 1 to 100
warmup: -1ns, expected 0s to 1h0m0s
measure: 25h0m0s, expected 1ms to 24h0m0s
restart: run, but interleave: scenario changes the server after each measurement, expected restart: measurement`
	if err := bad.Validate(); err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
}
