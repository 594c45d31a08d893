package record

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func aPlan() *Plan {
	return &Plan{
		Session: "s1", CreatedUTC: time.Date(2026, 11, 6, 20, 59, 0, 0, time.UTC), Suite: "gate1", Host: "xeon", Preset: "release",
		Rounds: 3, Runs: 5, WarmupSeconds: 10, MeasureSeconds: 30, Order: "rotate", Seed: 1, Params: map[string]string{"cache": "off", "a": "b"},
		Variants:  []PlanVariant{{Name: "rc1-11"}, {Name: "el8", Binary: &Binary{Path: "/opt/x", SHA256: strings.Repeat("0", 64), Libc: "glibc 2.28"}}},
		Scenarios: []PlanScenario{{Name: "php", Mode: "multi", Bound: BoundApp, Needs: []string{"php"}}, {Name: "php", Mode: "single"}},
		Compare:   []PlanComparison{{Base: "rc1-11", New: "el8"}},
		Gate:      PlanGate{Policy: "parity", MaxMarginFrac: Of(0), P99Max: Of(1.15)},
	}
}

func aHost() *Host {
	return &Host{Session: "s1", Name: "xeon", BootID: "b", Fixed: map[string]string{"kernel": "7.0.0-38", "turbo": "off", "governor": "performance"}, Now: map[string]string{"load1": "0.4"}}
}

func anEvent(kind EventKind) Event {
	return Event{UTC: time.Date(2026, 11, 6, 21, 0, 0, 0, time.UTC), MonoNS: 5, Session: "s1", Kind: kind,
		Round: 1, Run: 2, Slot: 3, Variant: "el8", Scenario: "php", Mode: "multi", Attempt: 1, Text: "why"}
}

func aSession(t *testing.T) fstest.MapFS {
	t.Helper()
	return fstest.MapFS{
		"r/xeon-gate1.session/plan.json": file(t, func(out io.Writer) error { return WritePlan(out, aPlan()) }),
		"r/xeon-gate1.session/host.json": file(t, func(out io.Writer) error { return WriteHost(out, aHost()) }),
		"r/xeon-gate1.session/journal.ndjson": file(t, func(out io.Writer) error {
			return errors.Join(AppendEvent(out, anEvent(Started)), AppendEvent(out, anEvent(Rejected)), AppendEvent(out, anEvent(RoundDone)))
		}),
	}
}

func TestReadSession(t *testing.T) {
	s, err := ReadSession(aSession(t), "r/xeon-gate1.session")
	if err != nil {
		t.Fatal(err)
	}
	plan := aPlan()
	plan.Schema, plan.Hash = PlanSchema, plan.ComputeHash()
	host := aHost()
	host.Schema = HostSchema
	want := &Session{Dir: "r/xeon-gate1.session", Plan: plan, Host: host, Journal: &Journal{Events: []Event{anEvent(Started), anEvent(Rejected), anEvent(RoundDone)}}}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
	if sc, ok := s.Plan.Scenario("multi", "php"); !ok || sc.Bound != BoundApp {
		t.Errorf("scenario %+v, %v", sc, ok)
	}
	if len(s.Journal.Of(Rejected)) != 1 {
		t.Error("the journal has another number of rejected measurements")
	}
	if _, err := ReadSession(aSession(t), "r/none.session"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a session that is not there: %v", err)
	}
}

func TestReadSessionFaults(t *testing.T) {
	const dir = "r/xeon-gate1.session/"
	tests := []struct {
		name, file, old, new string
		want                 []string
	}{
		{"plan changed", "plan.json", `"rc1-11"`, `"rc1-12"`, []string{"plan.json: plan_hash is"}},
		{"plan of no schema", "plan.json", "scalbench.plan/v1", "scalbench.plan/v9", []string{`plan.json: schema "scalbench.plan/v9"`}},
		{"plan with a wrong type", "plan.json", `"runs": 5`, `"runs": "5"`, []string{"plan.json:10: no JSON as expected"}},
		{"plan cut", "plan.json", "\n}\n", "", []string{"no JSON as expected: the file was cut"}},
		{"plan and more", "plan.json", "\n}\n", "\n}\n{}", []string{"more after the end"}},
		{"host of nothing", "host.json", `"fixed"`, `"fix"`, []string{"host.json: fixed: nothing"}},
		{"host of another session", "host.json", `"s1"`, `"s2"`, []string{"plan.json is of session s1, host.json of s2"}},
		{"unknown event", "journal.ndjson", `"invalid"`, `"bad"`, []string{`journal.ndjson:2: unknown event "bad"`}},
		{"event without a run", "journal.ndjson", `"run":2,`, ``, []string{"journal.ndjson:1: started without run", "journal.ndjson:2: invalid without run"}},
		{"event without its reason", "journal.ndjson", `"text":"why"`, `"text":""`, []string{"journal.ndjson:2: invalid without a text"}},
		{"broken line", "journal.ndjson", "{", "", []string{"journal.ndjson:1: no JSON", "journal.ndjson:2:", "journal.ndjson:3:"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fsys := aSession(t)
			f := fsys[dir+test.file]
			if !bytes.Contains(f.Data, []byte(test.old)) {
				t.Fatalf("%s has no %q:\n%s", test.file, test.old, f.Data)
			}
			f.Data = bytes.ReplaceAll(f.Data, []byte(test.old), []byte(test.new))
			_, err := ReadSession(fsys, "r/xeon-gate1.session")
			wantFaults(t, err, test.want...)
		})
	}
	fsys := aSession(t)
	delete(fsys, dir+"host.json")
	delete(fsys, dir+"journal.ndjson")
	_, err := ReadSession(fsys, "r/xeon-gate1.session")
	wantFaults(t, err, "host.json: not there", "journal.ndjson: not there")
}

