package measure

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Calls per request are calls per second over requests per second: perf began 10 ms after
// the window and ended 30 ms after it, so that it counted for 1.02 s. 100 requests a second
// made 204 reads and 102 writes in it: 2 and 1 for each.
func TestSyscallRow(t *testing.T) {
	began := time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
	of := record.Measurement{RPS: record.Of(100), DurationSeconds: record.Of(1), Requests: 100, StartUTC: began}
	s := syscalls{from: mono.Time(10 * time.Millisecond), to: mono.Time(1030 * time.Millisecond),
		counts: []perf.Count{{Name: "write", Calls: 102}, {Name: "read", Calls: 204}}}
	row := s.row(of, 0)
	if per := row.PerRequest.OrNaN(); row.Calls != 306 || per < 2.9999 || per > 3.0001 || row.PerConnection.Known() || row.StartUTC != began {
		t.Errorf("%+v", row)
	}
	if len(row.ByName) != 2 || row.ByName[0].Name != "read" || row.ByName[0].PerRequest < 1.9999 || row.ByName[0].PerRequest > 2.0001 {
		t.Errorf("by name %+v", row.ByName)
	}
	// 10 ms late at the beginning and 30 at the end of a window of 1 s.
	if off := s.beside(0, mono.Time(time.Second)); off < 0.0399 || off > 0.0401 {
		t.Errorf("%v of the window beside it, want 0.04", off)
	}
	// Of connections of 4 requests each has 12; in one number there are no names.
	s.counts = []perf.Count{{Calls: 306}}
	if row = s.row(of, 4); row.PerConnection.OrNaN() < 11.999 || row.PerConnection.OrNaN() > 12.001 || len(row.ByName) > 0 {
		t.Errorf("%+v", row)
	}
}

// nginx answers a request from its configuration with two calls, reading and writing, and
// now and then one more for all that are ready. One that it passes on has twice as many, and
// one that looks whether the connection to the upstream is there.
func TestCountSyscalls(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed: apt-get install nginx-light")
	}
	program, err := perf.Find(t.Context())
	var refused *perf.Unavailable
	switch {
	case errors.As(err, &refused):
		t.Skip(refused)
	case err != nil:
		t.Fatal(err)
	case program.Events == perf.ByName:
		// Those that it makes. To give up a tracepoint takes some 30 ms, 12 s for all.
		program.Events = "syscalls:sys_enter_recvfrom,syscalls:sys_enter_writev,syscalls:sys_enter_getsockopt,syscalls:sys_enter_epoll_wait"
	}
	s, err := suite.Parser{FS: bench.Files}.Load("suites/nginx.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var asked []suite.Scenario
	for _, sc := range s.Scenarios {
		if sc.Name == "respond" || sc.Name == "proxy" {
			asked = append(asked, sc)
		}
	}
	helpers, err := Helpers(s, asked)
	if err != nil {
		t.Fatal(err)
	}
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0], helpers...)
	for _, test := range []struct {
		scenario string
		reads    float64 // recvfrom for each request
		lo, hi   float64 // calls for each request
	}{{"respond", 1, 2, 3}, {"proxy", 2, 4, 6}} {
		i := slices.IndexFunc(asked, func(sc suite.Scenario) bool { return sc.Name == test.scenario })
		row, files := countedRow(t, b, r, asked[i], program)
		// On a host that others use the rate of the window is not quite that of the counting.
		if per := row.PerRequest.OrNaN(); !(per >= 0.8*test.lo && per <= 1.2*test.hi) {
			t.Errorf("%s: %v calls per request, want %v to %v: %+v", test.scenario, row.PerRequest, test.lo, test.hi, row)
		}
		reads := row.Calls
		for _, c := range row.ByName {
			if c.Name == "recvfrom" {
				reads = c.Calls
			}
		}
		if per := float64(row.Calls) / float64(reads) * test.reads; program.Events != perf.InAll && !(per >= 0.99*test.lo && per <= test.hi) {
			t.Errorf("%s: %v calls for each %v of recvfrom, want %v to %v: %+v", test.scenario, per, test.reads, test.lo, test.hi, row.ByName)
		}
		if !slices.ContainsFunc(files, func(f File) bool { return f.Name == "perf-stat.csv" }) {
			t.Errorf("%s: what perf printed is not kept", test.scenario)
		}
	}
	// What is answered otherwise is not divided by.
	wrong := asked[0]
	wrong.Expect.Bytes = new(int64(3))
	if row, _, err := b.CountSyscalls(t.Context(), r, wrong, smoke(t), program); err != nil || !strings.Contains(row.NA, "bad_body") || row.PerRequest.Known() {
		t.Errorf("%+v, %v", row, err)
	}
}

// countedRow counts for a second, and again where the generator had no CPU or perf was late,
// on a host that others use. Only the first of these is the host's fault for certain.
func countedRow(t *testing.T, b *Bench, r *Running, sc suite.Scenario, program perf.Program) (record.SyscallRow, []File) {
	t.Helper()
	plan := smoke(t)
	plan.Measure = time.Second
	for deadline := time.Now().Add(patience); ; {
		row, files, err := b.CountSyscalls(t.Context(), r, sc, plan, program)
		starved := strings.Contains(row.NA, "had no CPU for")
		switch {
		case err != nil:
			t.Fatal(err)
		case row.NA == "":
			return row, files
		case !starved && !strings.Contains(row.NA, "beside the window"):
			t.Fatal(row.NA)
		case starved && time.Now().After(deadline):
			t.Skipf("the generator had no CPU in any measurement of %v: %s", patience, row.NA)
		case time.Now().After(deadline):
			t.Fatalf("in %v: %s", patience, row.NA)
		}
	}
}

// Where perf refuses, the row says why.
func TestCountSyscallsRefused(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	refuses, err := exec.LookPath("false")
	if err != nil {
		t.Skip(err)
	}
	row, _, err := b.CountSyscalls(t.Context(), r, s.Scenarios[0], smoke(t), perf.Program{Path: refuses, Events: perf.ByName})
	if err != nil || !strings.Contains(row.NA, "without a word") {
		t.Errorf("%+v, %v", row, err)
	}
}
