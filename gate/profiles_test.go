package gate

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// profiled is a gate over three rounds in which b does 900 requests where a does 1000: cpu_us
// of 4000 and 4444. In the profile the difference is one of seccomp.
func profiled(t *testing.T, asked string, profiles []*record.Profile, loss float64) Table {
	t.Helper()
	l := lab{runs: 3, rps: map[string]float64{"b": 1000 - loss}}
	e := Evidence{Sessions: []*record.Session{l.session("s1")}, Profiles: profiles}
	e.Sessions[0].Plan.Profile = asked
	for n := range 3 {
		e.Rounds = append(e.Rounds, l.round("s1", n+1, time.Date(2026, 12, 1, n, 0, 0, 0, time.UTC)))
	}
	table, err := Judge(e, Rules{Rule: Rule{Policy: Parity}, Compare: []Comparison{{Base: "a", New: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// aProfile has 10 000 samples of each variant; of b 1000 are of seccomp.
func aProfile(session, scenario string, hour int) *record.Profile {
	row := func(variant string, groups ...record.ProfileGroup) record.ProfileRow {
		return record.ProfileRow{Variant: variant, Scenario: scenario, Samples: 10_000, Event: "cycles", Hz: 997, CPUs: "0", Groups: groups}
	}
	return &record.Profile{Schema: record.ProfileSchema, Session: session, StartedUTC: time.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC), When: "always",
		Rows: []record.ProfileRow{row("a", record.ProfileGroup{Name: "network", Samples: 10_000}),
			row("b", record.ProfileGroup{Name: "network", Samples: 9000}, record.ProfileGroup{Name: "seccomp", Samples: 1000})}}
}

// 1000 of 10 000 samples of 4444.44 us are 444.44 us, which is all of the difference.
func TestProfilesInGate(t *testing.T) {
	table := profiled(t, "", []*record.Profile{aProfile("s1", "static", 5)}, 100)
	if len(table.Profiles) != 1 || len(table.ProfileNotes) != 0 {
		t.Fatalf("%+v, notes %q", table.Profiles, table.ProfileNotes)
	}
	text := written(t, func(out io.Writer) error { return WriteText(out, Gate{table}, false) })
	for _, want := range []string{"\nprofile of static, ", "seccomp", "\nb / a: cpu_us +444.44 ± ", "\ncause seccomp: +444.44 ± ", " us of +444.44 us (100 %)", "\nunexplained: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if page := written(t, func(out io.Writer) error { return WriteMarkdown(out, Gate{table}) }); !strings.Contains(page, "| group | a % | b % | a us | b us | b - a us |\n") {
		t.Error(page)
	}
	file := written(t, func(out io.Writer) error { return WriteJSON(out, Gate{table}, "") })
	for _, want := range []string{`"profiles": [`, `"group": "seccomp"`, `"cause": true`, `"sure": true`} {
		if !strings.Contains(file, want) {
			t.Errorf("no %s in %s", want, file)
		}
	}
}

// The latest of a row is shown, none of another session, and where there is none that is
// said as far as somebody asked or a row fails.
func TestWhichProfiles(t *testing.T) {
	na := aProfile("s1", "static", 6)
	na.NA, na.Rows = "this host has no perf", nil
	two := aProfile("s1", "static", 5)
	two.Rows[0].Event, two.Rows[1].Event = "cpu-clock", "cpu-clock"
	const takes = "; scalbench resume h-s.session --profile takes one"
	tests := []struct {
		name     string
		profiles []*record.Profile
		asked    string
		loss     float64
		shown    int
		has      string   // in a line of the first
		notes    []string // why there are none
	}{
		{"the latest", []*record.Profile{aProfile("s1", "static", 4), two}, "", 100, 1, "cpu-clock", nil},
		{"of each row", []*record.Profile{aProfile("s1", "static", 4), aProfile("s1", "php", 5)}, "", 100, 2, "cycles", nil},
		{"a try that failed after it", []*record.Profile{two, na}, "", 100, 1, "cpu-clock", nil},
		{"a try that failed", []*record.Profile{na}, "always", 100, 0, "", []string{"no profile was taken: this host has no perf"}},
		{"of another session", []*record.Profile{aProfile("s2", "static", 4)}, "", 100, 0, "", []string{"no profile was taken" + takes}},
		{"none, and it fails", []*record.Profile{}, "", 100, 0, "", []string{"no profile was taken" + takes}},
		{"none, and it passes", []*record.Profile{}, "", 0, 0, "", nil},
		{"on-fail, and it passes", []*record.Profile{}, "on-fail", 0, 0, "", []string{"no profile was taken: it was asked for on-fail, and no row fails"}},
		{"on-fail, and it fails", []*record.Profile{}, "on-fail", 100, 0, "", []string{"no profile was taken, though it was asked for (on-fail)" + takes}},
		{"always, and it passes", []*record.Profile{}, "always", 0, 0, "", []string{"no profile was taken, though it was asked for (always)" + takes}},
		{"nobody looked", nil, "always", 100, 0, "", nil},
	}
	for _, test := range tests {
		table := profiled(t, test.asked, test.profiles, test.loss)
		if len(table.Profiles) != test.shown || !slices.Equal(table.ProfileNotes, test.notes) {
			t.Errorf("%s: %d shown, notes %q, want %d and %q", test.name, len(table.Profiles), table.ProfileNotes, test.shown, test.notes)
		} else if test.shown > 0 && !slices.ContainsFunc(table.Profiles[0].Lines, func(line string) bool { return strings.Contains(line, test.has) }) {
			t.Errorf("%s: %q", test.name, table.Profiles[0].Lines)
		}
	}
}
