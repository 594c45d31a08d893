package session

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
)

// told reads a history as a list of words: "started 1" is of the one measurement,
// attempt 1; "round_started" of round 1.
func told(words ...string) []record.Event {
	var events []record.Event
	for i, word := range words {
		e := record.Event{Session: "s", MonoNS: int64(i + 1), Text: "why"}
		kind, attempt, _ := strings.Cut(word, " ")
		e.Kind = record.EventKind(kind)
		if strings.HasPrefix(kind, "round") {
			e.Round = 1
		}
		if e.Kind == record.RowDecided { // static-small, after a round
			e.Scenario = "static-small"
			fmt.Sscan(attempt, &e.Round)
			attempt = ""
		}
		if attempt != "" {
			e.Round, e.Run, e.Slot, e.Variant, e.Scenario = 1, 1, 4, "el8", "static-small"
			fmt.Sscan(attempt, &e.Attempt)
		}
		events = append(events, e)
	}
	return events
}

func TestReplay(t *testing.T) {
	begun := []string{"session_started", "round_started", "planned 1"}
	tests := []struct {
		events []string // after begun
		want   Cell     // without the times
		err    string
	}{
		{nil, Cell{Status: Planned}, ""},
		{[]string{"started 1"}, Cell{Status: Begun, Attempt: 1}, ""},
		{[]string{"started 1", "measured 1"}, Cell{Status: Measured, Attempt: 1}, ""},
		{[]string{"started 1", "measured 1", "valid 1"}, Cell{Status: Valid, Attempt: 1}, ""},
		{[]string{"started 1", "measured 1", "invalid 1"}, Cell{Status: Invalid, Attempt: 1, Reason: "why"}, ""},
		{[]string{"started 1", "invalid 1"}, Cell{Status: Void, Attempt: 1, Cut: 1, Reason: "why"}, ""},
		{[]string{"started 1", "measured 1", "valid 1", "invalid 1"}, Cell{Status: Void, Attempt: 1, Reason: "why"}, ""},
		{[]string{"started 1", "measured 1", "invalid 1", "invalid 1"}, Cell{Status: Void, Attempt: 1, Reason: "why"}, ""},
		{[]string{"started 1", "invalid 1", "started 2"}, Cell{Status: Begun, Attempt: 2, Cut: 1}, ""},
		{[]string{"started 1", "measured 1", "invalid 1", "started 2", "measured 2", "valid 2"}, Cell{Status: Valid, Attempt: 2}, ""},
		{[]string{"session_stopped", "session_resumed", "note", "round_waiting"}, Cell{Status: Planned}, ""},

		{[]string{"planned 1"}, Cell{}, "journal.ndjson:4: planned, attempt 1 of round 1, run 1, el8, static-small, which is planned, attempt 0"},
		{[]string{"started 2"}, Cell{}, "started, attempt 2"},
		{[]string{"measured 1"}, Cell{}, "measured, attempt 1"},
		{[]string{"started 1", "started 2"}, Cell{}, "which is begun, attempt 1"},
		{[]string{"started 1", "valid 1"}, Cell{}, "valid, attempt 1"},
		{[]string{"started 1", "measured 2"}, Cell{}, "measured, attempt 2"},
		{[]string{"started 1", "measured 1", "valid 1", "started 2"}, Cell{}, "which is valid"},
		{[]string{"started 1", "invalid 1", "invalid 1"}, Cell{}, "which is void"},
		{[]string{"round_done"}, Cell{}, "round 1 was done, but round 1, run 1, el8, static-small is planned"},
		{[]string{"round_started"}, Cell{}, "round_started of round 1, which has begun"},
		{[]string{"session_started"}, Cell{}, "the session was started twice"},
		{[]string{"session_done"}, Cell{}, "in the middle of round 1"},
		{[]string{"started 1", "measured 1", "valid 1", "round_done", "round_started"}, Cell{}, "round 1, which is done"},
		{[]string{"started 1", "measured 1", "valid 1", "round_done", "session_done", "session_resumed"}, Cell{}, "session_resumed after the session was done"},
		{[]string{"decided 1"}, Cell{}, "static-small was decided after round 1, but round 1 has begun"},
		{[]string{"started 1", "measured 1", "valid 1", "round_done", "decided 1"}, Cell{Status: Valid, Attempt: 1}, ""},
		{[]string{"started 1", "measured 1", "valid 1", "round_done", "decided 2"}, Cell{}, "after round 2, which is not done"},
		{[]string{"started 1", "measured 1", "valid 1", "round_done", "decided 1", "decided 1"}, Cell{}, "and had been after round 1"},
		{[]string{"started 1", "measured 1", "valid 1", "round_done", "session_done", "decided 1"}, Cell{}, "decided after the session was done"},
		{[]string{"round_aborted", "started 1"}, Cell{}, "whose round is not open"},
		{[]string{"round_aborted", "round_started", "started 1"}, Cell{}, "of which nothing is known"},
	}
	key := Key{1, 1, "el8", "", "static-small"}
	for _, test := range tests {
		s, err := Replay(told(append(begun[:3:3], test.events...)...))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: %v, want %q", test.events, err, test.err)
			}
			continue
		}
		got, known := s.Cell(key)
		test.want.Slot = 4
		got.BegunNS, got.MeasuredNS = 0, 0
		if err != nil || !known || got != test.want {
			t.Errorf("%q: %+v, %v, want %+v", test.events, got, err, test.want)
		}
	}
	if _, err := Replay(told("round_started")); err == nil || !strings.Contains(err.Error(), "before the session was started") {
		t.Errorf("no start: %v", err)
	}
	other := told("session_started", "round_started")
	other[1].Session = "another"
	if _, err := Replay(other); err == nil || !strings.Contains(err.Error(), "of session another") {
		t.Errorf("two sessions: %v", err)
	}
}

