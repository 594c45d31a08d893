package record

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// file is what a writer writes.
func file(t *testing.T, write func(out io.Writer) error) *fstest.MapFile {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: out.Bytes()}
}

// anIdentity is that of round 2.
func anIdentity() *Identity {
	return &Identity{Session: "s1", Round: 2,
		Counts:  []IdentityCount{{Variant: "el8", Check: "seccomp 2", Samples: 253, OK: 253, Early: 1}},
		Differs: []Differs{{Base: "rc", New: "el8", Items: []Difference{{"binary", "aa", "bb"}}}}}
}

// aRound is a finished round of two runs of two variants.
func aRound(t *testing.T) fstest.MapFS {
	fsys := fstest.MapFS{}
	var all []Measurement
	for run := 1; run <= 2; run++ {
		for v, variant := range []string{"el8", "rc"} {
			rps := float64(1000*(v+1) + run)
			one := []Measurement{aMeasurement(run, variant, "static", rps), aMeasurement(run, variant, "proxy", rps)}
			fsys["results/xeon-gate1-2/"+RunDir(run, variant)+"/summary.csv"] = file(t, func(out io.Writer) error { return WriteSummary(out, one) })
			all = append(all, one...)
		}
	}
	fsys["results/xeon-gate1-2/run-1/el8/static/result.json"] = &fstest.MapFile{Data: []byte("{}")} // nobody's business here
	fsys["results/xeon-gate1-2/interference.ndjson"] = &fstest.MapFile{}
	fsys["results/xeon-gate1-2/identity.json"] = file(t, func(out io.Writer) error {
		return WriteIdentity(out, anIdentity())
	})
	fsys["results/xeon-gate1-2/aggregate.csv"] = file(t, func(out io.Writer) error { return WriteAggregate(out, Summarize(all)) })
	return fsys
}

func TestReadRound(t *testing.T) {
	r, err := ReadRound(aRound(t), "results/xeon-gate1-2")
	if err != nil {
		t.Fatal(err)
	}
	if r.Table != "xeon-gate1" || r.Number != 2 || r.Session != "s1" || !r.Finished || len(r.Measurements) != 8 {
		t.Errorf("table %q, number %d, session %q, finished %v, %d measurements", r.Table, r.Number, r.Session, r.Finished, len(r.Measurements))
	}
	if d, ok := r.Identity.Between("rc", "el8"); !ok || d.Items[0].What != "binary" {
		t.Errorf("identity %+v", r.Identity)
	}
	// By run, then by variant: the order in which pairs are drawn.
	order := func(m Measurement) bool { return m.Run == 1 && m.Variant == "el8" }
	if !order(r.Measurements[0]) || slices.IndexFunc(r.Measurements, func(m Measurement) bool { return m.Run == 2 }) != 4 {
		t.Error("measurements are out of order")
	}
}

