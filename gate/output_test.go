package gate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// mixedGate has a row of every kind: static passes, php fails and was ruled on, node was
// not run, h3 is impossible, gone is missing.
func mixedGate(t *testing.T) Gate {
	t.Helper()
	e := lab{5, map[string]float64{"b/php": 950}}.evidence()
	for _, name := range []string{"node", "h3", "gone"} {
		e.Sessions[0].Plan.Scenarios = append(e.Sessions[0].Plan.Scenarios, record.PlanScenario{Name: name})
		for _, r := range e.Rounds {
			for run := 1; run <= 5 && name != "gone"; run++ {
				for _, v := range []string{"a", "b"} {
					m := record.Measurement{Session: "s1", Round: r.Number, Run: run, Variant: v, Scenario: name, State: record.NotRun, Reason: "no node: <b>"}
					if name == "h3" {
						m.State = record.NotApplicable
					}
					r.Measurements = append(r.Measurements, m)
				}
			}
		}
	}
	rules := parityRules()
	rules.Rulings = []record.Ruling{{Row: "php", Date: "2026-11-07", By: "the owner", Text: "as wished,\nsee the notes"}}
	table, _ := judge(t, e, rules)
	return Gate{table}
}

// Ratios beyond everything that is measured, and such that no number holds, are told by no
// file: with them a gate.csv could not be read back, and none was written.
func TestRatiosBeyondMeasure(t *testing.T) {
	e := lab{5, nil}.evidence()
	each(e, "a", "php", func(m *record.Measurement) {
		m.RPS, m.P99Millis, m.RSSKiB, m.CPUMicros = record.Of(1e-300), record.Of(1e-300), record.Of(1e-10), record.Of(1e-300)
	})
	each(e, "b", "php", func(m *record.Measurement) {
		m.RPS, m.P99Millis, m.RSSKiB, m.CPUMicros = record.Of(1e18), record.Of(1e18), record.Of(1e18), record.Of(1e18)
	})
	table, rows := judge(t, e, parityRules())
	if rows["php"].Verdict != Invalid { // no float64 holds 1e318
		t.Errorf("%s", rows["php"].Verdict)
	}
	var csv bytes.Buffer
	if err := record.WriteGate(&csv, table.Records("", "")); err != nil {
		t.Error(err)
	}
	if _, err := record.ReadGate(&csv, "gate.csv"); err != nil {
		t.Error(err)
	}
}