// expected is the state that a legal history must lead to, told from the events of each
// key on their own, without a state machine.
func expected(events []record.Event) State {
	s := State{Rounds: map[int]RoundState{}, Cells: map[Key]Cell{}}
	history := map[Key][]record.Event{}
	for _, e := range events {
		r := s.Rounds[e.Round]
		switch e.Kind {
		case record.SessionStarted:
			s.Session, s.Boot = e.Session, e.Text
		case record.SessionResumed:
			s.Boot, s.Stopped = e.Text, ""
			s.Resumed++
		case record.SessionStopped:
			s.Stopped = e.Text
		case record.SessionDone:
			s.Done, s.DoneAs = true, e.Text
		case record.RoundStarted:
			s.Rounds[e.Round] = RoundState{Begun: true, Boot: s.Boot, Aborted: r.Aborted}
		case record.RoundDone:
			s.Rounds[e.Round] = RoundState{Done: true, Boot: r.Boot, Aborted: r.Aborted}
		case record.RoundAborted:
			s.Rounds[e.Round] = RoundState{Aborted: r.Aborted + 1}
			for k := range history {
				if k.Round == e.Round {
					delete(history, k)
				}
			}
		case record.Planned, record.Started, record.Measured, record.Accepted, record.Rejected:
			history[keyOf(e)] = append(history[keyOf(e)], e)
		}
	}
	for k, all := range history {
		s.Cells[k] = expectedCell(all)
	}
	return s
}

func expectedCell(all []record.Event) Cell {
	last := len(all) - 1
	c := Cell{Slot: all[0].Slot, Attempt: all[last].Attempt}
	if all[last].Kind == record.Planned {
		c.Attempt = 0
	}
	for i, e := range all {
		switch {
		case e.Kind == record.Started:
			c.BegunNS, c.MeasuredNS = e.MonoNS, 0
		case e.Kind == record.Measured:
			c.MeasuredNS = e.MonoNS
		case e.Kind == record.Rejected && all[i-1].Kind == record.Started:
			c.Cut++
		}
	}
	c.Status = map[record.EventKind]Status{record.Planned: Planned, record.Started: Begun, record.Measured: Measured,
		record.Accepted: Valid, record.Rejected: Void}[all[last].Kind]
	if all[last].Kind == record.Rejected {
		c.Reason = all[last].Text
		if all[last-1].Kind == record.Measured {
			c.Status = Invalid
		}
	}
	return c
}

