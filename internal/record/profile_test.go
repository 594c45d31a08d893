package record

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/profile"
)

// profiled is a row of 10 000 samples, of groups in the order given.
func profiled(variant string, groups ...ProfileGroup) ProfileRow {
	r := ProfileRow{Variant: variant, Scenario: "static-small", StartUTC: time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC), Seconds: Of(10.03), RPS: Of(70_000),
		CPU: Of(10.5), CPUs: "0", Event: "cycles", Hz: 997, Groups: groups}
	for _, g := range groups {
		r.Samples += g.Samples
	}
	return r
}

// profiles are those of the example of profile.Explain: 10 us and 13 us, of which seccomp
// takes 15 %.
func profiles() *Profile {
	off := profiled("off", ProfileGroup{Name: "copy", Samples: 2000}, ProfileGroup{Name: "own code", Samples: 8000})
	off.Idle, off.Others, off.Cut = 1000, []profile.Count{{Name: "perf", Samples: 500}}, 6000
	on := profiled("on", ProfileGroup{Name: "seccomp", Samples: 1500, Symbols: []profile.Count{{Name: "__seccomp_filter", Samples: 1000}, {Name: "seccomp_run_filters", Samples: 500}}},
		ProfileGroup{Name: "copy", Samples: 1600}, ProfileGroup{Name: "own code", Samples: 6900})
	on.Note = "lost 3 chunks"
	return &Profile{Session: "s1", StartedUTC: time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC), Compare: []PlanComparison{{Base: "off", New: "on"}}, When: "always",
		Groups: []profile.Group{{Name: "seccomp", Symbols: "seccomp"}, {Name: "copy", Symbols: "memcpy"}},
		Rows:   []ProfileRow{off, on, {Variant: "h3", Scenario: "static-small", NA: "it provides no http"}}}
}

// profiledRounds are two rounds of two runs: off has 9.9 10.1, 9.8 10.2, so a median of 10
// in both; on has exactly 3 us more each time.
func profiledRounds() []*Round {
	var rounds []*Round
	for n, off := range [][]float64{{9.9, 10.1}, {9.8, 10.2}} {
		r := &Round{Session: "s1", Number: n + 1}
		for run, cpu := range off {
			for _, v := range []struct {
				name string
				cpu  float64
			}{{"off", cpu}, {"on", cpu + 3}} {
				r.Measurements = append(r.Measurements, Measurement{Session: "s1", Round: n + 1, Run: run + 1, Variant: v.name, Scenario: "static-small", CPUMicros: Of(v.cpu)})
			}
		}
		// What is invalid, of another scenario, or of no known time is not looked at.
		r.Measurements = append(r.Measurements, Measurement{Run: 3, Variant: "on", Scenario: "static-small", CPUMicros: Of(99), State: Invalid},
			Measurement{Run: 1, Variant: "on", Scenario: "respond", CPUMicros: Of(99)}, Measurement{Run: 4, Variant: "on", Scenario: "static-small"})
		rounds = append(rounds, r)
	}
	return append(rounds, &Round{Session: "s2", Number: 1, Measurements: []Measurement{{Run: 1, Variant: "on", Scenario: "static-small", CPUMicros: Of(99)}}})
}

// The share of copy in the base, 2000 of 10 000, has an error of sqrt(0.2 × 0.8 / 10 000) =
// 0.4 %; its cost goes from 2.00 to 2.08 us. All pairs differ by 3 us. A variant's time is known
// to 1.2533 × 0.1826 / sqrt(4) = 0.114 us, so that the 8 and 8.97 us of its own code differ by
// 0.97, known to sqrt((0.8 × 0.114)² + (0.0040 × 10)² + (0.69 × 0.114)² + (0.0046 × 13)²) = 0.14.
const profileText = `profile of static-small, a pass of its own, not judged: % of the server's samples ± standard error, us of CPU per request
group            off %          on %  off us  on us   on - off us
own code  80.00 ± 0.40  69.00 ± 0.46    8.00   8.97  +0.97 ± 0.14
copy      20.00 ± 0.40  16.00 ± 0.37    2.00   2.08  +0.08 ± 0.07
seccomp    0.00 ± 0.01  15.00 ± 0.36    0.00   1.95  +1.95 ± 0.05
on / off: cpu_us +3.00 ± 0.00 us by 4 pairs of runs of the rounds
cause seccomp: +1.95 ± 0.05 us of +3.00 us (65 %) (__seccomp_filter, seccomp_run_filters)
unexplained: +1.05 ± 0.16 us of +3.00 us (35 %), most of it own code +0.97 ± 0.14, copy +0.08 ± 0.07
functions that differ most: __seccomp_filter +1.30 ± 0.04, seccomp_run_filters +0.65 ± 0.03
off: 10000 samples of the server (cycles, 997 Hz, CPUs 0, 10.0 s); beside it on these CPUs: idle 8.7 %, perf 4.3 %; meanwhile cpu_us 10.50; in 60 % of the samples the server's own callers cannot be found, for it keeps no frame pointers
on: 10000 samples of the server (cycles, 997 Hz, CPUs 0, 10.0 s); meanwhile cpu_us 10.50; lost 3 chunks
h3: n/a: it provides no http
`

