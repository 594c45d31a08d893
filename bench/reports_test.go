package bench_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/suite"
)

// reportSuite is a suite of suites/reports, and what the reports say of it.
type reportSuite struct {
	name string

	// Which table it is: of testdata/golden, or, where that has none, rows and variants.
	golden string // table, or table/mode
	rows   string
	base   string
	new    string

	rounds, runs int
	each         time.Duration // warm-up and window

	begin, end string // as printed, of the same zone; "": they are not
}

const (
	release   = 40 * time.Second // "10 s warm-up, 30 s measurement"
	instances = 20 * time.Second // "5 runs of 5 s + 15 s per round"
)

// reportSuites are all of them.
var reportSuites = []reportSuite{
	// "Rounds 2026-11-06 21:00 to 2026-11-07 00:12, results/xeon-gate1-{1,2,3}."
	{name: "gate1", golden: "xeon-gate1", rounds: 3, runs: 5, each: release, begin: "2026-11-06 21:00", end: "2026-11-07 00:12"},
	{name: "gate2-sa", golden: "xeon-gate2-sa", rounds: 3, runs: 5, each: release},
	{name: "gate2-sa-check", golden: "xeon-gate2-sa-prose/standalone cache=check", rounds: 3, runs: 5, each: release},
	{name: "gate2-sa-h3", golden: "xeon-gate2-sa-prose/standalone h3 cache=off", rounds: 3, runs: 5, each: release},
	{name: "gate2-inst", golden: "xeon-gate2-inst", rounds: 3, runs: 5, each: instances},
	// "bench/musl-gate.sh, rounds 2026-11-07 07:07 to 10:20, results/xeon-gate3-{1,2,3}."
	{name: "gate3", golden: "xeon-gate3", rounds: 3, runs: 5, each: release, begin: "2026-11-07 07:07", end: "2026-11-07 10:20"},
	// "rounds 2026-11-07 13:12 to 14:59, results/xeon-gate3b-{1,2,3}."
	{name: "gate3b", golden: "xeon-gate3b", rounds: 3, runs: 5, each: release, begin: "2026-11-07 13:12", end: "2026-11-07 14:59"},
	// "Rounds 2026-11-07 23:05 to 2026-11-08 01:14, results/xeon-gate3p-{1,2,3}."
	{name: "gate3p", golden: "xeon-gate3p", rounds: 3, runs: 5, each: release, begin: "2026-11-07 23:05", end: "2026-11-08 01:14"},
	// "Rounds 2026-11-07 19:32 to 22:20, results/xeon-rcon-{1,2,3}". The other runner
	// "measured rounds 1 to 3 from 16:47 to 19:30": its first round overlapped a build.
	{name: "rcon", golden: "xeon-rcon", rounds: 3, runs: 5, each: release, begin: "2026-11-07 19:32", end: "2026-11-07 22:20"},
	// "results/xeon-rcapps2-{1,2,3} (2026-11-08 01:16 to 01:58)."
	{name: "rcapps2", golden: "xeon-rcapps2", rounds: 3, runs: 5, each: release, begin: "2026-11-08 01:16", end: "2026-11-08 01:58"},
	// "run three times (rounds 1-3, 2026-10-27 22:46 to 2026-10-28 00:54 local)."
	{name: "el8-build", golden: "xeon-el8-build", rounds: 3, runs: 5, each: release, begin: "2026-10-27 22:46", end: "2026-10-28 00:54"},
	{name: "gateway-ab", rows: "static-small respond proxy cache-hit", base: "base", new: "new scoped", rounds: 1, runs: 5, each: release},
	{name: "gateway-ab-cache", rows: "cache-hit", base: "base", new: "new scoped", rounds: 1, runs: 5, each: release},
	// "An estimate on the host toolchain (one round of 3 runs, sandbox on against rc.1-11)
	// gave 1.21 static-small, 1.36 respond, 1.42 proxy, 1.46 cache-hit, 1.35 tls-h2, 1.11 php".
	{name: "pgo-estimate", rows: "static-small respond proxy cache-hit tls-h2-static-small php", base: "rc1-11", new: "on", rounds: 1, runs: 3, each: release},
	// The table "calls per request".
	{name: "syscalls", rows: "respond cache-hit proxy static-small tls-h2-static-small static-1m proxy-churn php", new: "on", rounds: 1, runs: 1, each: release},
	{name: "syscalls-check", rows: "static-small", new: "on", rounds: 1, runs: 1, each: release},
	// "Still to run": "scenarios static-small, static-1m, respond, proxy, cache-hit,
	// tls-h2-static-small, php, node, python", "three rounds", "--base noh3 --new h3".
	{name: "h3-feature", rows: "static-small static-1m respond proxy cache-hit tls-h2-static-small php node python", base: "noh3", new: "h3", rounds: 3, runs: 5, each: release},
	// "Still to run": "scenario h3-static-small with the open-file cache off and with
	// OPEN_FILE_CACHE=check, three rounds", "--base off --new on".
	{name: "h3-sandbox", rows: "h3-static-small", base: "off", new: "on", rounds: 3, runs: 5, each: release},
	{name: "h3-sandbox-check", rows: "h3-static-small", base: "off", new: "on", rounds: 3, runs: 5, each: release},
	// "the http3 PGO build against the plain build of the first gate run".
	{name: "h3-new-install", rows: "h3-static-small", base: "plain-off", new: "on", rounds: 3, runs: 5, each: release},
}