// simulation drives a session at random, by events alone.
type simulation struct {
	t      *testing.T
	random *rand.Rand
	plan   *record.Plan
	boot   Boot
	state  State
	events []record.Event

	// on disk: attempts that were committed, with their state
	disk map[Key]record.Measurement
}

func (m *simulation) note(events ...record.Event) {
	m.t.Helper()
	for _, e := range events {
		e.Session = m.plan.Session
		e.MonoNS = int64(len(m.events) + 1)
		if err := m.state.Apply(e); err != nil {
			m.t.Fatal(err)
		}
		m.events = append(m.events, e)
	}
}

// look is what Resume asks the directories.
func (m *simulation) look(k Key, attempt int) (record.Measurement, bool, error) {
	row, ok := m.disk[k]
	return row, ok && row.Attempt == attempt, nil
}

// crash resumes, now and then in another boot, and holds what that did against what it
// must do.
func (m *simulation) crash() {
	m.t.Helper()
	if m.random.IntN(4) == 0 {
		m.boot.ID += "x"
	}
	before := m.state.clone()
	r, err := m.state.recovery(m.plan, m.boot, m.look)
	if err != nil {
		m.t.Fatal(err)
	}
	m.note(r.Events...)
	for k := range m.disk {
		if !m.state.Rounds[k.Round].Begun && !m.state.Rounds[k.Round].Done {
			delete(m.disk, k) // the round's directory was put aside
		}
	}
	for k, was := range before.Cells {
		now, known := m.state.Cells[k]
		_, committed, _ := m.look(k, was.Attempt)
		switch {
		case !known: // its round was aborted
		case was.Status.Open() && committed && !now.Status.Decided():
			// voided since a partner was cut: only then
			m.wantCutPartner(&before, k)
		case was.Status == Begun && !committed && now.Status != Void:
			m.t.Errorf("%s was cut and is %s", k, now.Status)
		case was.Status.Decided() && now.Status == Void:
			m.wantCutPartner(&before, k)
		}
	}
	if open := m.state.open(); len(open) > 0 {
		m.t.Errorf("after the resumption %v are open", open)
	}
	again, err := m.state.recovery(m.plan, m.boot, m.look)
	if err != nil || len(again.Events) != 1 {
		m.t.Errorf("resumed again: %v, %v, want the resumption alone", again.Events, err)
	}
}

// wantCutPartner fails unless the other half of the pair was cut.
func (m *simulation) wantCutPartner(before *State, k Key) {
	m.t.Helper()
	for _, p := range Partners(m.plan, k) {
		if _, committed, _ := m.look(p, before.Cells[p].Attempt); before.Cells[p].Status == Begun && !committed {
			return
		}
	}
	m.t.Errorf("%s was voided, but no partner was cut", k)
}

// measure takes one attempt through its events; false: it crashed on the way.
func (m *simulation) measure(k Key) bool {
	c := m.state.Cells[k]
	c.Attempt++
	m.note(event(record.Started, k, c, ""))
	if m.random.IntN(12) == 0 {
		return false
	}
	row := record.Measurement{Attempt: c.Attempt}
	if m.random.IntN(6) == 0 {
		row.State, row.Reason = record.Invalid, "errors"
	}
	m.disk[k] = row
	if m.random.IntN(12) == 0 {
		return false
	}
	m.note(event(record.Measured, k, c, ""))
	if m.random.IntN(12) == 0 {
		return false
	}
	m.note(verdict(k, c, row))
	if m.random.IntN(10) == 0 {
		m.note(redo(m.plan, &m.state, k, "interfered")...)
	}
	return true
}

