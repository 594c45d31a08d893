package measure

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/profile"
	"github.com/scalws/scalbench/internal/record"
)

// builtIn are the groups of no suite.
func builtIn(t *testing.T) *profile.Groups {
	t.Helper()
	groups, err := profile.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

// A sample is the server's by its process, nobody's by process 0, and else that of the
// program whose name it has; a process that had ended is not nobody.
func TestSamplesWhose(t *testing.T) {
	began := time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)
	groups := builtIn(t)
	s := &samples{server: map[int]bool{10: true}, tally: profile.NewTally(groups), others: map[string]uint64{}, event: "cycles",
		from: mono.Time(time.Second), to: mono.Time(3 * time.Second)}
	stack := []profile.Frame{{Symbol: "tcp_ack", Module: "[kernel.kallsyms]", Kernel: true}}
	for _, of := range []struct {
		pid   int
		comm  string
		times int
	}{{10, "srv", 3}, {0, "swapper", 4}, {-1, ":-1", 1}, {11, "perf", 2}} {
		for range of.times {
			s.add(profile.Sample{PID: of.pid, Comm: of.comm, Stack: stack})
		}
	}
	row := s.row(record.Measurement{RPS: record.Of(100), CPUMicros: record.Of(9), StartUTC: began}, groups)
	if row.Samples != 3 || row.Idle != 4 || !slices.Equal(row.Others, []profile.Count{{Name: "perf", Samples: 2}, {Name: nameless, Samples: 1}}) || row.Seconds != record.Of(2) {
		t.Errorf("%+v", row)
	}
	if len(row.Groups) != 1 || row.Groups[0].Name != "network" || row.Groups[0].Samples != 3 || !slices.Equal(row.Groups[0].Symbols, []profile.Count{{Name: "tcp_ack", Samples: 3}}) {
		t.Errorf("groups %+v", row.Groups)
	}
}

// 997 samples a second of two CPUs in two seconds are 3988: nine tenths have to be there,
// idle ones among them, and of cycles none.
func TestMissingSamples(t *testing.T) {
	row := record.ProfileRow{Event: "cpu-clock:P", Hz: 997, Seconds: record.Of(2), Samples: 3000, Idle: 300, Others: []profile.Count{{Name: "perf", Samples: 300}}}
	if text := missing(row, 2); text != "" { // 3600 of 3589
		t.Error(text)
	}
	row.Idle = 280
	if text := missing(row, 2); text != "of 3988 samples that were due 3580 were taken" {
		t.Error(text)
	}
	row.Event = "cycles"
	if text := missing(row, 2); text != "" {
		t.Error(text)
	}
}

// The embedded target is seen at its work, most of it in the network, with stacks and what
// perf has recorded, and nothing stays where servers have their files.
func TestProfileOfTarget(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	sampler, err := perf.FindSampler(t.Context(), b.placement.Server.String(), 997)
	var refused *perf.Unavailable
	switch {
	case errors.As(err, &refused):
		t.Skip(refused)
	case err != nil:
		t.Fatal(err)
	}
	r := start(t, b, s.Variants[0])
	how := Profiling{Sampler: sampler, Groups: builtIn(t), Span: time.Second, KeepData: true}
	row, files, err := b.Profile(t.Context(), r, s.Scenarios[0], smoke(t), how)
	for deadline := time.Now().Add(patience); err == nil && row.NA != ""; {
		if !strings.Contains(row.NA, "had no CPU") {
			t.Fatal(row.NA)
		}
		if time.Now().After(deadline) {
			t.Skip(row.NA)
		}
		row, files, err = b.Profile(t.Context(), r, s.Scenarios[0], smoke(t), how)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Of a second and 997 Hz a tenth is the server's on any host.
	if row.Samples < 100 || row.Event == "" || row.Hz != 997 || !row.CPU.Known() || row.CPUs == "" {
		t.Errorf("%+v", row)
	}
	i := slices.IndexFunc(row.Groups, func(g record.ProfileGroup) bool { return g.Name == "network" })
	if i < 0 || float64(row.Groups[i].Samples) < 0.1*float64(row.Samples) {
		t.Errorf("of %d samples in the network: %+v", row.Samples, row.Groups)
	}
	kept := map[string][]byte{}
	for _, f := range files {
		kept[f.Name] = f.Data
	}
	if !bytes.Contains(kept[FoldedFile], []byte("_[k] ")) || len(kept[perfDataFile]) == 0 {
		t.Errorf("stacks %.300q, %d bytes of perf", kept[FoldedFile], len(kept[perfDataFile]))
	}
	if _, err := os.Stat(filepath.Join(b.config.Work, perfDataFile)); !os.IsNotExist(err) {
		t.Errorf("it stays: %v", err)
	}
	// What is answered otherwise is not explained.
	wrong := s.Scenarios[0]
	wrong.Expect.Bytes = new(int64(3))
	if row, _, err := b.Profile(t.Context(), r, wrong, smoke(t), how); err != nil || !strings.Contains(row.NA, "bad_body") || row.Samples > 0 {
		t.Errorf("%+v, %v", row, err)
	}
}

// Where perf refuses, the row says why.
func TestProfileRefused(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	refuses, err := exec.LookPath("false")
	if err != nil {
		t.Skip(err)
	}
	row, _, err := b.Profile(t.Context(), r, s.Scenarios[0], smoke(t), Profiling{Sampler: perf.Sampler{Path: refuses, Hz: 997}, Groups: builtIn(t), Span: time.Second})
	if err != nil || !strings.Contains(row.NA, "without a word") {
		t.Errorf("%+v, %v", row, err)
	}
}
