package measure

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// turnsSuite has the embedded target twice.
const turnsSuite = `suite: turns
plan: {interleave: sliced}
variants:
  - {name: old, command: [scalbench, target, "127.0.0.1:{port}"], ports: {http: 0}, expect: {processes: 1}}
  - {name: new, command: [scalbench, target, "127.0.0.1:{port}"], ports: {http: 0}, expect: {processes: 1}}
scenarios:
  - {name: respond, url: /respond, connections: 8, expect: {status: 200, bytes: 2}}
compare: [{base: old, new: new, same_ok: both are the target}]
gate: {policy: noninferior}
`

// bothUp starts both variants of turnsSuite.
func bothUp(t *testing.T) (*Bench, [2]*Running, suite.Scenario) {
	t.Helper()
	s := parsed(t, turnsSuite)
	b := benchOf(t, s)
	return b, [2]*Running{start(t, b, s.Variants[0]), start(t, b, s.Variants[1])}, s.Scenarios[0]
}

// Both rows have what a row has, of their own slices, one id, and what the slices say is what
// the pairs that were kept say.
func TestMeasureTurns(t *testing.T) {
	b, running, sc := bothUp(t)
	plan := suite.Plan{Warmup: 50 * time.Millisecond, Measure: 400 * time.Millisecond}
	var rows [2]record.Measurement
	var evidence [2]Evidence
	for deadline := time.Now().Add(patience); ; {
		var err error
		if rows, evidence, err = b.MeasureTurns(t.Context(), running, sc, plan, "old+new@1"); err != nil {
			t.Fatal(err)
		}
		if rows[0].State == record.Valid || time.Now().After(deadline) {
			break
		}
	}
	for i, row := range rows {
		if row.State != record.Valid || row.Pair != "old+new@1" || row.Errors > 0 || row.IdentityN < 2 || row.IdentityOK != row.IdentityN {
			t.Fatalf("row %d: %+v", i, row)
		}
		for name, v := range map[string]record.Value{
			"rps": row.RPS, "p99": row.P99Millis, "cpu_us": row.CPUMicros, "server_busy": row.ServerBusyFrac, "generator_busy": row.GeneratorBusyFrac, "rss": row.RSSKiB,
		} {
			if x, known := v.Get(); !known || x <= 0 {
				t.Errorf("row %d: %s: %v", i, name, v)
			}
		}
		// 40 of the 50 ms of a slice count, and a pair more than there is time for may have begun.
		if seconds := row.DurationSeconds.OrNaN(); seconds > 0.24 || seconds < 0.04 {
			t.Errorf("row %d: %v s of a window of 0.4 s for both", i, seconds)
		}
		if row.RPSRatio.Known() != (i == 1) {
			t.Errorf("row %d: ratio %v", i, row.RPSRatio)
		}
		if window := evidence[i].To.Sub(evidence[i].From); window < plan.Measure || evidence[i].Overhead <= 0 {
			t.Errorf("row %d: window %v, overhead %v", i, window, evidence[i].Overhead)
		}
	}
	if rows[0].StartMonoNS != rows[1].StartMonoNS {
		t.Errorf("they began at %d and %d", rows[0].StartMonoNS, rows[1].StartMonoNS)
	}
	kept := keptSlices(t, evidence)
	if kept.Pair != "old+new@1" || kept.Base != "old" || kept.New != "new" || len(kept.Pairs) != int(rows[1].SlicePairs) || len(kept.Pairs) < pairsLeast {
		t.Errorf("kept %+v", kept)
	}
	rps, _, err := ab.SummaryOf(judged(kept.Pairs))
	if err != nil || math.Abs(rps.Ratio-rows[1].RPSRatio.OrNaN()) > 1e-9 {
		t.Errorf("ratio %v, of the pairs kept %v, %v", rows[1].RPSRatio, rps, err)
	}
}

// keptSlices are those in the evidence of the new variant; the base has none.
func keptSlices(t *testing.T, evidence [2]Evidence) (kept SlicesRecord) {
	t.Helper()
	for i, e := range evidence {
		n := slices.IndexFunc(e.Files, func(f File) bool { return f.Name == SlicesFile })
		if (n >= 0) != (i == 1) {
			t.Fatalf("half %d: slices at %d", i, n)
		}
		if n >= 0 {
			if err := json.Unmarshal(e.Files[n].Data, &kept); err != nil || kept.Schema != SlicesSchema || kept.Session == "" {
				t.Fatalf("%v, %+v", err, kept)
			}
		}
	}
	return kept
}

// One of both that ends in the middle makes both invalid, and it is told which and when.
func TestTurnsOneDies(t *testing.T) {
	for i, name := range []string{"old", "new"} {
		t.Run(name, func(t *testing.T) {
			b, running, sc := bothUp(t)
			done := make(chan struct{})
			go func() { // after some slices of a window that is far longer than the test waits
				defer close(done)
				pid, deadline := running[i].instances[0].pid, time.Now().Add(patience)
				for used := time.Duration(0); used < 200*time.Millisecond && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
					used, _ = procfs.NewFS(procDir).CPUTime(pid)
				}
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}()
			rows, _, err := b.MeasureTurns(t.Context(), running, sc, suite.Plan{Measure: time.Minute}, "old+new@1")
			<-done
			if err != nil {
				t.Fatal(err)
			}
			for k, row := range rows {
				if row.State != record.Invalid || !strings.HasPrefix(row.Reason, name+": the server has ended by itself (") || !strings.HasSuffix(row.Reason, " s into the window") {
					t.Errorf("row %d is %s: %s", k, row.State, row.Reason)
				}
			}
			if rows[0].Reason != rows[1].Reason {
				t.Errorf("%q and %q", rows[0].Reason, rows[1].Reason)
			}
		})
	}
}

