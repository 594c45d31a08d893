package gate

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/scalws/scalbench/internal/record"
)

// What is written is what the reader of benchstat reads: every run with its numbers, a
// name whose keys are the row and the variant, and units of which the better side is
// known. A number that was not measured is none.
func TestBenchfmtIsRead(t *testing.T) {
	e := lab{5, map[string]float64{"b/php": 950}}.evidence()
	e.Name = "xeon-gate1"
	each(e, "b", "php", func(m *record.Measurement) { m.RSSKiB = record.Value{} })
	for _, r := range e.Rounds { // a variant whose name ends like a number of CPUs
		for i := range r.Measurements {
			if m := &r.Measurements[i]; m.Variant == "b" {
				m.Variant = "rc1-11"
			}
		}
		r.Identity.Differs[0].New = "rc1-11"
	}
	rules := parityRules()
	rules.Compare[0].New = "rc1-11"
	table, _ := judge(t, e, rules)
	reader := benchfmt.NewReader(strings.NewReader(written(t, func(out io.Writer) error { return WriteBenchfmt(out, Gate{table}) })), "gate.bench")
	runs := map[string]int{}
	for reader.Scan() {
		switch line := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(line)
		case *benchfmt.Result:
			holdsRun(t, line, runs)
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	// Three rounds of five runs.
	for _, name := range []string{"static a", "static rc1-11", "php a", "php rc1-11"} {
		if runs[name] != 15 {
			t.Errorf("%d runs of %s", runs[name], name)
		}
	}
	for unit, want := range map[string]string{"req/s": "higher", "cpu-us/req": "lower", "p99-ns": "lower", "peak-MiB": "lower"} {
		if have := reader.Units().Get(unit, "better"); have == nil || have.Value != want {
			t.Errorf("%s: %v, want better=%s", unit, have, want)
		}
	}
}

// holdsRun holds one line against the run that it is of, and counts it.
func holdsRun(t *testing.T, line *benchfmt.Result, runs map[string]int) {
	t.Helper()
	keys := map[string]string{}
	base, parts := line.Name.Parts()
	for _, part := range parts {
		if key, value, is := bytes.Cut(part, []byte("=")); is {
			keys[string(key)] = string(value)
		}
	}
	scenario, variant := keys["/scenario"], keys["/variant"]
	if string(base) != "Scal" || line.GetConfig("table") != "xeon-gate1" || line.Iters != 1 {
		t.Fatalf("name %s, table %s, %d iterations", line.Name, line.GetConfig("table"), line.Iters)
	}
	runs[scenario+" "+variant]++
	// The lab's cpu_us is 4e6 / rps, its p99 2 ms, its RSS 45 056 KiB. benchstat turns
	// nanoseconds into seconds.
	rps, has := line.Value("req/s")
	if want := map[bool]float64{false: 1000, true: 950}[variant == "rc1-11" && scenario == "php"]; !has || math.Abs(rps/want-1) > 0.003 {
		t.Errorf("%s of %s: %v req/s", scenario, variant, rps)
	}
	if cpu, _ := line.Value("cpu-us/req"); math.Abs(cpu*rps/4e6-1) > 1e-9 {
		t.Errorf("%s of %s: %v cpu-us/req at %v req/s", scenario, variant, cpu, rps)
	}
	if p99, _ := line.Value("p99-sec"); p99 != 0.002 {
		t.Errorf("%s of %s: p99 %v s", scenario, variant, p99)
	}
	mib, measured := line.Value("peak-MiB")
	if want := scenario != "php" || variant == "a"; measured != want || measured && mib != 44 {
		t.Errorf("%s of %s: %v MiB, %v", scenario, variant, mib, measured)
	}
}
