package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/scalws/scalbench/internal/record"
)

// measured DIR/HOST-SUITE [KEY=VALUE...] writes what a session leaves: of variants a
// and b, and scenarios static and php, at 1000 req/s with 0.3 % of noise, always the
// same. VARIANT=RPS and VARIANT/SCENARIO=RPS give other rates; the other keys are those
// of sessionMade.
func measured(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: measured DIR/HOST-SUITE [KEY=VALUE...]")
	}
	s := sessionMade{rounds: 3, runs: 5, noise: 0.003, day: "2026-11-06", preset: "release", kernel: "6.12", differs: "binary", rates: map[string]float64{}}
	s.base = ts.MkAbs(args[0])
	name := filepath.Base(s.base)
	s.host, s.suite, _ = strings.Cut(name, "-")
	s.id = name + "-id"
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		ts.Check(s.set(key, value))
	}
	ts.Check(s.write())
}

// sessionMade is what the keys of measured say.
type sessionMade struct {
	base, host, suite, id string

	rounds, runs int
	noise        float64
	day          string // of the first round
	preset       string
	kernel       string // of the host
	repeatOf     string // name of a session
	policy       string
	compare      bool   // the suite says what to compare
	differs      string // between a and b; "": nothing
	missing      string // scenario that the host cannot run
	disturbed    disturbance
	busy         float64 // of the server's CPUs
	rates        map[string]float64
}

func (s *sessionMade) set(key, value string) (err error) {
	switch key {
	case "rounds":
		s.rounds, err = strconv.Atoi(value)
	case "runs":
		s.runs, err = strconv.Atoi(value)
	case "noise":
		s.noise, err = strconv.ParseFloat(value, 64)
	case "busy":
		s.busy, err = strconv.ParseFloat(value, 64)
	case "suite":
		s.suite = value
	case "day":
		s.day = value
	case "repeat":
		s.repeatOf = value + "-id"
	case "preset":
		s.preset = value
	case "kernel":
		s.kernel = value
	case "policy":
		s.policy = value
	case "compare":
		s.compare = value == "yes"
	case "differs":
		s.differs = value
	case "missing":
		s.missing = value
	default:
		known := false
		if known, err = s.disturbed.set(key, value); !known {
			s.rates[key], err = strconv.ParseFloat(value, 64)
		}
	}
	return err
}

func (s *sessionMade) write() error {
	day, err := time.Parse(time.DateOnly, s.day)
	if err != nil {
		return err
	}
	plan := &record.Plan{
		Session: s.id, CreatedUTC: day, Suite: s.suite, Host: s.host, Preset: s.preset, RepeatOf: s.repeatOf,
		Rounds: s.rounds, Runs: s.runs, WarmupSeconds: 10, MeasureSeconds: 30, Gate: record.PlanGate{Policy: s.policy},
		Variants: []record.PlanVariant{
			{Name: "a", Binary: &record.Binary{Path: "/opt/a/server", SHA256: strings.Repeat("ab", 32), Bytes: 1234567, Libc: "glibc 2.28"}},
			{Name: "b", Binary: &record.Binary{Path: "/opt/b/server", SHA256: strings.Repeat("cd", 32), Bytes: 1234568, Libc: "musl 1.2.6"}},
		},
		Scenarios: []record.PlanScenario{{Name: "static"}, {Name: "php", Needs: []string{"php"}}},
	}
	if s.compare {
		plan.Compare = []record.PlanComparison{{Base: "a", New: "b"}}
	}
	host := &record.Host{Session: s.id, Name: s.host, Fixed: map[string]string{"kernel": s.kernel}}
	dir := s.base + ".session"
	if err := s.file(dir+"/plan.json", func(out io.Writer) error { return record.WritePlan(out, plan) }); err != nil {
		return err
	}
	if err := s.file(dir+"/host.json", func(out io.Writer) error { return record.WriteHost(out, host) }); err != nil {
		return err
	}
	started := record.Event{UTC: day, MonoNS: 1, Session: s.id, Kind: record.SessionStarted}
	if err := s.file(dir+"/journal.ndjson", func(out io.Writer) error { return record.AppendEvent(out, started) }); err != nil {
		return err
	}
	for round := 1; round <= s.rounds; round++ {
		if err := s.writeRound(round, day.Add(time.Duration(round)*time.Hour)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sessionMade) writeRound(round int, start time.Time) error {
	dir := fmt.Sprintf("%s-%d/", s.base, round)
	var all []record.Measurement
	for run := 1; run <= s.runs; run++ {
		for slot, variant := range s.disturbed.order(round, run) {
			var one []record.Measurement
			for i, scenario := range []string{"static", "php"} {
				at := start.Add(time.Duration(run*10+slot*5) * time.Minute).Add(time.Duration(i) * time.Minute)
				one = append(one, s.measurement(round, run, slot+1, variant, scenario, at))
			}
			name := dir + record.RunDir(run, variant)
			if err := s.file(name+"/summary.csv", func(out io.Writer) error { return record.WriteSummary(out, one) }); err != nil {
				return err
			}
			if s.disturbed.hasSeconds() {
				if err := s.file(name+"/static/result.json", func(out io.Writer) error { return s.disturbed.seconds(out, variant) }); err != nil {
					return err
				}
			}
			all = append(all, one...)
		}
	}
	identity := &record.Identity{Session: s.id, Round: round, Differs: []record.Differs{{Base: "a", New: "b"}}}
	if s.differs != "" {
		identity.Differs[0].Items = []record.Difference{{What: s.differs, Base: "abab", New: "cdcd"}}
	}
	if err := s.file(dir+"identity.json", func(out io.Writer) error { return record.WriteIdentity(out, identity) }); err != nil {
		return err
	}
	return s.file(dir+"aggregate.csv", func(out io.Writer) error { return record.WriteAggregate(out, record.Summarize(all)) })
}

func (s *sessionMade) measurement(round, run, slot int, variant, scenario string, at time.Time) record.Measurement {
	m := record.Measurement{Session: s.id, Round: round, Run: run, Slot: slot, Variant: variant, Scenario: scenario}
	if scenario == s.missing {
		m.State, m.Reason = record.NotRun, scenario+" is not installed"
		return m
	}
	rps := 1000.0
	for _, key := range []string{variant, variant + "/" + scenario} {
		if told, ok := s.rates[key]; ok {
			rps = told
		}
	}
	if scenario == "static" {
		rps *= s.disturbed.factor(round, run, slot, variant)
	}
	seed := fnv.New64a()
	fmt.Fprint(seed, s.suite, round, run, variant, scenario)
	rps *= 1 + s.noise*rand.New(rand.NewPCG(seed.Sum64(), 1)).NormFloat64()
	m.StartUTC, m.DurationSeconds = at, record.Of(30)
	m.Requests, m.RPS, m.Status2xx = uint64(30*rps), record.Of(rps), uint64(30*rps)
	m.P99Millis, m.CPUMicros, m.RSSKiB = record.Of(2000/rps), record.Of(4e6/rps), record.Of(45056)
	m.ServerBusyFrac, m.GeneratorBusyFrac = record.Of(0.99), record.Of(0.3)
	if s.busy > 0 {
		m.ServerBusyFrac = record.Of(s.busy)
	}
	return m
}

func (s *sessionMade) file(name string, write func(out io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}
