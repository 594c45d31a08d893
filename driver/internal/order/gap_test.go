package order

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

func TestRows(t *testing.T) {
	standalone := suite.Variant{Name: "a"}
	multi := suite.Variant{Name: "m", Instances: suite.Instances{Count: 3, Layout: suite.Multi}}
	scenarios := []suite.Scenario{{Name: "x"}, {Name: "y", Mode: "cache"}}
	got := Rows([]suite.Variant{standalone, multi, standalone}, scenarios)
	// What the suite calls a mode is one for all variants.
	want := []Scenario{{Name: "x"}, {Mode: "cache", Name: "y"}, {Mode: "multi", Name: "x"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// What a variant cannot do and what this host cannot are never the same.
func TestGaps(t *testing.T) {
	variants := []suite.Variant{
		{Name: "old", Provides: []string{"http"}},
		{Name: "new", Provides: []string{"http", "h3"}},
		{Name: "inst", Instances: suite.Instances{Count: 2, Layout: suite.Multi}}, // can do everything
	}
	scenarios := []suite.Scenario{{Name: "small", Needs: []string{"http"}}, {Name: "h3", Needs: []string{"http", "h3"}}, {Name: "php", Needs: []string{"php"}}}
	lacking := func(v suite.Variant, sc suite.Scenario) string {
		if sc.Name == "php" {
			return "this host has no php-fpm"
		}
		return ""
	}
	gaps := Gaps(variants, scenarios, lacking)
	row := func(mode, name string) Scenario { return Scenario{Mode: mode, Name: name} }
	const notMulti, notOne = "it is one server, without instances", "its instances are multi"
	want := []Gap{
		{"old", row("", "h3"), record.NotApplicable, "it provides no h3", false},
		{"old", row("", "php"), record.NotApplicable, "it provides no php", false}, // whatever the host has
		{"old", row("multi", "small"), record.NotApplicable, notMulti, true},
		{"old", row("multi", "h3"), record.NotApplicable, notMulti, true},
		{"old", row("multi", "php"), record.NotApplicable, notMulti, true},
		{"new", row("", "php"), record.NotApplicable, "it provides no php", false},
		{"new", row("multi", "small"), record.NotApplicable, notMulti, true},
		{"new", row("multi", "h3"), record.NotApplicable, notMulti, true},
		{"new", row("multi", "php"), record.NotApplicable, notMulti, true},
		{"inst", row("", "small"), record.NotApplicable, notOne, true},
		{"inst", row("", "h3"), record.NotApplicable, notOne, true},
		{"inst", row("", "php"), record.NotApplicable, notOne, true},
		{"inst", row("multi", "php"), record.NotRun, "this host has no php-fpm", false},
	}
	if diff := cmp.Diff(want, gaps); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	// 3 variants x 6 rows - 13 gaps.
	keys := Without(Round(suite.Plan{Runs: 1}, []string{"old", "new", "inst"}, Rows(variants, scenarios), 1), gaps)
	var texts []string
	for _, k := range keys {
		texts = append(texts, keyText(k))
	}
	if got := strings.Join(texts, " "); got != "1old:small 1new:small 1new:h3 1inst:multi/small 1inst:multi/h3" {
		t.Errorf("%s", got)
	}
}

// A gap's line is one that a summary takes.
func TestGapRow(t *testing.T) {
	gap := Gap{"old", Scenario{"multi", "h3"}, record.NotApplicable, "it provides no h3", false}
	row := gap.Row()
	row.Session, row.Round, row.Run = "s", 1, 1
	var text bytes.Buffer
	if err := record.WriteSummary(&text, []record.Measurement{row}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), ",na,it provides no h3,") || !strings.Contains(text.String(), ",old,multi,h3,") {
		t.Errorf("%s", text.String())
	}
}

// The sessions of the reports, with 10 s of warm-up and a window of 30 s, within 5 %.
func TestEstimate(t *testing.T) {
	for _, test := range []struct {
		name                   string
		variants, rows, rounds int
		took                   time.Duration
	}{
		{"gate 1", 2, 9, 3, 192 * time.Minute},              // 270 measurements, 180 minutes of load
		{"rcon", 2, 8, 3, 168*time.Minute + 12*time.Second}, // 240, 160 minutes
	} {
		p := suite.Plan{Runs: 5, Rounds: test.rounds, Warmup: 10 * time.Second, Measure: 30 * time.Second}
		var got time.Duration
		for round := 1; round <= test.rounds; round++ {
			got += Estimate(p, Round(p, make([]string, test.variants), make([]Scenario, test.rows), round))
		}
		if off := got.Seconds()/test.took.Seconds() - 1; off < -0.05 || off > 0.05 {
			t.Errorf("%s: %s, %.1f %% off %s", test.name, got, 100*off, test.took)
		}
	}
}
