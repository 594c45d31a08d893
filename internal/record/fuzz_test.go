package record

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"testing"
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