// What a killed driver leaves is no fault: whole lines, and the beginning of one.
func TestJournalTorn(t *testing.T) {
	text := string(aSession(t)["r/xeon-gate1.session/journal.ndjson"].Data)
	last := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	for cut := last + 1; cut < len(text); cut++ {
		j, err := ReadJournal(strings.NewReader(text[:cut]), "journal.ndjson")
		if err != nil || !j.Torn || len(j.Events) != 2 {
			t.Fatalf("cut at %d: %v, %+v", cut, err, j)
		}
	}
	for _, whole := range []string{text, text[:last], ""} {
		if j, err := ReadJournal(strings.NewReader(whole), "journal.ndjson"); err != nil || j.Torn {
			t.Errorf("a whole journal: %v, %+v", err, j)
		}
	}
}

// That a row was decided counts between the end of its round and the next.
func TestDecidedAfter(t *testing.T) {
	decided := anEvent(RowDecided)
	decided.Round = 2
	at := func(kind EventKind, round int) Event { return Event{Kind: kind, Round: round} }
	begun, done := at(RoundStarted, 3), at(RoundDone, 2)
	for name, test := range map[string]struct {
		events []Event
		want   int
	}{
		"after its round":                  {[]Event{at(RoundDone, 1), done, decided, begun}, 2},
		"never":                            {[]Event{at(RoundDone, 1), done}, 0},
		"before its round was done":        {[]Event{at(RoundDone, 1), decided, done}, 0},
		"in the next":                      {[]Event{done, begun, decided}, 0},
		"before the next was given up":     {[]Event{done, decided, begun, at(RoundAborted, 3)}, 2},
		"after the next was given up":      {[]Event{done, begun, at(RoundAborted, 3), decided}, 2},
		"after another round than it says": {[]Event{done, begun, at(RoundDone, 3), decided}, 0},
	} {
		j := &Journal{Events: test.events}
		if got := j.DecidedAfter("multi", "php"); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
		if got := j.DecidedAfter("", "php") + j.DecidedAfter("multi", "static"); got != 0 {
			t.Errorf("%s: another row too", name)
		}
	}
	decided.Scenario = ""
	if texts := decided.faults(); len(texts) != 1 || texts[0] != "decided without a scenario" {
		t.Errorf("faults %q", texts)
	}
}

// The hash tells what makes measurements another thing, and nothing else.
func TestPlanHash(t *testing.T) {
	of := func(change func(p *Plan)) string {
		p := aPlan()
		change(p)
		return p.ComputeHash()
	}
	first := of(func(*Plan) {})
	for name, change := range map[string]func(p *Plan){
		"session": func(p *Plan) { p.Session = "s2" }, "time": func(p *Plan) { p.CreatedUTC = p.CreatedUTC.Add(time.Hour) },
		"rounds": func(p *Plan) { p.Rounds = 9 }, "hash": func(p *Plan) { p.Hash = "x" },
	} {
		if of(change) != first {
			t.Errorf("another %s gives another hash", name)
		}
	}
	for name, change := range map[string]func(p *Plan){
		"binary": func(p *Plan) { p.Variants[1].Binary.SHA256 = strings.Repeat("1", 64) }, "runs": func(p *Plan) { p.Runs = 3 },
		"parameter": func(p *Plan) { p.Params["cache"] = "check" }, "scenario": func(p *Plan) { p.Scenarios = p.Scenarios[:1] },
	} {
		if of(change) == first {
			t.Errorf("another %s gives the same hash", name)
		}
	}
}

func TestFingerprint(t *testing.T) {
	first, other := aHost(), aHost()
	other.Session, other.BootID, other.Now = "s2", "c", nil
	if first.Fingerprint() != other.Fingerprint() || first.Differences(other) != nil {
		t.Error("facts of the moment change the fingerprint")
	}
	other.Fixed["kernel"] = "7.0.0-39"
	delete(other.Fixed, "turbo")
	want := []Difference{{"kernel", "7.0.0-38", "7.0.0-39"}, {"turbo", "off", ""}}
	if first.Fingerprint() == other.Fingerprint() {
		t.Error("another kernel gives the same fingerprint")
	}
	if diff := cmp.Diff(want, first.Differences(other)); diff != "" {
		t.Error(diff)
	}
}

// Binaries do not belong to the method: a series is made to see what they change.
func TestMethod(t *testing.T) {
	p := Plan{Preset: "release", WarmupSeconds: 10, MeasureSeconds: 30, Order: "rotate", Interleave: "variant", Restart: "run",
		Params: map[string]string{"cache": "off", "apps": "2"}, Variants: []PlanVariant{{Name: "a"}}, Rounds: 3, Runs: 5, Seed: 1}
	if have, want := p.Method(), "release, 10 s + 30 s, order rotate, interleave variant, restart run, apps=2, cache=off"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
	if have, want := (&Plan{WarmupSeconds: 0.05, MeasureSeconds: 0.1}).Method(), "0.05 s + 0.1 s"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}
