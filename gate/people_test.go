package gate

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// What people noted about the sessions of a table is told with its time, and nothing of
// other sessions; who was seen to run is told over all rounds, as text and in JSON.
func TestPeopleAndIdentity(t *testing.T) {
	e := lab{runs: 3}.evidence()
	e.Sessions[0].Journal.Events = []record.Event{
		{Kind: record.Note, UTC: time.Date(2026, 11, 7, 8, 0, 0, 0, time.FixedZone("CET", 3600)), Text: "dnf ran\x1b[2J"},
	}
	stranger := lab{runs: 3}.session("s9")
	stranger.Journal = &record.Journal{Events: []record.Event{{Kind: record.Note, UTC: night, Text: "of another"}}}
	e.Sessions = append(e.Sessions, stranger)
	for n, r := range e.Rounds {
		r.Identity.Counts = []record.IdentityCount{
			{Variant: "a", Check: "seccomp 2", Samples: 80 + n, OK: 80 + n}, // 80 + 81 + 82
			{Variant: "b", Check: "exe", NA: "permission denied"},
			{Variant: "c", Check: "exe", Samples: 1, OK: 1}, // is not compared
		}
	}
	e.Sessions[0].Plan.Scenarios[0].Expected = "The new one is faster."
	e.Sessions[0].Plan.Hash = e.Sessions[0].Plan.ComputeHash()
	table, _ := judge(t, e, parityRules())
	if want := []string{"noted 2026-11-07 07:00 UTC: dnf ran\x1b[2J"}; !slices.Equal(table.Notes, want) {
		t.Errorf("notes %q, want %q", table.Notes, want)
	}
	var text, file bytes.Buffer
	if err := WriteText(&text, Gate{table}, false); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"identity of a: 243 samples, 243 ok (seccomp 2)\n", "identity of b: 0 samples, 0 ok; exe n/a: permission denied\n",
		"noted 2026-11-07 07:00 UTC: dnf ran [2J\n", "static: the suite expects: The new one is faster.\n"} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("no line %q in\n%s", line, text.String())
		}
	}
	if strings.Contains(text.String(), "of c") || strings.Contains(text.String(), "of another") {
		t.Errorf("more than that of the table:\n%s", text.String())
	}
	if err := WriteJSON(&file, Gate{table}, ""); err != nil || !strings.Contains(file.String(), `"samples": 243`) {
		t.Errorf("%v, %s", err, file.String())
	}
}
