package gate

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// publishedTable compares a grid with the lines of a report, byte for byte.
func publishedTable(t *testing.T, name string, g Grid, aligned bool) {
	t.Helper()
	want, err := os.ReadFile(golden + "tables/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	var have strings.Builder
	if err := g.Markdown(&have, aligned); err != nil {
		t.Fatal(err)
	}
	if have.String() != string(want) {
		t.Errorf("have\n%swant\n%s", have.String(), want)
	}
}

func TestRatioTables(t *testing.T) {
	g, err := JudgePublished(published(t), DefaultRule(Parity))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, table := range g {
		if _, err := os.Stat(golden + "tables/" + table.Name + ".md"); err != nil {
			continue // published in sentences, or in another layout
		}
		compared++
		t.Run(table.Name, func(t *testing.T) {
			publishedTable(t, table.Name, table.RatioGrid(table.Rules.Compare[0]), false)
		})
	}
	if compared != 8 {
		t.Errorf("%d tables compared, want 8", compared)
	}
}

// el8Table is the table of the el8 build, made of the rates of its rounds and the
// pooled medians, as both were printed.
func el8Table(t *testing.T) Table {
	table := Table{Name: "xeon-el8-build", Rules: Rules{Rule: DefaultRule(Parity), Compare: []Comparison{{Base: "rc1-11", New: "el8"}}}}
	for _, line := range csvFile(t, "el8-pooled.csv") {
		row := Row{Comparison: table.Rules.Compare[0], Scenario: line["scenario"], Numbers: noNumbers()}
		n := &row.Numbers
		for _, raw := range csvFile(t, "el8-raw-rps.csv") {
			if raw["scenario"] != row.Scenario {
				continue
			}
			none := math.NaN()
			r := RoundNumbers{BaseRPS: number(t, raw["base_rps"]), NewRPS: number(t, raw["new_rps"]),
				P99: none, CPU: none, RSS: none, Spread: none, CPUSpread: none}
			r.Ratio = r.NewRPS / r.BaseRPS
			n.Rounds = append(n.Rounds, r)
		}
		n.combine()
		n.Base = Pooled{Runs: 15, RPS: number(t, line["base_rps_pooled"]), CPUMicros: number(t, line["base_cpu_us"]), P99Millis: number(t, line["base_p99_ms"])}
		n.New = Pooled{Runs: 15, RPS: number(t, line["new_rps_pooled"]), CPUMicros: number(t, line["new_cpu_us"]), P99Millis: number(t, line["new_p99_ms"])}
		n.Pooled = n.New.RPS / n.Base.RPS
		row.decide(table.Rules.Rule)
		table.Rows = append(table.Rows, row)
	}
	return table
}

// From the rates of the rounds to ratios, to medians, to verdicts; and the pooled ratios
// beside them, which decide nothing.
func TestEl8(t *testing.T) {
	table := el8Table(t)
	raw := csvFile(t, "el8-raw-rps.csv")
	for i, line := range csvFile(t, "el8-pooled.csv") {
		row := table.Rows[i]
		t.Run("xeon-el8-build/"+row.Scenario, func(t *testing.T) {
			for j, r := range row.Numbers.Rounds {
				if want := raw[3*i+j]["ratio"]; ratioText(r.Ratio) != want || raw[3*i+j]["scenario"] != row.Scenario {
					t.Errorf("round %d: %s, published %s", j+1, ratioText(r.Ratio), want)
				}
			}
			if have := ratioText(row.Numbers.Value); have != line["median_ratio"] {
				t.Errorf("median %s, published %s", have, line["median_ratio"])
			}
			if have := ratioText(row.Numbers.Pooled); have != line["pooled_ratio"] {
				t.Errorf("pooled %s, published %s", have, line["pooled_ratio"])
			}
			if row.Word() != line["verdict"] {
				t.Errorf("%s, published %s", row.Word(), line["verdict"])
			}
		})
	}
}

func TestEl8Tables(t *testing.T) {
	table := el8Table(t)
	publishedTable(t, "xeon-el8-build-rounds", table.RoundGrid(table.Rules.Compare[0]), false)
	publishedTable(t, "xeon-el8-build-pooled", table.PooledGrid(table.Rules.Compare[0]), false)
}

// gatewayTables are the first measurement and the repeat of the gateway check.
func gatewayTables(t *testing.T) (first, again Table) {
	compare := []Comparison{{Base: "base", New: "new"}, {Base: "new", New: "scoped"}}
	first = Table{Name: "xeon-gateway-ab", Rules: Rules{Rule: DefaultRule(Fixed), Compare: compare}}
	again = first
	again.Name = "xeon-gateway-ab-cache"
	for _, line := range csvFile(t, "gateway.csv") {
		pooled := map[string]Pooled{}
		for _, v := range []string{"base", "new", "scoped"} {
			pooled[v] = Pooled{Runs: 5, RPS: number(t, line[v+"_rps"]), CPUMicros: number(t, line["cpu_us_"+v]), P99Millis: number(t, line["p99_ms_"+v]),
				RSSKiB: 1024 * number(t, line["rss_mib_"+v]), RPSMin: number(t, line[v+"_min"]), RPSMax: number(t, line[v+"_max"]), CV: number(t, line[v+"_cv"]) / 100}
		}
		table := &first
		if line["table"] == again.Name {
			table = &again
		}
		for _, c := range compare {
			row := Row{Comparison: c, Scenario: line["scenario"], Numbers: noNumbers()}
			n := &row.Numbers
			base, new := pooled[c.Base], pooled[c.New]
			n.Rounds = []RoundNumbers{{BaseRPS: base.RPS, NewRPS: new.RPS, Ratio: new.RPS / base.RPS, P99: new.P99Millis / base.P99Millis,
				CPU: new.CPUMicros / base.CPUMicros, RSS: new.RSSKiB / base.RSSKiB, Spread: math.Max(base.CV, new.CV), CPUSpread: math.NaN()}}
			n.combine()
			n.Base, n.New, n.Pooled = base, new, new.RPS/base.RPS
			row.decide(table.Rules.Rule)
			table.Rows = append(table.Rows, row)
		}
	}
	return first, again
}

func TestGateway(t *testing.T) {
	first, again := gatewayTables(t)
	lines := csvFile(t, "gateway.csv")
	scenarios := append(first.scenarios(), again.scenarios()...)
	if len(scenarios) != len(lines) {
		t.Fatalf("%d rows, published %d", len(scenarios), len(lines))
	}
	for i, line := range lines {
		t.Run(line["table"]+"/"+line["scenario"], func(t *testing.T) {
			rows := scenarios[i]
			if have := ratioText(rows[0].Numbers.Value); have != line["new_base"] {
				t.Errorf("new / base %s, published %s", have, line["new_base"])
			}
			if have := ratioText(rows[1].Numbers.Value); have != line["scoped_new"] {
				t.Errorf("scoped / new %s, published %s", have, line["scoped_new"])
			}
			if have, want := joined(rows), strings.TrimSuffix(line["verdict"], " (repeat)"); have != want {
				t.Errorf("%s, published %s: %v", have, want, rows[0].Why)
			}
		})
	}
	if first.Estimate != "" || first.Verdict() != Borderline || again.Verdict() != Pass {
		t.Errorf("the tables are %s and %s", first.Verdict(), again.Verdict())
	}
	if have, want := (Gate{first}).WorstSentence(), "Worst: cache-hit new / base 0.978 BORDERLINE, below 0.98 by less than its spread."; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}

// The cache-hit row was BORDERLINE, and the repeat decided it: both are told.
func TestGatewayRepeat(t *testing.T) {
	first, again := gatewayTables(t)
	resolved := 0
	for i := range first.Rows {
		row := &first.Rows[i]
		row.First = row.Verdict
		for _, r := range again.Rows {
			if r.cell() == row.cell() && r.Comparison == row.Comparison {
				row.resolve(r, "xeon-gateway-ab-cache")
				row.flagRepeats()
				resolved++
			}
		}
	}
	if resolved != 2 || first.Verdict() != Pass {
		t.Fatalf("%d rows, the table is %s", resolved, first.Verdict())
	}
	row := &first.Rows[slices.IndexFunc(first.Rows, func(r Row) bool { return r.Is("cache-hit new/base") })]
	if row.First != Borderline || row.Verdict != Pass || row.Short != "below 0.98 by less than its spread, then 0.991 PASS in a repeat" {
		t.Errorf("%s, then %s: %q", row.First, row.Verdict, row.Short)
	}
	// The cells of the published lines: that of the table, and that of the repeat.
	published := csvFile(t, "gateway.csv")
	if have := joined(first.scenarios()[3]); have != published[3]["verdict"]+", then "+published[4]["verdict"] || published[4]["table"] != again.Name {
		t.Errorf("cell %q, published %q and %q", have, published[3]["verdict"], published[4]["verdict"])
	}
	lines := strings.Join(first.footnotes(), "\n")
	for _, want := range []string{
		"cache-hit new / base, repeated: cache-hit: 0.991, median 0.991: PASS",
		"cache-hit new / base: repeated: BORDERLINE, then PASS",
		"cache-hit scoped / new: repeated: a repeat decides BORDERLINE and INCONCLUSIVE alone, and PASS stays",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}

func TestGatewayTable(t *testing.T) {
	first, _ := gatewayTables(t)
	publishedTable(t, "xeon-gateway-ab", first.VariantGrid(), true)
	// "Spread of the five runs (req/s, min to max, CV)", as in the report.
	for i, want := range []string{"68 462-69 077 (0.4 %)", "66 704-68 859 (1.3 %)", "67 407-68 331 (0.5 %)"} {
		p := []Pooled{first.Rows[0].Numbers.Base, first.Rows[0].Numbers.New, first.Rows[1].Numbers.New}[i]
		if have := p.SpreadLine(); have != want {
			t.Errorf("%s, published %s", have, want)
		}
	}
}

// Five values with the published smallest, largest and median of cache-hit, new, have
// a CV of at most 1.198 % with n-1 and at most 1.071 % with n (the other two at the
// ends). 1.2 % was published: it is n-1.
func TestCVIsOfASample(t *testing.T) {
	have := cv([]float64{82510, 82510, 83373, 84506, 84506})
	if have < 0.0119 || have > 0.012 || spreadText(have) != "1.2" {
		t.Errorf("CV %v", have)
	}
}

func TestGridText(t *testing.T) {
	g := Grid{Columns: []Column{{"scenario", false}, {"median", true}, {"gate", false}},
		Rows: [][]string{{"static-small", "0.998", "PASS"}, {"php", "n/a", "NOT RUN"}}}
	var have strings.Builder
	if err := g.Text(&have); err != nil {
		t.Fatal(err)
	}
	want := "scenario      median  gate\nstatic-small   0.998  PASS\nphp              n/a  NOT RUN\n"
	if have.String() != want {
		t.Errorf("have\n%swant\n%s", have.String(), want)
	}
}

// One word stands for all comparisons of a scenario, and it is the gravest in the end: what a
// repeat made of another one, or somebody ruled on it, does not hide it.
func TestJoined(t *testing.T) {
	ruling := &record.Ruling{}
	for _, test := range []struct {
		rows []*Row
		want string
	}{
		{[]*Row{{First: Pass, Verdict: Pass}, {First: Borderline, Verdict: Pass}}, "borderline, then pass (repeat)"},
		{[]*Row{{First: Borderline, Verdict: Pass}, {First: Borderline, Verdict: Fail}}, "borderline, then fail (repeat)"},
		{[]*Row{{First: Borderline, Verdict: Fail}, {First: Borderline, Verdict: Pass}}, "borderline, then fail (repeat)"},
		{[]*Row{{First: Borderline, Verdict: Pass}, {First: Borderline, Verdict: Borderline}}, "borderline"},
		{[]*Row{{First: Fail, Verdict: Fail, Ruling: ruling}, {First: Fail, Verdict: Fail}}, "fail"},
		{[]*Row{{First: Fail, Verdict: Fail, Ruling: ruling}, {First: Pass, Verdict: Pass}}, "fail (ruled)"},
	} {
		if have := joined(test.rows); have != test.want {
			t.Errorf("have %q, want %q", have, test.want)
		}
	}
}
