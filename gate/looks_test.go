package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// looked is evidence of so many rounds, with looks up to the sixth. php leaves after a
// round; 0: never. The journal says so unless it is silent.
func (l lab) looked(rounds, leaves int, silent bool) Evidence {
	e := Evidence{Sessions: []*record.Session{l.session("s1")}}
	s := e.Sessions[0]
	s.Plan.Rounds, s.Plan.Gate = 6, record.PlanGate{Policy: "noninferior", LooksFrom: 3, MaxRounds: 6}
	note := func(kind record.EventKind, round int) {
		e := record.Event{Session: "s1", Kind: kind, Round: round}
		if kind == record.RowDecided {
			e.Scenario, e.Text = "php", "b/a PASS"
		}
		s.Journal.Events = append(s.Journal.Events, e)
	}
	for n := 1; n <= rounds; n++ {
		r := l.round("s1", n, night.Add(time.Duration(n)*time.Hour))
		if leaves > 0 && n > leaves {
			drop(r, func(m record.Measurement) bool { return m.Scenario == "php" })
		}
		e.Rounds = append(e.Rounds, r)
		note(record.RoundStarted, n)
		note(record.RoundDone, n)
		if n == leaves && !silent {
			note(record.RowDecided, n)
		}
	}
	return e
}

func looksRules() Rules {
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	rules.MinRounds, rules.MaxRounds = 3, 6
	return rules
}

// A row may lack rounds only where the journal proves that it was decided before them,
// and is judged at the level of its own last look.
func TestRowsThatLeft(t *testing.T) {
	_, rows := judge(t, lab{5, nil}.looked(5, 3, false), looksRules())
	php, static := rows["php"], rows["static"]
	// The looks after rounds 3, 4 and 5 of 6 have 0.00557, 0.01080 and 0.01542. A bound
	// that may be that of the rounds takes all of it.
	if php.Verdict != Pass || len(php.Numbers.Rounds) != 3 || php.Effect.Level < 0.00557 || php.Effect.Level > 0.00558 {
		t.Errorf("php: %s, %d rounds at %v: %q", php.Verdict, len(php.Numbers.Rounds), php.Effect.Level, php.Why)
	}
	if static.Verdict != Pass || len(static.Numbers.Rounds) != 5 || static.Effect.Level < 0.01541 || static.Effect.Level > 0.01543 {
		t.Errorf("static: %s, %d rounds at %v", static.Verdict, len(static.Numbers.Rounds), static.Effect.Level)
	}
	if php.Why[0] != "it has 3 of the 5 rounds: its session had decided it by then" || strings.Contains(static.Why[0], "rounds: its") {
		t.Errorf("why: %q, %q", php.Why, static.Why)
	}

	misplaced := lab{5, nil}.looked(5, 3, false)
	events := misplaced.Sessions[0].Journal.Events
	i := slices.IndexFunc(events, func(e record.Event) bool { return e.Kind == record.RowDecided })
	events[i], events[i+1] = events[i+1], events[i] // in the middle of round 4
	another := lab{5, nil}.looked(5, 3, false)
	another.Sessions[0].Journal.Events[i].Scenario = "static"
	unknown := lab{5, nil}.looked(5, 3, false)
	unknown.Sessions = nil
	for name, test := range map[string]struct {
		e    Evidence
		want string
	}{
		"no proof":                {lab{5, nil}.looked(5, 3, true), "not measured in round 4"},
		"decided in a round":      {misplaced, "not measured in round 4"},
		"another row was decided": {another, "not measured in round 4"},
		"no journal":              {unknown, "not measured in round 4"},
		"gone before that": {func() Evidence {
			e := lab{5, nil}.looked(5, 3, false)
			e.Rounds[2] = lab{5, nil}.looked(5, 2, false).Rounds[2]
			return e
		}(), "not measured in round 3"},
	} {
		if _, rows := judge(t, test.e, looksRules()); rows["php"].Verdict != Invalid || rows["php"].Short != test.want {
			t.Errorf("%s: %s %q, want %q", name, rows["php"].Verdict, rows["php"].Short, test.want)
		}
	}
	there := lab{5, nil}.looked(5, 3, false)
	there.Rounds[4] = lab{5, nil}.round("s1", 5, night.Add(5*time.Hour))
	if _, rows := judge(t, there, looksRules()); rows["php"].Verdict != Invalid || rows["php"].Short != "it was decided after round 3, by the journal, and is in round 5" {
		t.Errorf("measured all the same: %s %q", rows["php"].Verdict, rows["php"].Short)
	}
}

