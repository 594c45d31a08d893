package record

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// readsBack holds what every reader promises: no panic on any input, and what it
// accepts it can write, and reads back as the same.
func readsBack[T any](t *testing.T, data []byte, read func(in io.Reader, name string) ([]T, error), write func(out io.Writer, lines []T) error) {
	first, err := read(bytes.NewReader(data), "in")
	if err != nil {
		if first != nil {
			t.Fatal("lines beside faults")
		}
		return
	}
	var out bytes.Buffer
	if err := write(&out, first); err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	second, err := read(&out, "out")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first, second) {
		t.Fatalf("read\n%+v\nand back\n%+v", first, second)
	}
}

func FuzzSummary(f *testing.F) {
	var out bytes.Buffer
	missing := Measurement{Session: "s1", Round: 1, Run: 1, Variant: "el8", Scenario: "h3", State: NotApplicable, Reason: `no "HTTP/3", none`}
	if err := WriteSummary(&out, []Measurement{aMeasurement(1, "el8", "proxy", 46436.5), missing}); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { readsBack(t, data, ReadSummary, WriteSummary) })
}

func FuzzAggregate(f *testing.F) {
	var out bytes.Buffer
	if err := WriteAggregate(&out, Summarize(fiveRuns())); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { readsBack(t, data, ReadAggregate, WriteAggregate) })
}

func FuzzGate(f *testing.F) {
	published, err := os.ReadFile("../../testdata/golden/gates.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(published[:bytes.IndexByte(published[200:], '\n')+201])
	f.Add([]byte("report,gate,table,mode,scenario,base,new,r1,r2,r3,r4,median,spread_pct,p99,cpu_us,rss,verdict,flags\n,,,,a,b,c,1,,,,1,,,,,PASS,x y\n"))
	f.Fuzz(func(t *testing.T, data []byte) { readsBack(t, data, ReadGate, WriteGate) })
}

// Journals and JSON are not compared: unknown keys are dropped. They may not panic, and
// what they accept obeys their own rules.
func FuzzJournal(f *testing.F) {
	var out bytes.Buffer
	if err := AppendEvent(&out, anEvent(Rejected)); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := ReadJournal(bytes.NewReader(data), "in")
		if err != nil {
			return
		}
		var out bytes.Buffer
		for _, e := range j.Events {
			if err := AppendEvent(&out, e); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
		if again, err := ReadJournal(&out, "out"); err != nil || len(again.Events) != len(j.Events) {
			t.Fatalf("read %d events, and back %+v, %v", len(j.Events), again, err)
		}
	})
}

func FuzzPlan(f *testing.F) {
	var out bytes.Buffer
	if err := WritePlan(&out, aPlan()); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := ReadPlan(bytes.NewReader(data), "in")
		if err != nil {
			return
		}
		if err := WritePlan(io.Discard, plan); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

func FuzzCalibration(f *testing.F) {
	var out bytes.Buffer
	if err := WriteCalibration(&out, aCalibration()); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCalibration(bytes.NewReader(data), "in")
		if err != nil {
			return
		}
		for _, r := range c.Rows {
			for rounds := range 5 {
				if floor, ok := r.FloorOf(rounds); ok && !(floor >= 0) {
					t.Fatalf("a floor of %v", floor)
				}
			}
		}
		if err := WriteCalibration(io.Discard, c); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

func FuzzRulings(f *testing.F) {
	f.Add([]byte("- row: multi/respond\n  date: 2026-11-07\n  by: r\n  text: stays\n"))
	f.Add([]byte("- {row: a, date: 2026-11-07, by: b, text: |\n  c\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return // the YAML library's time grows with the square
		}
		rulings, err := ReadRulings(bytes.NewReader(data), "in")
		for _, r := range rulings {
			if err != nil || r.Row == "" || r.By == "" || r.Text == "" || r.Date == "" {
				t.Fatalf("ruling %+v beside error %v", r, err)
			}
		}
	})
}

func FuzzHost(f *testing.F) {
	var out bytes.Buffer
	if err := WriteHost(&out, aHost()); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		host, err := ReadHost(bytes.NewReader(data), "in")
		if err != nil {
			return
		}
		if err := WriteHost(io.Discard, host); err != nil || len(host.Fingerprint()) != 64 || len(host.Differences(host)) != 0 {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

func FuzzIdentity(f *testing.F) {
	var out bytes.Buffer
	if err := WriteIdentity(&out, anIdentity()); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		identity, err := ReadIdentity(bytes.NewReader(data), "in")
		if err != nil {
			return
		}
		if err := WriteIdentity(io.Discard, identity); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

// inside holds that every fault is of the directory that was read.
func inside(t *testing.T, err error, dir string) {
	t.Helper()
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("no faults: %v", err)
	}
	for _, f := range faults {
		if !strings.HasPrefix(f.File, dir) || f.Text == "" {
			t.Fatalf("a fault of %q: %v", f.File, f)
		}
	}
}

// A round of two runs of one variant, all files of which may be anything.
func FuzzRound(f *testing.F) {
	var first, second, identity, aggregate bytes.Buffer
	one, two := aMeasurement(1, "el8", "static", 1000), aMeasurement(2, "el8", "static", 1001)
	err := errors.Join(WriteSummary(&first, []Measurement{one}), WriteSummary(&second, []Measurement{two}),
		WriteIdentity(&identity, anIdentity()), WriteAggregate(&aggregate, Summarize([]Measurement{one, two})))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(first.Bytes(), second.Bytes(), identity.Bytes(), aggregate.Bytes(), "run-2")
	f.Fuzz(func(t *testing.T, first, second, identity, aggregate []byte, run string) {
		const dir = "results/xeon-gate1-2"
		if !fs.ValidPath(run) || strings.Contains(run, "/") {
			return
		}
		r, err := ReadRound(fstest.MapFS{
			dir + "/run-1/el8/summary.csv":       {Data: first},
			dir + "/" + run + "/el8/summary.csv": {Data: second},
			dir + "/identity.json":               {Data: identity},
			dir + "/aggregate.csv":               {Data: aggregate},
		}, dir)
		if err != nil {
			inside(t, err, dir)
			return
		}
		for _, m := range r.Measurements {
			if m.Round != 2 || m.Session != r.Session || m.Variant != "el8" {
				t.Fatalf("%+v in round %d of %s", m, r.Number, r.Session)
			}
		}
		if !r.Finished || r.Identity == nil || r.Identity.Session != r.Session {
			t.Fatalf("%+v", r)
		}
	})
}

func FuzzSession(f *testing.F) {
	var plan, host, journal bytes.Buffer
	if err := errors.Join(WritePlan(&plan, aPlan()), WriteHost(&host, aHost()), AppendEvent(&journal, anEvent(SessionStarted))); err != nil {
		f.Fatal(err)
	}
	f.Add(plan.Bytes(), host.Bytes(), journal.Bytes())
	f.Fuzz(func(t *testing.T, plan, host, journal []byte) {
		const dir = "results/xeon-gate1.session"
		s, err := ReadSession(fstest.MapFS{dir + "/plan.json": {Data: plan}, dir + "/host.json": {Data: host}, dir + "/journal.ndjson": {Data: journal}}, dir)
		if err != nil {
			inside(t, err, dir)
			return
		}
		if s.Host.Session != s.Plan.Session || s.Plan.Hash != s.Plan.ComputeHash() {
			t.Fatalf("%+v", s)
		}
		s.Journal.EndedDecided() // whatever its events are
	})
}