// written returns what a writer writes, and holds that it passes errors on.
func written(t *testing.T, write func(out io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	if err := write(failingWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("an output that fails: %v", err)
	}
	return out.String()
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteColour(t *testing.T) {
	g := mixedGate(t)
	plain := written(t, func(out io.Writer) error { return WriteText(out, g, false) })
	colour := written(t, func(out io.Writer) error { return WriteText(out, g, true) })
	if strings.Contains(plain, "\x1b") {
		t.Error("colour where none was wanted")
	}
	if strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(colour) != plain {
		t.Error("colour changes the text")
	}
	for _, want := range []string{"1.000  \x1b[32mPASS\x1b[0m\n", "\x1b[33mNOT RUN\x1b[0m\n", "(\x1b[31mINVALID\x1b[0m)\n", "Verdict: \x1b[31mINVALID\x1b[0m\n"} {
		if !strings.Contains(colour, want) {
			t.Errorf("no %q in %q", want, colour)
		}
	}
	// What people wrote stays on its line.
	if want := "php: ruled: 2026-11-07, the owner: as wished, see the notes\n"; !strings.Contains(plain, want) {
		t.Errorf("no %q in\n%s", want, plain)
	}
}

func TestMarkdown(t *testing.T) {
	have := written(t, func(out io.Writer) error { return WriteMarkdown(out, mixedGate(t)) })
	if !strings.HasPrefix(have, MarkdownMarker+" h-s -->\n### h-s: b / a, policy parity (INVALID)\n") {
		t.Errorf("begins with %q", have[:min(100, len(have))])
	}
	for _, want := range []string{
		"| static | 1.000 / 1.000 / 1.000 | 1.000 | 0.2 | 1.000 | 1.000 | 1.000 | PASS |\n",
		"| php | 15 | 0.950 | 0.950 | 0.950 to 0.950 | >= 0.0 % | n/a | ruled |\n",
		"- node: NOT RUN: no node: &lt;b>\n",
	} {
		if !strings.Contains(have, want) {
			t.Errorf("no %q in\n%s", want, have)
		}
	}
}

// However many rows and flags there are, a comment can be posted; what is left out is
// told, and the verdict is there.
func TestMarkdownStaysShort(t *testing.T) {
	for _, test := range []struct {
		rows, fails int
		want        string
	}{
		{20, 0, "| row-19 |"},
		{300, 1, "| row-299 |"}, // every row, without the flags of those that passed
		{2000, 3, "1997 rows that passed, or are N/A, are not shown"},
		{2000, 2000, "Verdict: FAIL"},
	} {
		table := mixedGate(t)[0]
		row := table.Rows[0]
		fail := table.Rows[1]
		table.Rows = nil
		for i := range test.rows {
			r := row
			if i < test.fails {
				r = fail
			}
			r.Scenario = "row-" + decimals(float64(i), 0)
			r.Flags = []Flag{{"interfered", strings.Repeat("something ran. ", 20)}}
			table.Rows = append(table.Rows, r)
		}
		have := written(t, func(out io.Writer) error { return WriteMarkdown(out, Gate{table}) })
		if len(have) > MarkdownBytesMax || !strings.Contains(have, test.want) || !strings.Contains(have, "Verdict: ") {
			t.Errorf("%d rows, %d of them FAIL: %d bytes, no %q, ends %q", test.rows, test.fails, len(have), test.want, have[max(0, len(have)-200):])
		}
		if short := strings.Contains(have, shortened); short != (test.rows > 20) {
			t.Errorf("%d rows: told to be short: %v", test.rows, short)
		}
	}
}

func TestJSON(t *testing.T) {
	g := mixedGate(t)
	have := written(t, func(out io.Writer) error { return WriteJSON(out, g, "1.2") })
	var file struct {
		Schema, Version, Verdict string
		Tables                   []struct {
			Name string
			Rule map[string]any
			Rows []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(have), &file); err != nil {
		t.Fatal(err)
	}
	if file.Schema != "scalbench.gate/v1" || file.Version != "1.2" || file.Verdict != "INVALID" || len(file.Tables) != 1 || len(file.Tables[0].Rows) != 5 {
		t.Fatalf("%+v", file)
	}
	rule := file.Tables[0].Rule
	if rule["policy"] != "parity" || rule["max_margin"] != 0.05 || rule["min_rounds"] != 3.0 || rule["margin"] != nil {
		t.Errorf("rule %v", rule)
	}
	static, php, gone := file.Tables[0].Rows[0], file.Tables[0].Rows[1], file.Tables[0].Rows[4]
	if static["verdict"] != "PASS" || static["ratio"] != 1.0 || static["metric"] != "rps" || len(static["rounds"].([]any)) != 3 || static["effect"].(map[string]any)["pairs"] != 15.0 {
		t.Errorf("static %v", static)
	}
	if php["verdict"] != "FAIL" || php["ruling"].(map[string]any)["by"] != "the owner" || php["row"] != "php b/a" {
		t.Errorf("php %v", php)
	}
	// A number that was not measured is absent, never 0.
	for _, key := range []string{"ratio", "median", "p99", "effect", "base_runs", "limiter"} {
		if _, there := gone[key]; there {
			t.Errorf("a row without measurements has %s %v", key, gone[key])
		}
	}
}

func TestJUnit(t *testing.T) {
	have := written(t, func(out io.Writer) error { return WriteJUnit(out, mixedGate(t)) })
	var report junitSuites
	if err := xml.Unmarshal([]byte(have), &report); err != nil {
		t.Fatal(err)
	}
	// php fails; node and gone have no verdict; h3 is N/A.
	s := report.Suites[0]
	if report.Tests != 5 || report.Failures != 1 || report.Errors != 2 || s.Skipped != 1 || s.Cases[0].Failure != nil || s.Cases[1].Failure.Type != "FAIL" || s.Cases[2].Error.Type != "NOT RUN" {
		t.Errorf("%s", have)
	}
	// An estimate is no success even where all of its rows would pass.
	table, _ := judge(t, Evidence{Rounds: lab{3, nil}.evidence().Rounds[:1]}, parityRules())
	if s := table.junit(); s.Errors != 1 || s.Cases[len(s.Cases)-1].Error.Type != "ESTIMATE" {
		t.Errorf("%+v", s)
	}
}

// What is INVALID for want of anything to judge is an error where machines read it, too.
func TestNothingJudgedIsNoSuccess(t *testing.T) {
	impossible, err := Judge(lab{3, nil}.evidence(), parityRules())
	if err != nil {
		t.Fatal(err)
	}
	for i := range impossible.Rows {
		impossible.Rows[i].conclude(NotApplicable, "b: it has no h3")
	}
	for name, g := range map[string]Gate{"no table": nil, "no row": {{Name: "t"}}, "N/A alone": {impossible}} {
		var report junitSuites
		if err := xml.Unmarshal([]byte(written(t, func(out io.Writer) error { return WriteJUnit(out, g) })), &report); err != nil {
			t.Fatal(err)
		}
		if g.Verdict() != Invalid || report.Errors != 1 || report.Tests < 1 || report.Suites[0].Errors != 1 {
			t.Errorf("%s: %+v", name, report)
		}
		if have := written(t, func(out io.Writer) error { return WriteGitHub(out, g) }); !strings.Contains(have, "::error title=INVALID") {
			t.Errorf("%s: %s", name, have)
		}
	}
}

func TestGitHub(t *testing.T) {
	have := written(t, func(out io.Writer) error { return WriteGitHub(out, mixedGate(t)) })
	want := `::error title=FAIL (ruled) php b/a::php 0.950 FAIL (ruled), a loss of 5.0 %25 against a margin of 0.2 %25
::warning title=NOT RUN node b/a::node NOT RUN: no node: <b>
::error title=INVALID gone b/a::gone INVALID: a was not measured
::notice title=Verdict%3A INVALID::Worst: gone INVALID: a was not measured.
`
	if have != want {
		t.Errorf("have\n%swant\n%s", have, want)
	}
}

func TestBenchfmt(t *testing.T) {
	have := written(t, func(out io.Writer) error { return WriteBenchfmt(out, mixedGate(t)) })
	// 15 runs of 2 variants of 2 scenarios, the Units, a table.
	if lines := strings.Count(have, "\n"); lines != 60+4+2 {
		t.Errorf("%d lines", lines)
	}
	// cpu_us is 4e6/rps; p99 2 ms; 45 056 KiB are 44 MiB.
	if want := "BenchmarkScal/scenario=static/variant=a 1 1000 req/s 4000 cpu-us/req 2000000 p99-ns 44 peak-MiB\n"; strings.Count(have, want) != 3 {
		t.Errorf("no three of %q in\n%s", want, have)
	}
	// benchstat takes a number at the end for that of CPUs.
	table := mixedGate(t)[0]
	table.Rules.Compare = []Comparison{{Base: "a", New: "rc1-11"}}
	for i := range table.Rows {
		table.Rows[i].New = "rc1-11"
		for j := range table.Rows[i].Numbers.Rounds {
			for k := range table.Rows[i].Numbers.Rounds[j].New {
				table.Rows[i].Numbers.Rounds[j].New[k].Variant, table.Rows[i].Numbers.Rounds[j].New[k].Mode = "rc1-11", "multi"
			}
		}
	}
	have = written(t, func(out io.Writer) error { return WriteBenchfmt(out, Gate{table}) })
	for _, want := range []string{"scenario=static/variant=a-1 1 ", "BenchmarkScal/mode=multi/scenario=static/variant=rc1-11-1 1 "} {
		if !strings.Contains(have, want) {
			t.Errorf("no %q in\n%s", want, have)
		}
	}
}

func TestWriteWhy(t *testing.T) {
	g := mixedGate(t)
	have := written(t, func(out io.Writer) error { return WriteWhy(out, &g[0], &g[0].Rows[1]) })
	for _, want := range []string{
		"php b/a: FAIL (ruled)\nround 1\n",
		"  run 1, req/s              998      948         0.950\n",
		"policy parity, spread capped at 5.0 %, p99 at most 1.15, peak RSS at most 1.15\n",
		"  the loss of 5.0 % is not less than 0.2 %: FAIL\n",
		"pairs: 15, ratio 0.950 (Hodges-Lehmann)",
		"flag ruled: 2026-11-07, the owner: as wished, see the notes\n",
	} {
		if !strings.Contains(have, want) {
			t.Errorf("no %q in\n%s", want, have)
		}
	}
	whyOfCPU(t)
	if have, want := (Rule{Policy: NonInferior, MarginFrac: 0.01, MaxRounds: 6, Interval: ByPairs}).text(), "noninferior, margin 1.0 %, alpha 0.05, looks after rounds 3 to 6, spending obf, interval pairs"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

// Of a row that an application limits the runs and the spread are those of cpu_us, which
// decides; of a row under noninferior everything is there that decided: pairs, ranks, means of
// rounds, F, the p of the row and what Holm makes of it.
func whyOfCPU(t *testing.T) {
	t.Helper()
	e := lab{5, map[string]float64{"b": 950}}.evidence()
	e.Sessions[0].Plan.Scenarios[1].Bound = record.BoundApp
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	rules.CrossCheck = true
	table, rows := judge(t, e, rules)
	have := written(t, func(out io.Writer) error { return WriteWhy(out, &table, rows["php"]) })
	for _, want := range []string{
		// cpu_us is 4e6 / rps: 4e6/998 = 4008.02 and 4e6/948.1 = 4218.96.
		"  run 1, cpu_us         4008.02  4218.96         1.053\n",
		"  CV (n-1)                0.2 %    0.2 %  larger 0.2 %\n",
		"  that the ratio is worse than it may be has p < 0.001; as one of 2 such tests it has to be at most 0.050 (Holm)\n",
		"  ratio of each pair, round 3: 0.9500, 0.9500, 0.9500, 0.9500, 0.9500\n",
		"  signed-rank test: critical rank c = 30, so that the bounds are means 31 and 90 of the 120 means of two pairs, 0.950 to 0.950, each wrong with 0.0473\n",
		"  means of the rounds: 0.950 on average, 0.950 to 0.950 by Student's t with 2 degrees of freedom, each wrong with 0.05\n",
		"  bootstrap: 0.950 to 0.950, percentiles of 10 000 draws of rounds, and of pairs in them; of 3 rounds there are only 10 different draws\n",
		" with 2 and 12 degrees of freedom, p ",
		"  correlation of pairs with the ones before: ",
		"  to see a loss of 2.0 % nine times in ten takes 2 rounds like these (10 pairs), and there are 3\n",
	} {
		if !strings.Contains(have, want) {
			t.Errorf("no %q in\n%s", want, have)
		}
	}
	file := written(t, func(out io.Writer) error { return WriteJSON(out, Gate{table}, "") })
	for _, want := range []string{`"critical": 30`, `"means_of_rounds": {`, `"bootstrap": {`, `"p_limit": 0.05`, `"cpu_spread": `, `"need": {`, `"interval": "rounds"`} {
		if !strings.Contains(file, want) {
			t.Errorf("no %s in\n%s", want, file)
		}
	}
}