const reportsDir = "suites/reports"

// Every suite there is one of a table, and the other way round.
func TestReportSuitesAreAll(t *testing.T) {
	files, err := filepath.Glob(reportsDir + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names, tables []string
	for _, r := range reportSuites {
		names = append(names, filepath.Join(reportsDir, r.name+".yaml"))
		tables = append(tables, r.golden)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(names)), files); diff != "" {
		t.Errorf("suites, -want +got\n%s", diff)
	}
	for _, row := range goldenRows(t) {
		if !slices.Contains(tables, row.table) && !slices.Contains(tables, row.table+"/"+row.mode) {
			t.Errorf("table %s, mode %q: no suite", row.table, row.mode)
		}
	}
}

// A dry run lists exactly the measurements of the table, whatever this host has: they were
// made on another. They would take as long as the report says they took, within 5 %.
func TestReportSuitesForesee(t *testing.T) {
	for _, r := range reportSuites {
		t.Run(r.name, func(t *testing.T) {
			p := foresee(t, driver.Order{Suites: []string{r.file()}})
			got := slices.Sorted(slices.Values(p.Keys))
			if diff := cmp.Diff(slices.Sorted(slices.Values(r.measurements(t))), got); diff != "" || len(p.Gaps) != 0 {
				t.Errorf("gaps %q; measurements, -want +got\n%s", p.Gaps, diff)
			}
			if p.Warmup+p.Measure != r.each || p.Rounds != r.rounds || p.Runs != r.runs {
				t.Errorf("%d rounds of %d runs of %v + %v", p.Rounds, p.Runs, p.Warmup, p.Measure)
			}
			if r.begin == "" {
				return
			}
			took := clock(t, r.end).Sub(clock(t, r.begin))
			if off := p.Takes.Seconds()/took.Seconds() - 1; off < -0.05 || off > 0.05 {
				t.Errorf("about %v, %.1f %% off %v", p.Takes, 100*off, took)
			}
		})
	}
}

// With the embedded target in the place of every server all of it can be played.
func TestReportSuitesStandIn(t *testing.T) {
	for _, r := range reportSuites {
		want := foresee(t, driver.Order{Suites: []string{r.file()}})
		p := foresee(t, driver.Order{Suites: []string{r.file()}, StandIn: true})
		if diff := cmp.Diff(want.Keys, p.Keys); diff != "" || len(p.Gaps) != 0 || p.StandIn == "" || p.Suite != r.name+"-stand-in" {
			t.Errorf("%s: suite %s, %q, gaps %q; measurements, -want +got\n%s", r.name, p.Suite, p.StandIn, p.Gaps, diff)
		}
	}
}

