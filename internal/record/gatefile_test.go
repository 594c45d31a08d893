package record

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The published tables and what a gate writes are one format.
func TestReadPublishedGate(t *testing.T) {
	f, err := os.Open("../../testdata/golden/gates.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ReadGate(f, "gates.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 69 {
		t.Fatalf("%d rows, want 69", len(rows))
	}
	want := GateRow{
		Report: "1.0.0-gates-2026-11-08", Gate: "gate2", Table: "xeon-gate2-inst", Mode: "single", Scenario: "php", Base: "off", New: "on",
		Ratios: []Value{Of(0.982), Of(0.947), Of(0.911)}, Median: Of(0.947), SpreadPercent: Of(6), P99: Of(1.045), CPU: Of(1.024), RSS: Of(1), Verdict: "FAIL",
	}
	if diff := cmp.Diff(want, rows[32], cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
}

func TestGateRoundTrip(t *testing.T) {
	row := func(verdict string, ratios ...Value) GateRow {
		return GateRow{Table: "t", Mode: "standalone cache=check", Scenario: "php", Base: "off", New: "on", Ratios: ratios, Median: median(ratioNumbers(ratios)), Verdict: verdict}
	}
	full := row("PASS", Of(1.01), Of(0.99), Of(1), Of(1.02), Of(1.03))
	full.CILo, full.CIHi, full.Level, full.MDE, full.Flags = Of(0.995), Of(1.005), Of(0.05), Of(0.011), []string{"not-server-bound", "flip@12"}
	want := []GateRow{full, row("NOT RUN"), row("INVALID", Of(0.9))}
	var out strings.Builder
	if err := WriteGate(&out, want); err != nil {
		t.Fatal(err)
	}
	if header, _, _ := strings.Cut(out.String(), "\n"); header != "report,gate,table,mode,scenario,base,new,r1,r2,r3,r4,r5,median,spread_pct,p99,cpu_us,rss,verdict,ci_lo,ci_hi,level,mde,flags" {
		t.Errorf("header %s", header)
	}
	have, err := ReadGate(strings.NewReader(out.String()), "gate.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
}

func TestGateFaults(t *testing.T) {
	const header = "report,gate,table,mode,scenario,base,new,r1,r2,r3,median,spread_pct,p99,cpu_us,rss,verdict\n"
	tests := []struct {
		name, line string
		want       []string
	}{
		{"a gap", ",,t,,php,off,on,1.1,,1.2,1.1,1,,,,PASS", []string{":2: r2: -, expected the ratio of a round"}},
		{"a ratio of 0", ",,t,,php,off,on,0,1,1,1,1,,,,PASS", []string{":2: r1: 0, expected"}},
		{"another median", ",,t,,php,off,on,1.1,1.2,1.3,1.3,1,,,,PASS", []string{":2: median: 1.3, but that of the ratios is 1.2"}},
		{"no verdict", ",,t,,php,off,on,1.1,1.2,1.3,1.2,1,,,,", []string{":2: verdict: nothing"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadGate(strings.NewReader(header+test.line+"\n"), "gate.csv")
			wantFaults(t, err, test.want...)
		})
	}
}
