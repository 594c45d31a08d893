package gate

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
)

// A table goes out as a gate.csv, comes back, and gives the same verdicts.
func TestRecords(t *testing.T) {
	e := lab{3, map[string]float64{"b/static": 1010.123456, "b/php": 990}}.evidence()
	e.Sessions[0].Plan.Scenarios = append(e.Sessions[0].Plan.Scenarios, record.PlanScenario{Name: "gone"})
	table, _ := judge(t, e, parityRules())
	var file bytes.Buffer
	if err := record.WriteGate(&file, table.Records("r", "g")); err != nil {
		t.Fatal(err)
	}
	rows, err := record.ReadGate(&file, "gate.csv")
	if err != nil {
		t.Fatal(err)
	}
	again, err := JudgePublished(rows, DefaultRule(Parity))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range again[0].Rows {
		if was := table.Rows[i]; r.Verdict != was.Verdict || ratioText(r.Numbers.Value) != ratioText(was.Numbers.Value) || r.ID() != was.ID() {
			t.Errorf("%s %s, was %s %s", r.ID(), r.Verdict, was.ID(), was.Verdict)
		}
	}
	if have := table.RatioGrid(table.Rules.Compare[0]).Rows[2]; !slices.Equal(have, []string{"gone", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", "INVALID"}) {
		t.Errorf("a row without numbers is printed as %q", have)
	}
}

func TestWrite(t *testing.T) {
	e := lab{3, map[string]float64{"b/php": 990}}.evidence()
	e.Rounds = e.Rounds[:1]
	table, _ := judge(t, e, parityRules())
	var have bytes.Buffer
	if err := WriteText(&have, Gate{table}, false); err != nil {
		t.Fatal(err)
	}
	want := `h-s: b / a, policy parity (INCONCLUSIVE)
ESTIMATE: 1 of the 3 rounds that policy parity needs; it gives no verdict of record
Rounds 2026-11-06 22:01 to 22:03 UTC, h-s-1
differs: binary (a: aa, b: bb)

scenario  rps b / a per round  median  spread %    p99  cpu_us  peak RSS  gate
static                  1.000   1.000       0.1  1.000   1.000     1.000  PASS
php                     0.990   0.990       0.1  1.000   1.010     1.000  FAIL

By pairs of runs, b / a: Hodges-Lehmann ratio, that of the medians of all runs (pooled), bounds that are each wrong with a probability of 0.05 at most, the smallest loss that would have been seen nine times in ten; none for static: signed-rank bound at level 0.05: needs >= 5 pairs, has 3; it decides nothing here

scenario  pairs  ratio  pooled  bounds  could have seen  limit  flags
static        3  1.000   1.000     n/a              n/a  n/a
php           3  0.990   0.990     n/a              n/a  n/a

php: FAIL: a loss of 1.0 % against a margin of 0.1 %
Worst: php 0.990 FAIL, a loss of 1.0 % against a margin of 0.1 %.
Again: scalbench repeat h-s.session --scenario php
Verdict: INCONCLUSIVE
`
	if diff := cmp.Diff(want, have.String()); diff != "" {
		t.Error(diff)
	}
	have.Reset()
	table.Rules.Rule = DefaultRule(Fixed)
	if err := WriteMarkdown(&have, Gate{table}); err != nil {
		t.Fatal(err)
	}
	if line := "| static | 1 000 | 1 000 | 1.000 | 4000.00 / 4000.00 | pass |\n"; !strings.Contains(have.String(), line) {
		t.Errorf("no line %q in\n%s", line, have.String())
	}
}

// The worst row can be measured again by a command that a shell takes; one that passed
// need not, and one whose session is not here cannot.
func TestAgain(t *testing.T) {
	slow := lab{3, map[string]float64{"b/php": 900}}.evidence()
	slow.Sessions[0].Dir = "it's here/xeon gate.session"
	failed, _ := judge(t, slow, parityRules())
	passed, _ := judge(t, lab{3, nil}.evidence(), parityRules())
	slow.Sessions = nil
	elsewhere, _ := judge(t, slow, parityRules())
	quoted := `scalbench repeat 'it'\''s here/xeon gate.session' --scenario php`
	for _, tt := range []struct {
		name string
		g    Gate
		want string
	}{
		{"it failed", Gate{failed}, quoted},
		{"the worse of two tables", Gate{passed, failed}, quoted},
		{"it passed", Gate{passed}, ""},
		{"its session is not here", Gate{elsewhere}, ""},
		{"nothing", nil, ""},
	} {
		if have := tt.g.Again(); have != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, have, tt.want)
		}
	}
	row := &failed.Rows[0]
	row.Mode = "multi"
	if have, want := failed.again(row), `scalbench repeat 'it'\''s here/xeon gate.session' --scenario multi/static`; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}
