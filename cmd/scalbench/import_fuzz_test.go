package main

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// What other tools and people wrote is read here. No reader may panic on it, faults name
// the file, and what a reader takes a summary.csv can hold.

// holdsFaults looks at the error of a reader: everything in it is told of a file.
func holdsFaults(t *testing.T, err error, files ...string) {
	t.Helper()
	for _, one := range flatten(err) {
		var fault record.Fault
		named := errors.As(one, &fault)
		for _, file := range files {
			if named && fault.File == file && fault.Line >= 0 && fault.Text != "" {
				return
			}
		}
		t.Fatalf("an error that names no file: %v", one)
	}
}

// writes holds that measurements can be written and therefore read again.
func writes(t *testing.T, all ...record.Measurement) {
	t.Helper()
	for i := range all {
		if err := record.WriteSummary(io.Discard, all[i:i+1]); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	}
}

func FuzzSecondsOf(f *testing.F) {
	f.Add([]byte(`{"schema": "scalbench.load/v1", "windows": [{"t_s": 0, "ok": 5, "errors": 0, "p50_us": 1.5}, {"t_s": 1, "ok": 6}]}`))
	f.Add([]byte(`{"schema": "scalbench.load/v1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		seconds, err := secondsOf("r", text)
		if err != nil {
			holdsFaults(t, err, "r")
			return
		}
		for _, n := range seconds {
			if n < 0 || n != math.Trunc(n) || math.IsInf(n, 0) {
				t.Fatalf("%v in a second", n)
			}
		}
	})
}

func FuzzOha(f *testing.F) {
	f.Add([]byte(`{"summary": {"successRate": 1.0, "total": 1.005163, "slowest": 0.0152, "totalData": 46090},
 "latencyPercentiles": {"p50": 0.00021, "p90": 0.0005, "p99": 0.0015, "p99.9": 0.003, "p99.99": null},
 "statusCodeDistribution": {"200": 23045}, "errorDistribution": {"aborted due to deadline": 8}}`))
	f.Add([]byte(`{"summary": {"total": 1}, "statusCodeDistribution": {}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ohaMeasurement("o", text)
		if err != nil {
			holdsFaults(t, err, "o")
			return
		}
		m.Session, m.Round, m.Run, m.Variant, m.Scenario = "s", 1, 1, "v", "s"
		writes(t, m)
	})
}

const aMap = "variant: build\nscenario: test\nrun: iteration\nrps: Requests/sec\nduration_s: {value: 30}\np99_ms: {column: p99, unit: us}\n"

func FuzzColumnMap(f *testing.F) {
	f.Add([]byte(aMap))
	f.Add([]byte("# none\n---\nmode: {column: a}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 2048 {
			return // the YAML library's time grows with the square
		}
		m, err := parseColumnMap("m", text)
		if err != nil {
			holdsFaults(t, err, "m")
			return
		}
		for ours, s := range m.cells {
			if (s.column == "") == (s.value == "") || s.line < 1 || s.scale < 0 {
				t.Fatalf("%s is of %+v", ours, s)
			}
		}
	})
}

func FuzzForeignTable(f *testing.F) {
	f.Add([]byte("build,test,iteration,Requests/sec,p99\na,s,1,1000,1200\nb,s,1,1e3,\n"), aMap, ",")
	f.Add([]byte("\ufeffv;requests;errors\r\n\"a\";3000;1\r\n"), "variant: v\nrequests: requests\nerrors: errors\nduration_s: {value: 30}\nscenario: {value: s}\n", ";")
	f.Fuzz(func(t *testing.T, table []byte, columns, separator string) {
		if len(columns) > 512 || len(separator) != 1 || strings.ContainsAny(separator, "\"\r\n") {
			return // the flags are looked at before
		}
		m, err := parseColumnMap("m", []byte(columns))
		if err != nil {
			return
		}
		o := importOptions{session: "s", separator: separator, place: place{round: 1, run: 1}}
		all, err := o.parseForeign("t", table, m)
		if err != nil {
			holdsFaults(t, err, "t", "m")
			return
		}
		for _, one := range all {
			writes(t, one.Measurement)
			if !strings.HasPrefix(one.from, "t:") {
				t.Fatalf("%+v is from %s", one.place(), one.from)
			}
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add("{variant}/{scenario}-{run}.json", "old/a/static-1.json")
	f.Add("round-{round}/{mode}/{variant}/{run}/{scenario}.json", "round-2/multi/a/4/php.json")
	f.Fuzz(func(t *testing.T, pattern, file string) {
		names, err := parseNames(pattern)
		if err != nil {
			return
		}
		p, err := names.placeOf(file, place{round: 1, run: 1, variant: "v", scenario: "s"})
		if err != nil {
			return
		}
		if !record.IsName(p.variant) || !record.IsName(p.scenario) || p.mode != "" && !record.IsName(p.mode) || p.run < 1 || p.round < 1 {
			t.Fatalf("%s of %s is %+v", file, pattern, p)
		}
	})
}
