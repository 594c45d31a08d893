package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// lab makes evidence: sessions of two variants, a and b, and two scenarios.
type lab struct {
	runs int
	rps  map[string]float64 // of a variant, or of VARIANT/SCENARIO; others have 1000
}

var varied = []record.Difference{{What: "binary", Base: "aa", New: "bb"}}

// session has a plan that the rounds of lab follow.
func (l lab) session(id string) *record.Session {
	p := &record.Plan{
		Session: id, Suite: "s", Host: "h", Preset: "release", Rounds: 3, Runs: l.runs,
		Variants:  []record.PlanVariant{{Name: "a"}, {Name: "b"}},
		Scenarios: []record.PlanScenario{{Name: "static"}, {Name: "php", Needs: []string{"php"}}},
	}
	s := &record.Session{Dir: "h-s.session", Plan: p, Host: &record.Host{Name: "h", Fixed: map[string]string{"kernel": "7"}}, Journal: &record.Journal{}}
	s.Plan.Hash = p.ComputeHash()
	return s
}

// round has runs within 0.2 % of the variant's rate: for three runs, 0.999, 1 and
// 1.001 of it, whose CV is 0.1 %.
func (l lab) round(session string, number int, start time.Time) *record.Round {
	r := &record.Round{
		Dir: fmt.Sprintf("h-s-%d", number), Table: "h-s", Number: number, Session: session, Finished: true,
		Identity: &record.Identity{Session: session, Round: number, Differs: []record.Differs{{Base: "a", New: "b", Items: varied}}},
	}
	for run := 1; run <= l.runs; run++ {
		for _, variant := range []string{"a", "b"} {
			for _, scenario := range []string{"static", "php"} {
				rps := 1000.0
				for _, key := range []string{variant, variant + "/" + scenario} {
					if rate, told := l.rps[key]; told {
						rps = rate
					}
				}
				rps *= 1 + 0.001*float64(run-(l.runs+1)/2)
				r.Measurements = append(r.Measurements, record.Measurement{
					Session: session, Round: number, Run: run, Variant: variant, Scenario: scenario,
					StartUTC: start.Add(time.Duration(run) * time.Minute), DurationSeconds: record.Of(30), Requests: uint64(30 * rps), RPS: record.Of(rps),
					P99Millis: record.Of(2), CPUMicros: record.Of(4e6 / rps), RSSKiB: record.Of(45056), State: record.Valid,
				})
			}
		}
	}
	return r
}

var night = time.Date(2026, 11, 6, 21, 0, 0, 0, time.UTC)

// evidence is three rounds of one session.
func (l lab) evidence() Evidence {
	e := Evidence{Sessions: []*record.Session{l.session("s1")}}
	for n := 1; n <= 3; n++ {
		e.Rounds = append(e.Rounds, l.round("s1", n, night.Add(time.Duration(n)*time.Hour)))
	}
	return e
}

func parityRules() Rules {
	return Rules{Rule: DefaultRule(Parity), Compare: []Comparison{{Base: "a", New: "b"}}}
}

// judge makes a table, and its rows by scenario.
func judge(t *testing.T, e Evidence, rules Rules) (Table, map[string]*Row) {
	t.Helper()
	table, err := Judge(e, rules)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]*Row{}
	for i := range table.Rows {
		rows[table.Rows[i].cell().String()] = &table.Rows[i]
	}
	return table, rows
}

func (r *Row) has(code string) bool {
	return slices.ContainsFunc(r.Flags, func(f Flag) bool { return f.Code == code })
}

func TestJudge(t *testing.T) {
	table, rows := judge(t, lab{3, map[string]float64{"b/static": 1010, "b/php": 990}}.evidence(), parityRules())
	if table.Name != "h-s" || table.Estimate != "" || len(table.Rows) != 2 || len(table.Notes) != 0 {
		t.Errorf("table %q, estimate %q, %d rows, notes %v", table.Name, table.Estimate, len(table.Rows), table.Notes)
	}
	static, php := rows["static"], rows["php"]
	if static.Verdict != Pass || php.Verdict != Fail || table.Verdict() != Fail {
		t.Errorf("static %s, php %s, table %s", static.Verdict, php.Verdict, table.Verdict())
	}
	// Medians are the middle runs: 1010 / 1000, and over all rounds the same.
	n := &static.Numbers
	if n.Value != 1.01 || n.Pooled != 1.01 || n.Base.Runs != 9 || len(n.Rounds) != 3 || n.Rounds[2].NewRPS != 1010 || n.P99 != 1 || n.RSS != 1 {
		t.Errorf("numbers %+v", n)
	}
	// 0.999, 1 and 1.001: sd = sqrt((1e-6+1e-6)/2) = 0.001.
	if have := spreadText(n.Spread); have != "0.1" || len(static.Flags) != 0 {
		t.Errorf("spread %s, flags %v", have, static.Flags)
	}
	if have, want := (Gate{table}).WorstSentence(), "Worst: php 0.990 FAIL, a loss of 1.0 % against a margin of 0.1 %."; have != want {
		t.Errorf("%s, want %s", have, want)
	}
	if !static.Is("static") || !static.Is("static b/a") || static.Is("php") || static.ID() != "static b/a" {
		t.Errorf("row %s answers to the wrong names", static.ID())
	}
}

