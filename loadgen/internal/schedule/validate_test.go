package schedule

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	nan := math.NaN()
	burst := Burst{Requests: 5, Every: time.Second}
	tests := []struct {
		name string
		spec Spec
		want string // all faults, a line each
	}{
		{"closed loop", Spec{}, ""},
		{"open constant", Spec{Rate: parse(t, "1000")}, ""},
		{"poisson ramp", Spec{Rate: parse(t, "0..1000@5s"), Arrival: Poisson}, ""},
		{"bursts", Spec{Burst: burst}, ""},
		{"a ramp to nowhere", Spec{Rate: parse(t, "1000..2000")}, "rate: the ramp 1000..2000 has no end: want a duration, of it or of the run"},
		{"no numbers", Spec{Rate: steps(Step{nan, -1, time.Second}, Step{math.Inf(1), 2e9, 1})},
			"rate: step NaN..-1@1s: NaN requests a second, want 0, or 0.000001 to 1000000000\n" +
				"rate: step NaN..-1@1s: -1 requests a second, want 0, or 0.000001 to 1000000000\n" +
				"rate: step +Inf..2000000000@1ns: +Inf requests a second, want 0, or 0.000001 to 1000000000\n" +
				"rate: step +Inf..2000000000@1ns: 2e+09 requests a second, want 0, or 0.000001 to 1000000000"},
		{"negative and missing durations", Spec{Rate: steps(Step{1, 1, 0}, Step{2, 2, -1}, Step{3, 3, 0})},
			"rate: step 1: has no duration (1@10s), which only the last step may do without\n" +
				"rate: step 2@-1ns: lasts -1ns, want more than 0"},
		{"nothing offered", Spec{Rate: steps(Step{0, 0, time.Second})}, "rate: no step offers a request"},
		{"nothing offered in so short a run", Spec{Rate: parse(t, "0@100s,10").Over(time.Minute)}, "rate: no step offers a request"},
		{"durations that overflow", Spec{Rate: steps(Step{1, 1, math.MaxInt64}, Step{1, 1, math.MaxInt64})}, "rate: the steps last more than 8760h0m0s together"},
		{"many steps", Spec{Rate: Rate{Steps: make([]Step, 1001)}}, "rate: 1001 steps, want at most 1000"},
		{"bad burst", Spec{Burst: Burst{Requests: 0, Every: -1}}, "burst: 0 requests, want 1 to 1048576\nburst: every -1ns, want more than 0 and at most 8760h0m0s"},
		{"rate and burst", Spec{Rate: parse(t, "10"), Burst: burst}, "burst: 5 every 1s, and a rate of 10: want one of them"},
		{"poisson bursts", Spec{Burst: burst, Arrival: Poisson}, "arrival: poisson, but bursts come at fixed times"},
		{"unknown arrival", Spec{Rate: parse(t, "10"), Arrival: 7}, "arrival: 7, want constant or poisson"},
	}
	for _, tt := range tests {
		got := ""
		if err := errors.Join(tt.spec.Validate()...); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: faults\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// New does not make a schedule of what cannot be one.
func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		name            string
		spec            Spec
		worker, workers int
	}{
		{"a ramp without an end", Spec{Rate: parse(t, "1..2")}, 0, 1},
		{"no such worker", Spec{}, 2, 2},
		{"a negative worker", Spec{}, -1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("was made")
				}
			}()
			New(tt.spec, tt.worker, tt.workers)
		})
	}
}