// Whoever judges by another rule is told that the session was stopped by looks, and that
// a row may not be decided any more.
func TestLooksOfAnotherRule(t *testing.T) {
	e := lab{5, map[string]float64{"b/php": 994}}.looked(5, 3, false)
	if table, _ := judge(t, e, looksRules()); len(table.Notes) != 0 {
		t.Errorf("its own rule: %q", table.Notes)
	}
	strict := looksRules()
	strict.MarginFrac = 0.006
	table, rows := judge(t, e, strict)
	if len(table.Notes) != 0 || rows["php"].Verdict != Inconclusive || !rows["php"].has(FlagUndecided) {
		t.Errorf("another margin: %q, %s %v", table.Notes, rows["php"].Verdict, rows["php"].Flags)
	}
	once := looksRules()
	once.MaxRounds = 0
	if table, _ := judge(t, e, once); len(table.Notes) != 1 || !strings.Contains(table.Notes[0], "session s1 was measured until it was decided by noninferior, margin 1.0 %, alpha 0.05, looks after rounds 3 to 6") {
		t.Errorf("one look: %q", table.Notes)
	}
	if table, _ := judge(t, e, parityRules()); len(table.Notes) != 1 {
		t.Errorf("parity: %q", table.Notes)
	}
}

func TestLook(t *testing.T) {
	fails := lab{5, map[string]float64{"b/php": 900}}
	for name, test := range map[string]struct {
		e     Evidence
		rules func(*Rules)
		want  string
	}{
		// Runs 0.4 % apart within a round are alike between the variants: all pairs say 1.
		"decided":   {lab{5, nil}.looked(3, 0, false), nil, "static decided b/a PASS; php decided b/a PASS"},
		"a FAIL":    {fails.looked(3, 0, false), nil, "static decided b/a PASS; php decided b/a FAIL"},
		"too early": {fails.looked(2, 0, false), nil, "static b/a PASS; php b/a FAIL"},
		"open":      {lab{5, map[string]float64{"b/php": 990}}.looked(3, 0, false), nil, "static decided b/a PASS; php b/a INCONCLUSIVE"},
		"two comparisons": {fails.looked(3, 0, false), func(r *Rules) { r.Compare = append(r.Compare, Comparison{Base: "b", New: "a"}) },
			"static decided b/a PASS, a/b PASS; php decided b/a FAIL, a/b PASS"},
		"one of them open": {lab{5, map[string]float64{"b/php": 990.001}}.looked(3, 0, false), func(r *Rules) { r.Compare = append(r.Compare, Comparison{Base: "b", New: "a"}) },
			"static decided b/a PASS, a/b PASS; php b/a INCONCLUSIVE, a/b PASS"},
	} {
		rules := looksRules()
		if test.rules != nil {
			test.rules(&rules)
		}
		rules.P99Max, rules.RSSMax = 0, 0
		if name == "one of them open" {
			each(test.e, "b", "php", func(m *record.Measurement) { m.RPS = record.Of(1000 * (0.99 + 0.004*float64(m.Run-3))) })
		}
		table, _ := judge(t, test.e, rules)
		var texts []string
		for _, l := range table.Look() {
			text := l.Scenario
			if l.Decided {
				text += " decided"
			}
			if l.First {
				text += " first"
			}
			texts = append(texts, text+" "+l.Text)
		}
		if got := strings.Join(texts, "; "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	// What only Holm keeps open is measured first.
	table := Table{Rules: looksRules(), Rounds: make([]*record.Round, 3), Rows: []Row{{Scenario: "x", Verdict: Inconclusive, takenBack: true}}}
	if l := table.Look(); l[0].Decided || !l[0].First {
		t.Errorf("taken back by Holm: %+v", l)
	}
}

// Rounds that are added under fixed are a repeat: they decide a row that was BORDERLINE,
// all together and alone.
func TestAddedRounds(t *testing.T) {
	at := func(rounds int, ratios ...float64) Evidence {
		e := lab{3, nil}.looked(rounds, 0, true)
		e.Sessions[0].Plan.Gate = record.PlanGate{Policy: "fixed", LooksFrom: 1, MaxRounds: 3}
		for i, r := range e.Rounds {
			one := Evidence{Rounds: []*record.Round{r}}
			each(one, "a", "php", func(m *record.Measurement) { m.RPS = record.Of(1000 * (1 + 0.1*float64(m.Run-2))) }) // a CV of 10 %
			each(one, "b", "php", func(m *record.Measurement) { m.RPS = record.Of(1000 * ratios[i]) })
		}
		return e
	}
	for _, test := range []struct {
		name   string
		e      Evidence
		want   Verdict
		short  string
		left   bool // no more rounds are needed
		ratios int  // that the row itself is judged by
	}{
		{"the first round", at(1, 0.97), Borderline, "below 0.98 by less than its spread", false, 1},
		{"half of a repeat", at(2, 0.97, 0.99), Borderline, "below 0.98 by less than its spread", false, 1},
		// The median of all three, 0.978, would be BORDERLINE again.
		{"a whole one passes", at(3, 0.97, 0.978, 0.99), Pass, "below 0.98 by less than its spread, then 0.984 PASS in a repeat", true, 1},
		{"a whole one fails", at(3, 0.97, 0.8, 0.82), Fail, "below 0.98 by less than its spread, then 0.810 FAIL in a repeat", true, 1},
		{"PASS stays", at(3, 0.98, 0.8, 0.8), Pass, "at least 0.98", true, 1},
		{"FAIL stays", at(3, 0.8, 0.99, 0.99), Fail, "below 0.98", true, 1},
	} {
		rule, err := RuleOf(test.e.Sessions[0].Plan.Gate)
		if err != nil || rule.Rounds() != 1 || rule.MaxRounds != 3 {
			t.Fatalf("%+v, %v", rule, err)
		}
		rules := parityRules()
		rules.Rule = rule
		table, rows := judge(t, test.e, rules)
		php := rows["php"]
		if php.Verdict != test.want || php.Short != test.short || len(php.Numbers.Rounds) != test.ratios {
			t.Errorf("%s: %s %q of %d rounds, want %s %q", test.name, php.Verdict, php.Short, len(php.Numbers.Rounds), test.want, test.short)
		}
		if l := table.Look(); l[1].Scenario != "php" || l[1].Decided != test.left {
			t.Errorf("%s: %+v", test.name, l)
		}
	}

	// A row that was decided after the first round has no repeat, and lacks nothing.
	left := at(3, 0.98, 0, 0)
	for _, r := range left.Rounds[1:] {
		drop(r, func(m record.Measurement) bool { return m.Scenario == "php" })
	}
	events := &left.Sessions[0].Journal.Events
	*events = slices.Insert(*events, 2, record.Event{Kind: record.RowDecided, Round: 1, Scenario: "php", Text: "b/a PASS"})
	rules := parityRules()
	rules.Rule, _ = RuleOf(left.Sessions[0].Plan.Gate)
	if _, rows := judge(t, left, rules); rows["php"].Verdict != Pass || len(rows["php"].Repeats) != 0 || rows["static"].Verdict != Pass || len(rows["static"].Repeats) != 1 {
		t.Errorf("php %s %q, static %s with %d repeats", rows["php"].Verdict, rows["php"].Why, rows["static"].Verdict, len(rows["static"].Repeats))
	}
}

// Sessions whose rows leave one by one as they are decided, judged by the gate after each
// of rounds 3 to 6: of rows that are slower by exactly the margin at most alpha pass, and
// at most alpha of the tables have one that fails, over all looks.
func TestErrorsOfRowsThatLeave(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a simulation of hundreds of sessions")
	}
	const sessions = 200
	ratios := []float64{0.99, 0.99, 1.01, 1.01, 0.97} // at the margin, faster, and over the margin
	for _, spend := range []stat.Spending{stat.OBF, stat.Power2} {
		r := rand.New(rand.NewPCG(8, 33+uint64(spend)))
		rules := looksRules()
		rules.Spend, rules.P99Max, rules.RSSMax = spend, 0, 0
		passed, failed, rounds, whole := 0, 0, 0, 0
		for range sessions {
			table, made := sessionUntilDecided(t, r, ratios, rules)
			rounds, whole = rounds+made, whole+len(table.Rounds)*len(ratios)
			anyFail := false
			for i, row := range table.Rows {
				atMargin := ratios[i] == 0.99
				if atMargin && row.Verdict == Pass {
					passed++
				}
				anyFail = anyFail || atMargin && row.Verdict == Fail
				if row.Verdict == Invalid {
					t.Fatalf("%s: %q", row.ID(), row.Why)
				}
			}
			if anyFail {
				failed++
			}
		}
		atMost(t, fmt.Sprintf("%s: PASS at the margin", spend), passed, 2*sessions, 0.05)
		atMost(t, fmt.Sprintf("%s: tables with a wrong FAIL", spend), failed, sessions, 0.05)
		if rounds >= whole*9/10 {
			t.Errorf("%s: rows had %d of %d rounds: next to none left early, and the test shows nothing", spend, rounds, whole)
		}
		t.Logf("%s: %d of %d rounds of rows were measured", spend, rounds, whole)
	}
}

// sessionUntilDecided measures rows at true ratios, with a noise of 1 %, until the gate
// has decided them or there are six rounds. made are the rounds of all rows.
func sessionUntilDecided(t *testing.T, r *rand.Rand, ratios []float64, rules Rules) (table Table, made int) {
	t.Helper()
	l := lab{5, nil}
	s := l.session("s1")
	s.Plan.Scenarios = nil
	for i := range ratios {
		s.Plan.Scenarios = append(s.Plan.Scenarios, record.PlanScenario{Name: fmt.Sprint("row-", i)})
	}
	e := Evidence{Sessions: []*record.Session{s}}
	left := map[string]bool{}
	for n := 1; n <= 6 && len(left) < len(ratios); n++ {
		s.Journal.Events = append(s.Journal.Events, record.Event{Kind: record.RoundStarted, Round: n}, record.Event{Kind: record.RoundDone, Round: n})
		round := l.round("s1", n, night.Add(time.Duration(n)*time.Hour))
		like := round.Measurements[0]
		round.Measurements = nil
		for i, sc := range s.Plan.Scenarios {
			if left[sc.Name] {
				continue
			}
			made++
			for run := 1; run <= 5; run++ {
				for _, v := range []struct {
					name  string
					ratio float64
				}{{"a", 1}, {"b", ratios[i]}} {
					m := like
					m.Run, m.Variant, m.Scenario = run, v.name, sc.Name
					m.RPS = record.Of(1000 * v.ratio * math.Exp(0.01*r.NormFloat64()))
					m.StartUTC = m.StartUTC.Add(time.Duration(run) * time.Minute)
					round.Measurements = append(round.Measurements, m)
				}
			}
		}
		e.Rounds = append(e.Rounds, round)
		var err error
		if table, err = Judge(e, rules); err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Look() {
			if row.Decided && !left[row.Scenario] {
				left[row.Scenario] = true
				s.Journal.Events = append(s.Journal.Events, record.Event{Kind: record.RowDecided, Round: n, Scenario: row.Scenario, Text: row.Text})
			}
		}
	}
	return table, made
}
