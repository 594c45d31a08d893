package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// BenchmarkGate is the whole command over 3 rounds x 5 runs x 11 scenarios x 3 variants,
// with the result of each measurement beside it, ten earlier sessions and every output.
// It should take less than a second:
//
//	go test ./cmd/scalbench -run '^$' -bench Gate -benchtime 5x
func BenchmarkGate(b *testing.B) {
	dir := b.TempDir()
	day := time.Date(2026, 11, 6, 0, 0, 0, 0, time.UTC)
	for i := range pastJudged + 1 {
		s := wideSession{base: filepath.Join(dir, fmt.Sprintf("xeon-gate%d", i)), start: day.AddDate(0, 0, i-pastJudged), results: i == pastJudged}
		if err := s.write(); err != nil {
			b.Fatal(err)
		}
	}
	args := []string{"gate", filepath.Join(dir, fmt.Sprintf("xeon-gate%d.session", pastJudged))}
	for _, name := range []string{"gate.txt", "gate.md", "gate.csv", "gate.json", "gate.bench", "gate.xml"} {
		args = append(args, "--out", filepath.Join(dir, name))
	}
	for b.Loop() {
		var out, told bytes.Buffer
		root := newRoot(streams{out: &out, err: &told})
		root.SetArgs(args)
		if err := root.Execute(); err != nil || !strings.Contains(out.String(), "Verdict: PASS") {
			b.Fatalf("%v\n%s%s", err, out.String(), told.String())
		}
	}
}

// wideSession is a session as large as those of the reports.
type wideSession struct {
	base    string
	start   time.Time
	results bool // a result beside each measurement
}

func (s *wideSession) variants() []string { return []string{"base", "new", "scoped"} }

const wideScenarios = 11

func (s *wideSession) write() error {
	id := filepath.Base(s.base)
	plan := &record.Plan{
		Session: id, CreatedUTC: s.start, Suite: "gate", Host: "xeon", Preset: "release", Rounds: 3, Runs: 5, WarmupSeconds: 10, MeasureSeconds: 30,
		Compare: []record.PlanComparison{{Base: "base", New: "new"}, {Base: "new", New: "scoped"}},
	}
	for _, v := range s.variants() {
		plan.Variants = append(plan.Variants, record.PlanVariant{Name: v})
	}
	for i := range wideScenarios {
		plan.Scenarios = append(plan.Scenarios, record.PlanScenario{Name: fmt.Sprintf("scenario-%d", i)})
	}
	host := &record.Host{Session: id, Name: "xeon", Fixed: map[string]string{"kernel": "6.12"}}
	writes := map[string]func(out io.Writer) error{
		"/plan.json":      func(out io.Writer) error { return record.WritePlan(out, plan) },
		"/host.json":      func(out io.Writer) error { return record.WriteHost(out, host) },
		"/journal.ndjson": s.journal,
	}
	for name, write := range writes {
		if err := writeThrough(s.base+".session"+name, write); err != nil {
			return err
		}
	}
	for round := 1; round <= plan.Rounds; round++ {
		if err := s.round(id, round, plan.Runs); err != nil {
			return err
		}
	}
	return nil
}

// journal has what a driver writes: four events a measurement.
func (s *wideSession) journal(out io.Writer) error {
	e := record.Event{UTC: s.start, MonoNS: 1, Session: filepath.Base(s.base), Kind: record.SessionStarted}
	if err := record.AppendEvent(out, e); err != nil {
		return err
	}
	for i := range 3 * 5 * wideScenarios * len(s.variants()) {
		for _, kind := range []record.EventKind{record.Planned, record.Started, record.Measured, record.Accepted} {
			e.Kind, e.Round, e.Run, e.Variant, e.Scenario, e.Attempt = kind, 1+i%3, 1+i%5, "base", "scenario-1", 1
			if err := record.AppendEvent(out, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *wideSession) round(id string, round, runs int) error {
	dir := fmt.Sprintf("%s-%d/", s.base, round)
	var all []record.Measurement
	for run := 1; run <= runs; run++ {
		for v, variant := range s.variants() {
			var one []record.Measurement
			for i := range wideScenarios {
				rps := 1000*float64(i+1) + float64((7*run+3*v+5*round)%11)
				one = append(one, record.Measurement{
					Session: id, Round: round, Run: run, Slot: v + 1, Variant: variant, Scenario: fmt.Sprintf("scenario-%d", i),
					StartUTC: s.start.Add(time.Duration(round*100+run*10+v) * time.Minute), DurationSeconds: record.Of(30),
					Requests: uint64(30 * rps), RPS: record.Of(rps), Status2xx: uint64(30 * rps),
					P99Millis: record.Of(1.5), CPUMicros: record.Of(4e6 / rps), RSSKiB: record.Of(45000), ServerBusyFrac: record.Of(0.99), GeneratorBusyFrac: record.Of(0.3),
				})
				if s.results {
					name := filepath.Join(dir, record.RunDir(run, variant), one[i].Scenario, measuredFile)
					if err := writeThrough(name, wideResult); err != nil {
						return err
					}
				}
			}
			name := dir + record.RunDir(run, variant) + "/summary.csv"
			if err := writeThrough(name, func(out io.Writer) error { return record.WriteSummary(out, one) }); err != nil {
				return err
			}
			all = append(all, one...)
		}
	}
	identity := &record.Identity{Session: id, Round: round, Differs: []record.Differs{
		{Base: "base", New: "new", Items: []record.Difference{{What: "binary"}}}, {Base: "new", New: "scoped", Items: []record.Difference{{What: "argv"}}},
	}}
	if err := writeThrough(dir+"identity.json", func(out io.Writer) error { return record.WriteIdentity(out, identity) }); err != nil {
		return err
	}
	return writeThrough(dir+"aggregate.csv", func(out io.Writer) error { return record.WriteAggregate(out, record.Summarize(all)) })
}

// wideResult is as long as one of 30 s is, most of it histograms.
func wideResult(out io.Writer) error {
	var windows []string
	for second := range 30 {
		windows = append(windows, fmt.Sprintf(`{"t_s": %d, "ok": %d, "errors": 0, "p50_us": 307.199, "p99_us": 8585.215, "max_us": 61368.494}`, second, 1000+second%2))
	}
	_, err := fmt.Fprintf(out, "{\n  \"schema\": \"scalbench.load/v1\",\n  \"latency\": {\"response\": {\"hdr\": %q}},\n  \"windows\": [%s]\n}\n",
		strings.Repeat("HISTFAAABVN4nJ", 72_000/14), strings.Join(windows, ","))
	return err
}

func writeThrough(name string, write func(out io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}