// run measures until the session is done.
func (m *simulation) run() {
	m.note(record.Event{Kind: record.SessionStarted, Text: m.boot.String()})
	for round := 1; round <= m.plan.Rounds; {
		if r := m.state.Rounds[round]; !r.Begun && !r.Done {
			m.note(record.Event{Kind: record.RoundWaiting, Round: round, Text: "load1"}, record.Event{Kind: record.RoundStarted, Round: round})
			for i, k := range orderOf(m.plan, round) {
				m.note(event(record.Planned, k, Cell{Slot: i + 1, Attempt: 1}, ""))
			}
		}
		left := 0
		for _, k := range orderOf(m.plan, round) {
			if !m.state.Missing(k) {
				continue
			}
			left++
			if !m.measure(k) {
				m.crash()
				break
			}
		}
		if left == 0 {
			m.note(record.Event{Kind: record.RoundDone, Round: round})
			round++
		}
	}
	m.note(record.Event{Kind: record.SessionDone})
}

// Whatever happens to a session, replaying its journal gives the state that was
// lived through, also that of every beginning of the journal.
func TestReplayProperty(t *testing.T) {
	for seed := range uint64(40) {
		plan := testPlan("s")
		if seed%2 == 1 { // a third variant, tied to the first two by the second comparison
			plan.Variants = append(plan.Variants, record.PlanVariant{Name: "scoped"})
			plan.Compare = append(plan.Compare, record.PlanComparison{Base: "el8", New: "scoped"})
		}
		m := &simulation{t: t, random: rand.New(rand.NewPCG(seed, 7)), plan: plan, boot: bootA, disk: map[Key]record.Measurement{}}
		m.run()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		for n := 0; n <= len(m.events); n += 1 + m.random.IntN(20) {
			got, err := Replay(m.events[:n])
			if err != nil {
				t.Fatalf("seed %d, %d events: %v", seed, n, err)
			}
			if got.Rounds == nil {
				got.Rounds = map[int]RoundState{}
			}
			if got.Cells == nil {
				got.Cells = map[Key]Cell{}
			}
			if want := expected(m.events[:n]); !reflect.DeepEqual(got, want) { // Diff alone takes its time
				t.Fatalf("seed %d, %d events: -want +got\n%s", seed, n, cmp.Diff(want, got))
			}
		}
		if got, err := Replay(m.events); err != nil || !reflect.DeepEqual(got, m.state) {
			t.Fatalf("seed %d: replayed %+v, %v, lived through %+v", seed, got, err, m.state)
		}
	}
}

func TestPartners(t *testing.T) {
	compare := func(pairs ...string) *record.Plan {
		p := &record.Plan{Variants: []record.PlanVariant{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
		for _, pair := range pairs {
			p.Compare = append(p.Compare, record.PlanComparison{Base: pair[:1], New: pair[1:]})
		}
		return p
	}
	tests := []struct {
		plan *record.Plan
		of   string
		want string
	}{
		{compare("ab"), "a", "b"},
		{compare("ab"), "b", "a"},
		{compare("ab"), "c", ""},
		{compare("ab", "bc"), "a", "bc"}, // over b
		{compare("ab", "cb"), "c", "ba"},
		{compare(), "b", "ac"}, // compared with any of them later
	}
	for _, test := range tests {
		got := ""
		for _, k := range Partners(test.plan, Key{2, 3, test.of, "multi", "respond"}) {
			got += k.Variant
			if k.Round != 2 || k.Run != 3 || k.Mode != "multi" || k.Scenario != "respond" {
				t.Errorf("partner %v of another pair", k)
			}
		}
		if got != test.want {
			t.Errorf("%v, partners of %s: %q, want %q", test.plan.Compare, test.of, got, test.want)
		}
	}
}

// What the journal says was measured has to be there.
func TestRecoverWithoutFiles(t *testing.T) {
	s, err := Replay(told("session_started", "round_started", "planned 1", "started 1", "measured 1"))
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(Key, int) (record.Measurement, bool, error) { return record.Measurement{}, false, nil }
	s.Rounds[1] = RoundState{Begun: true, Boot: bootA.String()}
	if _, err := s.recovery(testPlan("s"), bootA, nothing); err == nil || !strings.Contains(err.Error(), "its files are not there") {
		t.Errorf("recovered: %v", err)
	}
}