func TestProfileText(t *testing.T) {
	stranger := profiles()
	stranger.Session = "s3" // of which there are no rounds
	tests := []struct {
		name string
		of   *Profile
		want string
	}{
		{"explained", profiles(), profileText},
		{"without rounds", stranger, `profile of static-small, a pass of its own, not judged: % of the server's samples ± standard error, us of CPU per request
group            off %          on %
own code  80.00 ± 0.40  69.00 ± 0.46
copy      20.00 ± 0.40  16.00 ± 0.37
seccomp    0.00 ± 0.01  15.00 ± 0.36
` + strings.Join(strings.SplitAfter(profileText, "\n")[9:], "")},
		{"nothing at all", &Profile{NA: "this host has no perf", StandIn: "stand-in: no server"}, "stand-in: no server\nno profile was taken: this host has no perf\n"},
	}
	for _, test := range tests {
		var out strings.Builder
		if err := WriteProfileText(&out, test.of, profiledRounds()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// A difference that pairs do not agree about has no parts: nothing is a percentage of noise.
func TestProfileUnsure(t *testing.T) {
	rounds := profiledRounds()
	for i, change := range []float64{-6, 0, 6, 0} { // so that the medians stay
		r := rounds[i/2]
		m := &r.Measurements[2*(i%2)+1]
		m.CPUMicros = Of(m.CPUMicros.OrNaN() + change)
	}
	var out strings.Builder
	if err := WriteProfileText(&out, profiles(), rounds); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "is no sure difference") || strings.Contains(text, "us of +") || !strings.Contains(text, "cause seccomp: +") {
		t.Error(text)
	}
}

// Of functions that only one row names, those are compared of which the other has none for
// sure: it names all of the group, or has nothing in it.
func TestFunctionsKnown(t *testing.T) {
	base := profiled("off", ProfileGroup{Name: "copy", Samples: 30, Symbols: []profile.Count{{Name: "memcpy", Samples: 10}, {Name: "memset", Samples: 5}}},
		ProfileGroup{Name: "alloc", Samples: 7, Symbols: []profile.Count{{Name: "malloc", Samples: 7}}})
	new := profiled("on", ProfileGroup{Name: "copy", Samples: 20, Symbols: []profile.Count{{Name: "memcpy", Samples: 8}, {Name: "memmove", Samples: 12}}},
		ProfileGroup{Name: "seccomp", Samples: 3, Symbols: []profile.Count{{Name: "__seccomp_filter", Samples: 3}}})
	ofBase, ofNew := functions(&base, &new)
	// memmove may be among the 15 of the base's copies that have no name.
	if diff := cmp.Diff(map[string]uint64{"memcpy": 10, "memset": 5, "malloc": 7}, ofBase); diff != "" {
		t.Errorf("base: %s", diff)
	}
	if diff := cmp.Diff(map[string]uint64{"memcpy": 8, "__seccomp_filter": 3}, ofNew); diff != "" {
		t.Errorf("new: %s", diff)
	}
}

func TestProfileRoundTrip(t *testing.T) {
	var out bytes.Buffer
	if err := WriteProfile(&out, profiles()); err != nil {
		t.Fatal(err)
	}
	got, err := ReadProfile(&out, ProfileFile)
	if err != nil {
		t.Fatal(err)
	}
	want := profiles()
	want.Schema = ProfileSchema
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
}

func TestProfileFaults(t *testing.T) {
	tests := []struct {
		name, rows string
		want       []string
	}{
		{"twice", `{"variant": "a", "scenario": "b", "na": "x"}, {"variant": "a", "scenario": "b", "na": "x"}`, []string{"a, b is there twice"}},
		{"neither", `{"variant": "a", "scenario": "b"}`, []string{`a, b: 0 samples and na is ""`}},
		{"both", `{"variant": "a", "scenario": "b", "samples": 1, "groups": [{"name": "copy", "samples": 1}], "na": "x"}`, []string{`a, b: 1 samples and na is "x"`}},
		{"another sum", `{"variant": "a", "scenario": "b", "samples": 5, "groups": [{"name": "copy", "samples": 4}]}`, []string{"a, b: 5 samples, but 4 in groups"}},
		{"a path", `{"variant": "../a", "scenario": "b", "na": "x"}`, []string{`variant "../a"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadProfile(strings.NewReader(`{"schema": "scalbench.profile/v1", "session": "s", "when": "always", "rows": [`+test.rows+`]}`), ProfileFile)
			wantFaults(t, err, test.want...)
		})
	}
	_, err := ReadProfile(strings.NewReader(`{"schema": "scalbench.profile/v2"}`), ProfileFile)
	wantFaults(t, err, `schema "scalbench.profile/v2"`)
}