// One that answers something else is told before anything is measured.
func TestTurnsOtherAnswer(t *testing.T) {
	b, running, sc := bothUp(t)
	*sc.Expect.Bytes = 3
	rows, evidence, err := b.MeasureTurns(t.Context(), running, sc, suite.Plan{Measure: time.Second}, "old+new@1")
	if err != nil || rows[0].State != record.Invalid || rows[1].State != record.Invalid || !strings.HasPrefix(rows[1].Reason, "old: ") || !strings.Contains(rows[1].Reason, "was not answered as it should be") {
		t.Errorf("%+v, %v", rows, err)
	}
	if evidence[0].Overhead != 0 {
		t.Errorf("it had a load: %v", evidence[0].Overhead)
	}
}

// Whose fault it is: who was lost before who was seen to be wrong, and what is known of both
// names neither.
func TestFaultOfTurns(t *testing.T) {
	half := func(name string) *measurement {
		return &measurement{running: &Running{variant: suite.Variant{Name: name}}, turns: true}
	}
	row := func(reason string) record.Measurement {
		m := record.Measurement{Reason: reason}
		if reason != "" {
			m.State = record.Invalid
		}
		return m
	}
	enough := make([]loadgen.Pair, pairsLeast)
	for _, tt := range []struct {
		name      string
		pairs     *loadgen.Pairs
		base, new string // reasons
		shared    string
		want      string
	}{
		{"nothing", &loadgen.Pairs{Pairs: enough}, "", "", "", ""},
		{"the base", &loadgen.Pairs{Pairs: enough}, "not 2xx", "", "", "old: not 2xx"},
		{"the new one", &loadgen.Pairs{Pairs: enough}, "", "not 2xx", "", "new: not 2xx"},
		{"seen of one", nil, violatedReason, "exe: another", violatedReason, "new: exe: another"},
		{"of both", nil, "no result", "no result", "no result", "no result"},
		{"lost", &loadgen.Pairs{Lost: &loadgen.Lost{Target: 1, Why: "refused"}}, "not 2xx", "", "", "new: it answered nothing any more: refused"},
		{"lost with errors", &loadgen.Pairs{Lost: &loadgen.Lost{Target: 0, Why: "refused"}}, "3 of 9 requests failed", "", "", "old: 3 of 9 requests failed"},
		{"too short", &loadgen.Pairs{Pairs: enough[:1], Slices: loadgen.SlicesOf(time.Second)}, "", "", "", "1 pairs of slices in the window, expected 2 or more: it is too short for slices of 1s"},
	} {
		turns := &turns{halves: [2]*measurement{half("old"), half("new")}, pairs: tt.pairs, atS: math.NaN()}
		rows := [2]record.Measurement{row(tt.base), row(tt.new)}
		if got := turns.fault(&rows, tt.shared); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A generator that was the limit of one half was that of the pair: both have the flag for
// which nothing is measured again. Beside another fault it is none.
func TestSaturatedTurns(t *testing.T) {
	for _, tt := range []struct {
		base string
		want bool
	}{{"", true}, {"not 2xx", false}} {
		turns := &turns{atS: math.NaN()}
		for i := range turns.halves {
			turns.halves[i] = &measurement{running: &Running{variant: suite.Variant{Name: []string{"old", "new"}[i]}}, session: suite.Plan{OfRecord: true}, turns: true, result: &loadgen.Result{}}
		}
		turns.halves[1].result.Warnings = []loadgen.Warning{{Code: loadgen.GeneratorSaturated, Text: "it was 99 % busy"}}
		rows := [2]record.Measurement{{}, {State: record.Invalid, Reason: turns.halves[1].saturated()}}
		if tt.base != "" {
			rows[0].State, rows[0].Reason = record.Invalid, tt.base
		}
		turns.shareFate(&rows, "")
		for i, row := range rows {
			if row.State != record.Invalid || slices.Contains(row.Flags, FlagSaturated) != tt.want {
				t.Errorf("%q: row %d: %s, %q, flags %q", tt.base, i, row.State, row.Reason, row.Flags)
			}
		}
	}
}

// A window of 10 s has the usual slices; one of 100 ms four pairs of 12.5 ms.
func TestSlicesOfWindow(t *testing.T) {
	for window, want := range map[time.Duration]time.Duration{10 * time.Second: 50 * time.Millisecond, 100 * time.Millisecond: 12500 * time.Microsecond, time.Millisecond: time.Millisecond} {
		if got := slicesOf(window); got.Length != want || got.Settle != want/5 {
			t.Errorf("%v: %+v, want %v", window, got, want)
		}
	}
}