// Evidence that does not belong together is not judged, and the reason tells why.
func TestEvidenceThatFormsNoGate(t *testing.T) {
	l := lab{3, nil}
	second := func(change func(s *record.Session)) Evidence {
		e := l.evidence()
		s := l.session("s2")
		s.Plan.Rounds = 1
		change(s)
		s.Plan.Hash = s.Plan.ComputeHash()
		e.Sessions = append(e.Sessions, s)
		e.Rounds = append(e.Rounds, l.round("s2", 1, night.Add(24*time.Hour)))
		return e
	}
	unfinished := l.evidence()
	for _, r := range unfinished.Rounds {
		r.Finished = false
	}
	twice := l.evidence()
	twice.Rounds = append(twice.Rounds, twice.Rounds[0])
	unknown := second(func(*record.Session) {})
	unknown.Sessions = unknown.Sessions[:1]
	tests := []struct {
		name string
		e    Evidence
		why  string // "": it forms one
	}{
		{"one session", l.evidence(), ""},
		{"two sessions that measured the same", second(func(*record.Session) {}), ""},
		{"another binary", second(func(s *record.Session) { s.Plan.Variants[1].Binary = &record.Binary{SHA256: "cd"} }), "different plans"},
		{"another host", second(func(s *record.Session) { s.Host.Fixed["kernel"] = "8" }), "different hosts: kernel (7, 8)"},
		{"an unknown session", unknown, "nobody knows whether they measured the same"},
		{"a round twice", twice, "h-s-1 and h-s-1 are both round 1 of session s1"},
		{"nothing finished", unfinished, "no finished round"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := parityRules()
			table, _ := judge(t, test.e, rules)
			if test.why == "" {
				if table.Verdict() != Pass {
					t.Errorf("%s: %v", table.Verdict(), table.Rows[0].Why)
				}
				return
			}
			if table.Verdict() != Invalid {
				t.Errorf("table %s", table.Verdict())
			}
			texts := table.Notes
			for _, r := range table.Rows {
				if r.Verdict != Invalid || len(r.Numbers.Rounds) != 0 {
					t.Errorf("%s is %s, with %d rounds", r.ID(), r.Verdict, len(r.Numbers.Rounds))
				}
				texts = append(texts, r.Why...)
			}
			if !strings.Contains(strings.Join(texts, "\n"), test.why) {
				t.Errorf("reasons %q, want %q", texts, test.why)
			}
		})
	}
}

// Rounds are put in the order of time, and unfinished ones are left out and told.
func TestOrderOfRounds(t *testing.T) {
	e := lab{3, nil}.evidence()
	slices.Reverse(e.Rounds)
	e.Rounds = append(e.Rounds, lab{3, nil}.round("s1", 4, night.Add(9*time.Hour)))
	e.Rounds[3].Finished = false
	table, _ := judge(t, e, parityRules())
	for i, r := range table.Rounds {
		if r.Number != i+1 {
			t.Errorf("place %d has round %d", i+1, r.Number)
		}
	}
	if len(table.Rounds) != 3 || !slices.Equal(table.Notes, []string{"h-s-4 is not finished and was left out"}) {
		t.Errorf("%d rounds, notes %q", len(table.Rounds), table.Notes)
	}
	want := []string{"Rounds 2026-11-06 22:01 to 2026-11-07 00:03 UTC, h-s-{1,2,3}"}
	if have := table.span(); !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// A table of too few rounds, or of a preset that gives no verdict of record, is an
// estimate: its cells say what they would, and it concludes nothing.
func TestEstimate(t *testing.T) {
	e := lab{3, map[string]float64{"b": 900}}.evidence()
	e.Rounds = e.Rounds[:2]
	table, rows := judge(t, e, parityRules())
	if table.Estimate != "2 of the 3 rounds that policy parity needs" || rows["php"].Verdict != Fail || table.Verdict() != Inconclusive {
		t.Errorf("estimate %q, row %s, table %s", table.Estimate, rows["php"].Verdict, table.Verdict())
	}
	rules := parityRules()
	rules.Rule = DefaultRule(Fixed)
	e.Sessions[0].Plan.Rounds = 2
	if table, _ := judge(t, e, rules); table.Estimate != "" || table.Verdict() != Fail {
		t.Errorf("policy fixed with two rounds: estimate %q, %s", table.Estimate, table.Verdict())
	}
	e.Sessions[0].Plan.Preset = "quick"
	if table, _ := judge(t, e, rules); table.Estimate != "measured with preset quick" || table.Verdict() != Inconclusive {
		t.Errorf("quick: estimate %q, %s", table.Estimate, table.Verdict())
	}
	e.Sessions[0].Plan.Preset, e.Sessions[0].Plan.StandIn = "release", "played"
	if table, _ := judge(t, e, rules); table.Estimate != "played" || table.Verdict() != Inconclusive {
		t.Errorf("stand-in: estimate %q, %s", table.Estimate, table.Verdict())
	}
	e.Rounds[0].Measurements[0].State, e.Rounds[0].Measurements[0].Reason = record.Invalid, "502"
	if table, _ := judge(t, e, rules); table.Verdict() != Invalid {
		t.Errorf("an estimate with broken evidence is %s", table.Verdict())
	}
}

// Rounds from elsewhere, of which no plan is known, can be judged when they are of
// one session.
func TestRoundsWithoutSession(t *testing.T) {
	e := lab{3, nil}.evidence()
	e.Sessions = nil
	for _, r := range e.Rounds {
		r.Identity = nil
	}
	table, rows := judge(t, e, parityRules())
	if len(table.Rows) != 2 || table.Verdict() != Pass || !rows["static"].has(FlagDiffersUnknown) {
		t.Errorf("%d rows, %s, flags %v", len(table.Rows), table.Verdict(), rows["static"].Flags)
	}
}
