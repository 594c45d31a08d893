package gate

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"testing/fstest"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// A gate of 3 rounds x 5 runs x 11 scenarios x 3 variants is read and judged, with a bootstrap
// of every row. The time is printed, not asserted.
func TestReadAndJudge(t *testing.T) {
	const rounds, runs, scenarios = 3, 5, 11
	variants := []string{"base", "new", "scoped"}
	fsys := fstest.MapFS{}
	write := func(name string, write func(out io.Writer) error) {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: out.Bytes()}
	}
	for round := 1; round <= rounds; round++ {
		dir := "results/" + record.RoundDir("xeon", "gate", round) + "/"
		var all []record.Measurement
		for run := 1; run <= runs; run++ {
			for v, variant := range variants {
				var one []record.Measurement
				for s := range scenarios {
					rps := 1000*float64(s+1) + float64(v+run)
					one = append(one, record.Measurement{
						Session: "s1", Round: round, Run: run, Variant: variant, Scenario: fmt.Sprintf("scenario-%d", s),
						DurationSeconds: record.Of(30), Requests: uint64(30 * rps), RPS: record.Of(rps), P99Millis: record.Of(1.5), CPUMicros: record.Of(4e6 / rps), RSSKiB: record.Of(45000),
					})
				}
				write(dir+record.RunDir(run, variant)+"/summary.csv", func(out io.Writer) error { return record.WriteSummary(out, one) })
				all = append(all, one...)
			}
		}
		write(dir+"aggregate.csv", func(out io.Writer) error { return record.WriteAggregate(out, record.Summarize(all)) })
	}

	rules := Rules{Rule: DefaultRule(Parity), Compare: []Comparison{{Base: "base", New: "new"}, {Base: "new", New: "scoped"}, {Base: "base", New: "scoped"}}}
	rules.CrossCheck = true

	start := time.Now()
	var e Evidence
	for round := 1; round <= rounds; round++ {
		r, err := record.ReadRound(fsys, "results/"+record.RoundDir("xeon", "gate", round))
		if err != nil {
			t.Fatal(err)
		}
		e.Rounds = append(e.Rounds, r)
	}
	table, err := Judge(e, rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d measurements read and judged in %v", rounds*runs*scenarios*len(variants), time.Since(start))
	if len(table.Rows) != 3*scenarios || !table.Rows[0].Effect.Drawn.known() || table.Verdict() != Pass || len(table.Rows[0].Numbers.Rounds) != rounds {
		t.Errorf("%d rows, %s", len(table.Rows), table.Verdict())
	}
}