func TestReadRoundFaults(t *testing.T) {
	const dir, el8 = "results/xeon-gate1-2/", "results/xeon-gate1-2/run-2/el8/summary.csv"
	edit := func(fsys fstest.MapFS, name, old, new string) {
		if !strings.Contains(string(fsys[name].Data), old) {
			t.Fatalf("%s has no %q", name, old)
		}
		fsys[name] = &fstest.MapFile{Data: bytes.ReplaceAll(fsys[name].Data, []byte(old), []byte(new))}
	}
	tests := []struct {
		name  string
		spoil func(fsys fstest.MapFS)
		want  []string
	}{
		{"no run", func(fsys fstest.MapFS) {
			for name := range fsys {
				if strings.Contains(name, "/run-") {
					delete(fsys, name)
				}
			}
		}, []string{"no directory of a run", "session s1, round 2"}[:1]},
		{"a run is missing", func(fsys fstest.MapFS) {
			for name, f := range fsys {
				if rest, is := strings.CutPrefix(name, dir+"run-1/"); is {
					fsys[dir+"run-4/"+rest] = f
					delete(fsys, name)
				}
			}
		}, []string{"no run-1, but a later one", "no run-3, but a later one", "run 1, variant el8", "run 1, variant el8", "run 1, variant rc", "run 1, variant rc"}},
		{"a run without a number", func(fsys fstest.MapFS) { fsys[dir+"run-01/el8/summary.csv"] = &fstest.MapFile{} },
			[]string{"run-01 is no directory of a run"}},
		{"two sessions", func(fsys fstest.MapFS) { edit(fsys, el8, "s1,", "s9,") }, []string{el8 + ":2: session s9, but"}},
		{"another round", func(fsys fstest.MapFS) { edit(fsys, el8, "s1,2,", "s1,3,") },
			[]string{el8 + ":2: round 3, run 2, variant el8 do not belong here", el8 + ":3: round 3"}},
		{"another variant", func(fsys fstest.MapFS) { edit(fsys, el8, "el8", "rc") }, []string{el8 + ":2: round 2, run 2, variant rc do not", ":3:"}},
		{"cut, and two more", func(fsys fstest.MapFS) {
			fsys[el8].Data = fsys[el8].Data[:len(fsys[el8].Data)-9]
			edit(fsys, dir+"aggregate.csv", ",1001,", ",NaN,")
			edit(fsys, dir+"identity.json", "{", "[")
		}, []string{el8 + ":3: the file ends in the middle", "identity.json:2: no JSON", "aggregate.csv:2: rps_min", "aggregate.csv:4: rps_min"}},
		{"a file is missing", func(fsys fstest.MapFS) { delete(fsys, el8) },
			[]string{"no run-2/el8/summary.csv in a finished round", "aggregate.csv:2: not of these measurements", "aggregate.csv:4:"}},
		// A second driver measures the same round again into the same directories after
		// the first has written its aggregate.
		{"measured again", func(fsys fstest.MapFS) { edit(fsys, el8, ",1002,", ",1003,") },
			[]string{"aggregate.csv:2: not of these measurements", "aggregate.csv:4: not of these"}},
		{"identity of another round", func(fsys fstest.MapFS) { edit(fsys, dir+"identity.json", `"round": 2`, `"round": 1`) },
			[]string{"identity.json: session s1, round 1 do not belong here"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := aRound(t)
			test.spoil(fsys)
			r, err := ReadRound(fsys, "results/xeon-gate1-2")
			wantFaults(t, err, test.want...)
			if r != nil {
				t.Error("a round beside the faults")
			}
		})
	}
}

// A round that is being measured can be read; it is not finished.
func TestReadUnfinishedRound(t *testing.T) {
	fsys := aRound(t)
	delete(fsys, "results/xeon-gate1-2/aggregate.csv")
	delete(fsys, "results/xeon-gate1-2/identity.json")
	delete(fsys, "results/xeon-gate1-2/run-2/el8/summary.csv")
	fsys["results/xeon-gate1-2/run-2/el8/static/server.log"] = &fstest.MapFile{}
	r, err := ReadRound(fsys, "results/xeon-gate1-2")
	if err != nil {
		t.Fatal(err)
	}
	if r.Finished || r.Identity != nil || len(r.Measurements) != 6 {
		t.Errorf("finished %v, %d measurements", r.Finished, len(r.Measurements))
	}
}

func TestPaths(t *testing.T) {
	if dir := RoundDir("xeon", "gate1", 2); dir != "xeon-gate1-2" {
		t.Errorf("round %q", dir)
	}
	if dir, err := SessionDirOf("results/xeon-gate2-sa-3"); err != nil || dir != "results/xeon-gate2-sa.session" || dir != "results/"+SessionDir("xeon", "gate2-sa") {
		t.Errorf("session %q, %v", dir, err)
	}
	for _, dir := range []string{"xeon", "xeon-gate1-0", "xeon-gate1-02", "xeon-gate1-x", "-1", "xeon-gate1-2.aborted", "xeon-gate1.session", ""} {
		if table, round, err := SplitRoundDir(dir); err == nil {
			t.Errorf("%q is round %d of %q", dir, round, table)
		}
	}
}
