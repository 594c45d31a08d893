package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
)

// claimed begins a session in a new directory.
func claimed(t *testing.T, id string) *Session {
	t.Helper()
	plan := testPlan(id)
	l, err := NewLayout(filepath.Join(t.TempDir(), "results"), plan, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Claim(l, plan, testHost(), bootA, ticking())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// started is one with its first round begun.
func started(t *testing.T, id string) *Session {
	t.Helper()
	s := claimed(t, id)
	if err := s.StartRound(1, orderOf(s.Plan, 1), ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// begin starts an attempt, with a result in it.
func begin(t *testing.T, s *Session, k Key) *Attempt {
	t.Helper()
	a, err := s.Begin(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Write("result.json", []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	return a
}

// measure makes one measurement; change may be nil.
func measure(t *testing.T, s *Session, k Key, change func(*record.Measurement)) {
	t.Helper()
	a := begin(t, s, k)
	row := validRow(mono.Time(s.journal.state.Cells[k].BegunNS) + 1)
	if change != nil {
		change(&row)
	}
	if err := a.Commit(row); err != nil {
		t.Fatal(err)
	}
}

// identity is what a driver would hand in.
func testIdentity() *record.Identity {
	return &record.Identity{Counts: []record.IdentityCount{{Variant: "el8", Check: "exe", Samples: 3, OK: 3}}}
}

// round makes a round whole, of these measurements.
func wholeRound(t *testing.T, s *Session, round int, keys []Key) {
	t.Helper()
	if err := s.StartRound(round, keys, ""); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		measure(t, s, k, nil)
	}
	for run := 1; run <= s.Plan.Runs; run++ {
		if err := s.SealRun(round, run, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.FinishRound(round, testIdentity()); err != nil {
		t.Fatal(err)
	}
}

// A row that is decided has no line in the rounds that come, and when all are the
// session is done.
func TestDecide(t *testing.T) {
	s := claimed(t, "id")
	s.Plan.Rounds = 4
	wholeRound(t, s, 1, orderOf(s.Plan, 1))
	first := Row{"", "static-small"}
	for range 2 { // a resumed driver looks again
		if err := s.Decide(1, []Verdict{{first, "el8/rc1 PASS"}}); err != nil {
			t.Fatal(err)
		}
	}
	left := slices.DeleteFunc(orderOf(s.Plan, 2), func(k Key) bool { return k.Row() == first })
	state := s.State()
	// 8 measurements of round 1, and 4 of each other.
	if p := ProgressOf(s.Plan, &state); p.Total != 8+3*4 || p.Done != 8 || p.Decided != 1 || p.Rows != 2 {
		t.Errorf("progress %+v", p)
	}
	if err := s.StartRound(2, orderOf(s.Plan, 2), ""); err == nil || !strings.Contains(err.Error(), "which was decided after round 1") {
		t.Errorf("it is in round 2: %v", err)
	}
	wholeRound(t, s, 2, left)
	if err := s.Decide(1, []Verdict{{left[0].Row(), "el8/rc1 FAIL"}}); err == nil || !strings.Contains(err.Error(), "round 2 has begun") {
		t.Errorf("decided after another round: %v", err)
	}
	if err := s.Finish(); err == nil || !strings.Contains(err.Error(), "round 3 is not done") {
		t.Errorf("finished with a row that is not decided: %v", err)
	}
	s, _ = recovered(t, s, bootA)
	s.Plan.Rounds = 4
	if err := s.Decide(2, []Verdict{{left[0].Row(), "el8/rc1 FAIL"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	state = s.State()
	if p := ProgressOf(s.Plan, &state); p.Total != 12 || p.Done != 12 || p.Left != 0 || !state.Done {
		t.Errorf("progress %+v, done %v", p, state.Done)
	}
	r, err := record.ReadRound(os.DirFS(s.Results), record.RoundDir("xeon", "gate1", 2))
	if err != nil || !r.Finished || len(r.Measurements) != 4 {
		t.Errorf("round 2: %+v, %v", r, err)
	}
	text, err := os.ReadFile(filepath.Join(s.SessionDir(), record.JournalFile))
	if err != nil || !strings.Contains(string(text), `"event":"session_done","text":"decided after round 2 of 4"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Controls are in every round that there is, and ask for none.
func TestControlsAskForNoRound(t *testing.T) {
	s := claimed(t, "id")
	s.Plan.Scenarios[1].Control = true
	wholeRound(t, s, 1, orderOf(s.Plan, 1))
	if state := s.State(); state.AllDecided(s.Plan) {
		t.Error("nothing is decided")
	}
	if err := s.Decide(1, []Verdict{{Row{"", s.Plan.Scenarios[0].Name}, "el8/rc1 PASS"}}); err != nil {
		t.Fatal(err)
	}
	if state := s.State(); !state.AllDecided(s.Plan) {
		t.Error("only a control is left")
	}
	if err := s.Finish(); err != nil {
		t.Error(err)
	}
}

// A session from beginning to end is what readers of records expect.
func TestWholeSession(t *testing.T) {
	s := claimed(t, "20261130-210400-00000001")
	for round := 1; round <= 2; round++ {
		if err := s.Waiting(round, "load1 3.1, want under 2"); err != nil {
			t.Fatal(err)
		}
		if err := s.StartRound(round, orderOf(s.Plan, round), ""); err != nil {
			t.Fatal(err)
		}
		for _, k := range orderOf(s.Plan, round) {
			measure(t, s, k, nil)
		}
		for run := 1; run <= 2; run++ {
			if err := s.SealRun(round, run, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.FinishRound(round, testIdentity()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	fsys := os.DirFS(s.Results)
	on, err := record.ReadSession(fsys, record.SessionDir("xeon", "gate1"))
	if err != nil || on.Plan.Hash == "" || on.Host.Session != on.Plan.Session {
		t.Fatalf("session: %+v, %v", on, err)
	}
	for round := 1; round <= 2; round++ {
		r, err := record.ReadRound(fsys, record.RoundDir("xeon", "gate1", round))
		// 2 runs of 2 variants of 2 scenarios
		if err != nil || !r.Finished || r.Identity == nil || r.Session != on.Plan.Session || len(r.Measurements) != 8 {
			t.Fatalf("round %d: %+v, %v", round, r, err)
		}
		for _, m := range r.Measurements {
			k := Key{m.Round, m.Run, m.Variant, m.Mode, m.Scenario}
			if want := orderOf(s.Plan, round)[m.Slot-1]; k != want || m.Attempt != 1 {
				t.Errorf("%v, slot %d, attempt %d: the order has %v there", k, m.Slot, m.Attempt, want)
			}
		}
	}
	for _, name := range []string{
		"xeon-gate1-1/run-2/el8/static-small/measurement.csv", "xeon-gate1-2/run-1/rc1-11/multi+static-small/result.json",
		"xeon-gate1-2/aggregate.txt",
	} {
		if _, err := fs.Stat(fsys, name); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := Resume(s.Layout, bootA, ticking()); !errors.Is(err, ErrFinished) {
		t.Errorf("resumed: %v, want it finished", err)
	}
}

// A pair that is redone leaves both first attempts beside the second ones, and only
// the second ones are in summary.csv.
func TestRedo(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1)
	for _, k := range order[:4] { // run 1
		measure(t, s, k, nil)
	}
	base, new := order[0], order[2]
	voided, err := s.Redo(new, "dnf took 3 % of the server's CPUs")
	if err != nil || !reflect.DeepEqual(voided, []Key{new, base}) {
		t.Fatalf("voided %v, %v, want both halves of the pair", voided, err)
	}
	state := s.State()
	if c := state.Cells[base]; c.Status != Void || c.Reason != "measured again with el8: dnf took 3 % of the server's CPUs" {
		t.Errorf("the partner: %+v", c)
	}
	if err := s.SealRun(1, 1, nil); err == nil || strings.Count(err.Error(), "not measured: ") != 2 {
		t.Errorf("sealed: %v, want both told", err)
	}
	measure(t, s, base, nil)
	measure(t, s, new, func(m *record.Measurement) { m.State, m.Reason = record.Invalid, "3 errors" })
	if err := s.SealRun(1, 1, nil); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(s.SummaryPath(1, 1, "el8"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := record.ReadSummary(f, "summary.csv")
	if err != nil || len(rows) != 2 || rows[0].Attempt != 2 || rows[0].State != record.Invalid || rows[1].Attempt != 1 || rows[1].Mode != "multi" {
		t.Errorf("rows %+v, %v", rows, err)
	}
	for _, k := range []Key{base, new} {
		row, ok, err := readRowFile(s.SupersededDir(k, 1))
		if err != nil || !ok || row.Attempt != 1 || row.State != record.Valid {
			t.Errorf("first attempt of %s: %+v, %v, %v", k, row, ok, err)
		}
	}
	if _, err := s.Redo(base, "again"); err == nil || !strings.Contains(err.Error(), "the run is sealed") {
		t.Errorf("redo of a sealed run: %v", err)
	}
	if _, err := s.Begin(base); err == nil || !strings.Contains(err.Error(), "the run is sealed") {
		t.Errorf("begun in a sealed run: %v", err)
	}
}

// What was not measured has its row, too.
func TestSealOthers(t *testing.T) {
	s := claimed(t, "id")
	var order []Key
	for _, k := range orderOf(s.Plan, 1) {
		if k.Variant != "el8" || k.Mode != "multi" {
			order = append(order, k)
		}
	}
	if err := s.StartRound(1, order, "noisy-host"); err != nil {
		t.Fatal(err)
	}
	for _, k := range order {
		measure(t, s, k, nil)
	}
	others := []record.Measurement{{Variant: "el8", Mode: "multi", Scenario: "static-small", State: record.NotApplicable, Reason: "one process only"}}
	for range 2 { // the second time changes nothing
		if err := s.SealRun(1, 1, others); err != nil {
			t.Fatal(err)
		}
	}
	others[0].Reason = "another"
	if err := s.SealRun(1, 1, others); err == nil || !strings.Contains(err.Error(), "has another content") {
		t.Errorf("sealed anew: %v", err)
	}
	if err := s.SealRun(1, 2, nil); err == nil || !strings.Contains(err.Error(), "not measured: round 1, run 2, el8, multi/static-small") {
		t.Errorf("sealed with a hole: %v", err)
	}
	others = append(others, record.Measurement{Variant: "el8", Scenario: "static-small", State: record.NotRun, Reason: "no php"})
	if err := s.SealRun(1, 2, others); err == nil || !strings.Contains(err.Error(), "is valid and cannot be not_run") {
		t.Errorf("measured and not: %v", err)
	}
	if err := s.FinishRound(1, testIdentity()); err == nil || !strings.Contains(err.Error(), "run 2 of rc1-11 is not sealed") {
		t.Errorf("finished with a hole: %v", err)
	}
	if err := s.Finish(); err == nil || !strings.Contains(err.Error(), "round 1 is not done") {
		t.Errorf("session finished: %v", err)
	}
}

// A directory that says otherwise than the journal is found.
func TestSealHoldsFilesAgainstJournal(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1)
	measure(t, s, order[0], func(m *record.Measurement) { m.StartMonoNS = 1 })
	for _, k := range order[1:4] {
		measure(t, s, k, nil)
	}
	if err := s.SealRun(1, 1, nil); err == nil || !strings.Contains(err.Error(), "by the journal it was made from") {
		t.Errorf("a window from before its attempt: %v", err)
	}
	if err := os.RemoveAll(s.MeasurementDir(order[2])); err != nil {
		t.Fatal(err)
	}
	if err := s.SealRun(1, 1, nil); err == nil || !strings.Contains(err.Error(), "attempt 1 of round 1, run 1, el8, static-small is not in") {
		t.Errorf("sealed: %v", err)
	}
}

func TestAttempt(t *testing.T) {
	s := started(t, "id")
	k := orderOf(s.Plan, 1)[0]
	a := begin(t, s, k)
	if err := a.Write("result.json", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("written twice: %v", err)
	}
	if err := a.Commit(record.Measurement{State: record.NotRun, Reason: "no php"}); err == nil {
		t.Error("committed what was not run")
	}
	if err := a.Commit(record.Measurement{State: record.Invalid}); err == nil || !strings.Contains(err.Error(), "reason") {
		t.Errorf("committed without a reason: %v", err)
	}
	if _, err := s.Begin(k); err == nil || !strings.Contains(err.Error(), "which is begun") {
		t.Errorf("begun twice: %v", err)
	}
	if err := a.Commit(validRow(0)); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(validRow(0)); err == nil || !strings.Contains(err.Error(), "is not under way") {
		t.Errorf("committed twice: %v", err)
	}
	if _, err := s.Begin(Key{1, 1, "el8", "", "unheard-of"}); err == nil || !strings.Contains(err.Error(), "of which nothing is known") {
		t.Errorf("begun without a plan: %v", err)
	}
	if err := s.StartRound(2, nil, ""); err == nil {
		t.Error("a round with nothing to measure")
	}
	if err := os.MkdirAll(filepath.Join(s.RoundDir(2), "run-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.StartRound(2, orderOf(s.Plan, 2), ""); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a round in another's directory: %v", err)
	}
}

// recovered leaves a session as a kill would and resumes it.
func recovered(t *testing.T, s *Session, boot Boot) (*Session, Recovery) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, r, err := Resume(s.Layout, boot, s.journal.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again, r
}

// Killed in the middle of the second half of a pair: both halves are measured again.
func TestResumeCut(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1)
	for _, k := range order[:2] {
		measure(t, s, k, nil)
	}
	begin(t, s, order[2])
	s, r := recovered(t, s, bootA)
	if !reflect.DeepEqual(r.Voided, []Key{order[2], order[0]}) || len(r.Aborted)+len(r.Adopted) > 0 {
		t.Errorf("recovery %+v", r)
	}
	state := s.State()
	if c := state.Cells[order[2]]; c.Status != Void || c.Cut != 1 || c.Reason != cutReason {
		t.Errorf("the cut half: %+v", c)
	}
	if c := state.Cells[order[1]]; c.Status != Valid {
		t.Errorf("the other scenario: %+v", c)
	}
	measure(t, s, order[0], nil)
	measure(t, s, order[2], nil)
	if _, err := os.Stat(filepath.Join(s.partDir(order[2], 1), "result.json")); err != nil {
		t.Errorf("what was cut is gone: %v", err)
	}
}

// When a half of a pair was begun longer ago than a run takes, and the other is to be made,
// both are measured again, also where neither was cut.
func TestVoidOld(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1) // run 1: both scenarios of rc1-11, then both of el8
	for _, k := range order[:3] {
		measure(t, s, k, nil)
	}
	begun := mono.Time(s.journal.state.Cells[order[1]].BegunNS)
	later := func(d time.Duration) []Key {
		t.Helper()
		state := s.State()
		events, err := state.oldHalves(s.Plan, 1, begun.Add(d))
		if err != nil {
			t.Fatal(err)
		}
		var keys []Key
		for _, e := range events {
			if keys = append(keys, keyOf(e)); e.Text != halfReason {
				t.Errorf("%+v", e)
			}
		}
		return keys
	}
	// A run has 2 variants of 2 scenarios, of 1 s + 3 s and 2.5 s of overhead: 26 s.
	if voided := later(26 * time.Second); len(voided) != 0 {
		t.Errorf("after the time of a run: %v", voided)
	}
	// order[0] has its other half, order[2]. order[1] has not.
	if voided := later(26*time.Second + 1); !slices.Equal(voided, []Key{order[1]}) {
		t.Errorf("later: %v", voided)
	}
	// The resumption itself gives up nothing: what it waits for is not over.
	again, r := recovered(t, s, bootA)
	if len(r.Voided) != 0 {
		t.Errorf("recovery %+v", r)
	}
	again.journal.now = func() (time.Time, mono.Time) { return wall(), begun.Add(time.Hour) }
	for _, want := range [][]Key{{order[1]}, nil} { // the second time there is none left
		if voided, err := again.VoidOld(1); err != nil || !slices.Equal(voided, want) {
			t.Errorf("given up: %v, %v, want %v", voided, err, want)
		}
	}
	if voided, err := again.VoidOld(2); err != nil || len(voided) != 0 {
		t.Errorf("of a round that has not begun: %v, %v", voided, err)
	}
	// What begins anew takes all that is tied to it along.
	s.Plan.Compare = append(s.Plan.Compare, record.PlanComparison{Base: "el8", New: "scoped"})
	scoped := order[0]
	scoped.Variant = "scoped"
	s.journal.state.Cells[scoped] = Cell{Slot: 9}
	if voided := later(time.Hour); !slices.Equal(voided, []Key{order[0], order[1], order[2]}) {
		t.Errorf("three variants: %v", voided)
	}
}

// Killed between the commit and the journal's line: nothing is lost.
func TestResumeCommitted(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1)
	measure(t, s, order[0], nil)
	s, r := recovered(t, cutJournal(t, s, 2), bootA) // measured and valid
	if !reflect.DeepEqual(r.Adopted, []Key{order[0]}) || len(r.Voided) > 0 {
		t.Errorf("recovery %+v", r)
	}
	measure(t, s, order[1], func(m *record.Measurement) { m.State, m.Reason = record.Invalid, "3 errors" })
	s, r = recovered(t, cutJournal(t, s, 1), bootA)
	state := s.State()
	if c := state.Cells[order[1]]; len(r.Adopted) != 1 || c.Status != Invalid || c.Reason != "3 errors" {
		t.Errorf("recovery %+v, cell %+v", r, c)
	}
}

// The age of what was adopted is that of its attempt, and not of the host, nor of the
// resumption that said so.
func TestAdoptedHalfHasItsOwnAge(t *testing.T) {
	s := claimed(t, "id")
	uptime := mono.Time(7 * time.Hour)
	s.journal.now = func() (time.Time, mono.Time) {
		uptime += 1e9
		return wall(), uptime
	}
	order := orderOf(s.Plan, 1)
	if err := s.StartRound(1, order, ""); err != nil {
		t.Fatal(err)
	}
	measure(t, s, order[0], nil) // its other half is to be made
	s, r := recovered(t, cutJournal(t, s, 2), bootA)
	if !slices.Equal(r.Adopted, order[:1]) || len(r.Voided) > 0 {
		t.Errorf("recovery %+v", r)
	}
	if voided, err := s.VoidOld(1); err != nil || len(voided) > 0 {
		t.Errorf("given up: %v, %v", voided, err)
	}
	if c := s.journal.state.Cells[order[0]]; c.Status != Valid {
		t.Errorf("the rescued half: %+v", c)
	}
	// Resumed again, an hour after the attempt and a moment after the first resumption.
	uptime = uptime.Add(time.Hour)
	s, _ = recovered(t, cutJournal(t, s, 3), bootA) // measured, valid and session_resumed
	s, _ = recovered(t, s, bootA)
	if voided, err := s.VoidOld(1); err != nil || !slices.Equal(voided, order[:1]) {
		t.Errorf("given up: %v, %v, want the half that is an hour old", voided, err)
	}
}

// cutJournal takes the last lines off a journal, but for half of the first of them.
func cutJournal(t *testing.T, s *Session, lines int) *Session {
	t.Helper()
	path := filepath.Join(s.SessionDir(), record.JournalFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(text), "\n")
	keep := len(all) - 1 - lines // the last is "" after the last line feed
	if err := os.WriteFile(path, []byte(strings.Join(all[:keep], "")+all[keep][:len(all[keep])/2]), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// Another boot: the round is put aside and done whole, as often as it takes.
func TestResumeOtherBoot(t *testing.T) {
	s := started(t, "id")
	order := orderOf(s.Plan, 1)
	measure(t, s, order[0], nil)
	begin(t, s, order[1])
	s, r := recovered(t, s, bootB)
	if !reflect.DeepEqual(r.Aborted, []int{1}) || len(r.Voided) > 0 {
		t.Errorf("recovery %+v", r)
	}
	if _, err := os.Stat(filepath.Join(s.RoundDir(1)+".aborted", "run-1/rc1-11/static-small", RowFile)); err != nil {
		t.Error(err)
	}
	if err := s.StartRound(1, order, ""); err != nil {
		t.Fatal(err)
	}
	// Again, and killed after the directory was moved but before the journal said so.
	if err := putAside(s.Layout, 1); err != nil {
		t.Fatal(err)
	}
	s, r = recovered(t, s, Boot{bootB.ID, "6.1.1"}) // another kernel is another boot
	state := s.State()
	if !reflect.DeepEqual(r.Aborted, []int{1}) || state.Rounds[1].Aborted != 2 || len(state.Cells) > 0 {
		t.Errorf("recovery %+v, round %+v", r, state.Rounds[1])
	}
	for _, name := range []string{".aborted", ".2.aborted"} {
		if _, err := os.Stat(s.RoundDir(1) + name); err != nil {
			t.Error(err)
		}
		if _, _, err := record.SplitRoundDir(s.RoundDir(1) + name); err == nil || !strings.Contains(err.Error(), "was aborted") {
			t.Errorf("%s passes for evidence: %v", name, err)
		}
	}
	s, r = recovered(t, s, bootA) // between rounds a boot changes nothing
	if state = s.State(); len(r.Aborted) > 0 || state.Resumed != 3 {
		t.Errorf("recovery %+v, resumed %d times", r, state.Resumed)
	}
}

// A note of another process goes into a journal that is open, and cuts off nothing.
func TestNote(t *testing.T) {
	s := started(t, "id")
	if err := AddNote(s.Layout, ticking(), "dnf ran from 13:12 to 13:18"); err != nil {
		t.Fatal(err)
	}
	measure(t, s, orderOf(s.Plan, 1)[0], nil)
	on, state, err := Read(s.Layout)
	if err != nil || len(on.Journal.Of(record.Note)) != 1 || on.Journal.Torn {
		t.Fatalf("journal %+v, %v", on, err)
	}
	if !reflect.DeepEqual(state, s.State()) {
		t.Errorf("replayed %+v, lived through %+v", state, s.State())
	}
	if err := AddNote(s.Layout, ticking(), ""); err == nil {
		t.Error("an empty note")
	}
}

// An event that cannot be is not written.
func TestJournalRefuses(t *testing.T) {
	s := started(t, "id")
	before, err := os.ReadFile(filepath.Join(s.SessionDir(), record.JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	state := s.State()
	for _, e := range []record.Event{{Kind: record.RoundStarted, Round: 1}, {Kind: record.SessionStopped}, {Kind: "unheard_of"}} {
		if err := s.journal.write(record.Event{Kind: record.RoundWaiting, Round: 2, Text: "load1"}, e); err == nil {
			t.Errorf("%s was written", e.Kind)
		}
	}
	after, err := os.ReadFile(filepath.Join(s.SessionDir(), record.JournalFile))
	if err != nil || string(after) != string(before) || !reflect.DeepEqual(s.State(), state) {
		t.Errorf("journal or state changed: %v\n%s", err, after)
	}
}

// Stop is no end.
func TestStop(t *testing.T) {
	s := started(t, "id")
	if err := s.Stop("interrupt"); err != nil {
		t.Fatal(err)
	}
	if _, state, err := Read(s.Layout); err != nil || state.Stopped != "interrupt" {
		t.Errorf("%+v, %v", state, err)
	}
	again, _, err := Resume(s.Layout, bootA, ticking())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if state := again.State(); state.Stopped != "" || state.Done {
		t.Errorf("resumed: %+v", state)
	}
}