// The two variants of each comparison have configurations that differ in the lines which
// the report is about, and in no other.
func TestReportConfigurations(t *testing.T) {
	for name, want := range map[string][]string{
		"gate1":      nil, // builds
		"gate2-sa":   {"-sandbox: off", "+sandbox: on"},
		"gate2-inst": {"-sandbox: off", "+sandbox: on"},
		"h3-sandbox": {"-sandbox: off", "+sandbox: on"},
		"rcon":       {"+sandbox: on"},
		"gateway-ab": {"+        listeners: [http, https]", "+        listeners: [http, https]", "+        listeners: [http, https]", "+        listeners: [http, https]"},
	} {
		s, err := suite.Parser{}.Load(filepath.Join(reportsDir, name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		last := s.Compare[len(s.Compare)-1]
		base, new := effective(t, s, last.Base), effective(t, s, last.New)
		if diff := cmp.Diff(want, lineDiff(base, new)); diff != "" {
			t.Errorf("%s: lines that differ, -want +got\n%s", name, diff)
		}
		if h3 := strings.Contains(base, "\n    http3: true\n"); h3 != (name == "h3-sandbox" || name == "gateway-ab") {
			t.Errorf("%s: http3 is in the configuration: %t", name, h3)
		}
	}
}

func (r reportSuite) file() string { return filepath.Join(reportsDir, r.name+".yaml") }

// measurements are those of the table, as a dry run names them.
func (r reportSuite) measurements(t *testing.T) (all []string) {
	var cells []string // variant, row
	for _, row := range goldenRows(t) {
		switch r.golden {
		case row.table:
			mode, suffix := "", ""
			if row.mode == "multi" || row.mode == "single" {
				mode, suffix = row.mode+"/", "-"+row.mode
			}
			cells = append(cells, row.base+suffix+", "+mode+row.scenario, row.new+suffix+", "+mode+row.scenario)
		case row.table + "/" + row.mode:
			cells = append(cells, row.base+", "+row.scenario, row.new+", "+row.scenario)
		}
	}
	for _, variant := range strings.Fields(r.base + " " + r.new) {
		for _, row := range strings.Fields(r.rows) {
			cells = append(cells, variant+", "+row)
		}
	}
	for round := 1; round <= r.rounds; round++ {
		for run := 1; run <= r.runs; run++ {
			for _, cell := range cells {
				all = append(all, fmt.Sprintf("round %d, run %d, %s", round, run, cell))
			}
		}
	}
	return all
}

// goldenRow is a row of the published tables.
type goldenRow struct{ table, mode, scenario, base, new string }

func goldenRows(t *testing.T) (rows []goldenRow) {
	t.Helper()
	file, err := os.Open("../testdata/golden/gates.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// report,gate,table,mode,scenario,base,new,...
	for _, line := range lines[1:] {
		rows = append(rows, goldenRow{line[2], line[3], line[4], line[5], line[6]})
	}
	return rows
}

func foresee(t *testing.T, order driver.Order) driver.Preview {
	t.Helper()
	previews, err := driver.Foresee(order, driver.Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	return previews[0]
}

// clock reads a time as the reports print them.
func clock(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// effective is the configuration that a variant would run with.
func effective(t *testing.T, s *suite.Suite, variant string) string {
	t.Helper()
	i := slices.IndexFunc(s.Variants, func(v suite.Variant) bool { return v.Name == variant })
	v, err := s.Variants[i].Expand(suite.Values{Config: "c", Dir: "d", Instance: "gw1", Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	source, _ := s.Source(v.Config.From)
	text, err := v.Config.Effective(source)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lineDiff are the lines that only one text has: all that there are when the others
// stand in the same order.
func lineDiff(before, after string) (lines []string) {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(a) > 0 && !slices.Contains(b, a[0]):
			lines, a = append(lines, "-"+a[0]), a[1:]
		case len(b) > 0:
			lines, b = append(lines, "+"+b[0]), b[1:]
		default:
			lines, a = append(lines, "-"+a[0]), a[1:]
		}
	}
	return lines
}
