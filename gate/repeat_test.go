package gate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// addRepeat adds a session of one round that repeats one scenario of s1, or of another.
func addRepeat(e *Evidence, l lab, id, of, scenario string, start time.Time) {
	s := l.session(id)
	s.Plan.RepeatOf, s.Plan.Rounds = of, 1
	s.Plan.Scenarios = slices.DeleteFunc(s.Plan.Scenarios, func(p record.PlanScenario) bool { return p.Name != scenario })
	r := l.round(id, 1, start)
	drop(r, func(m record.Measurement) bool { return m.Scenario != scenario })
	e.Sessions = append(e.Sessions, s)
	e.Rounds = append(e.Rounds, r)
}

// A control that shows a difference in a repeat says so in the table, too.
func TestControlOfRepeat(t *testing.T) {
	e := lab{3, nil}.evidence()
	addRepeat(&e, lab{3, map[string]float64{"b/php": 950}}, "again", "s1", "php", night.Add(24*time.Hour))
	again := e.Sessions[1].Plan
	again.Scenarios[0].Control = true
	rules := parityRules()
	rules.Rule = DefaultRule(Fixed)
	_, rows := judge(t, e, rules)
	php := rows["php"]
	i := slices.IndexFunc(php.Flags, func(f Flag) bool { return f.Code == FlagControlMoved })
	if i < 0 || !strings.HasPrefix(php.Flags[i].Text, "in a repeat: a control is expected to show no difference, and shows -5.0 %") || php.Verdict != Pass {
		t.Errorf("%s, flags %v", php.Verdict, php.Flags)
	}
}

func TestRepeats(t *testing.T) {
	fixed := parityRules()
	fixed.Rule = DefaultRule(Fixed)
	// A wide first measurement: runs of 0.9, 1 and 1.1 have a CV of 10 %.
	open := func(ratio float64) Evidence {
		e := lab{3, map[string]float64{"b": 1000 * ratio}}.evidence()
		each(e, "a", "php", func(m *record.Measurement) { m.RPS = record.Of(1000 * (1 + 0.1*float64(m.Run-2))) })
		return e
	}
	day := night.Add(24 * time.Hour)
	tests := []struct {
		name    string
		e       Evidence
		repeats []float64 // ratio of each; 0: an invalid one
		want    Verdict
		flag    string
	}{
		{"none", open(0.97), nil, Borderline, ""},
		{"resolved to PASS", open(0.97), []float64{0.99}, Pass, "BORDERLINE, then PASS"},
		{"resolved to FAIL", open(0.97), []float64{0.95}, Fail, "BORDERLINE, then FAIL"},
		{"the first that decides", open(0.97), []float64{0.9795, 0.95, 0.99}, Fail, "BORDERLINE, then FAIL"},
		{"an invalid one decides nothing", open(0.97), []float64{0}, Borderline, "BORDERLINE, then BORDERLINE"},
		{"FAIL stays", lab{3, map[string]float64{"b": 950}}.evidence(), []float64{0.99}, Fail, "FAIL stays"},
		{"PASS stays", lab{3, nil}.evidence(), []float64{0.9}, Pass, "PASS stays"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i, ratio := range test.repeats {
				l := lab{3, map[string]float64{"b": 1000 * ratio}}
				addRepeat(&test.e, l, "again"+string(rune('1'+i)), "s1", "php", day.Add(time.Duration(i)*time.Hour))
				if ratio == 0 {
					last := test.e.Rounds[len(test.e.Rounds)-1]
					last.Measurements[0].State, last.Measurements[0].Reason = record.Invalid, "502"
				}
			}
			table, rows := judge(t, test.e, fixed)
			php := rows["php"]
			if php.Verdict != test.want || len(php.Repeats) != len(test.repeats) || len(table.Rounds) != 3 {
				t.Errorf("%s, want %s; %d repeats, %d rounds: %v", php.Verdict, test.want, len(php.Repeats), len(table.Rounds), php.Why)
			}
			if php.Verdict == Pass && php.First == Borderline {
				want := "Worst: php 0.970, below 0.98 by less than its spread, then 0.990 PASS in a repeat."
				php := Table{Rules: fixed, Rows: []Row{*php}}
				if have := (Gate{php}).WorstSentence(); have != want {
					t.Errorf("%s, want %s", have, want)
				}
				if cells := php.VariantGrid().Rows[0]; cells[len(cells)-1] != "borderline, then pass (repeat)" {
					t.Errorf("cells %q", cells)
				}
			}
			i := slices.IndexFunc(php.Flags, func(f Flag) bool { return f.Code == FlagRepeated })
			if (i >= 0) != (test.flag != "") || i >= 0 && !strings.Contains(php.Flags[i].Text, test.flag) {
				t.Errorf("flags %v, want %q", php.Flags, test.flag)
			}
			if r := rows["static"]; len(r.Repeats) != 0 || r.has(FlagRepeated) {
				t.Error("the other row was repeated")
			}
		})
	}
}

// A chain of repeats is followed.
func TestRepeatOfARepeat(t *testing.T) {
	e := lab{3, nil}.evidence()
	addRepeat(&e, lab{3, nil}, "again", "s1", "php", night.Add(24*time.Hour))
	addRepeat(&e, lab{3, nil}, "chained", "again", "php", night.Add(25*time.Hour))
	table, rows := judge(t, e, parityRules())
	if len(rows["php"].Repeats) != 2 || len(table.Notes) != 0 {
		t.Errorf("%d repeats, notes %q", len(rows["php"].Repeats), table.Notes)
	}
}

// What was measured elsewhere or otherwise repeats nothing.
func TestNoRepeat(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(s *record.Session)
		want  string
	}{
		{"of another session", func(s *record.Session) { s.Plan.RepeatOf = "s7" }, "session again repeats s7, which is not in this table, and was left out"},
		{"on another host", func(s *record.Session) { s.Host.Fixed["kernel"] = "8" }, "session again is of another host: kernel (7, 8), and was left out"},
		{"shorter", func(s *record.Session) { s.Plan.MeasureSeconds = 3 }, `session again was measured otherwise (preset "release", 0 s + 3 s; not "release", 0 s + 0 s), and was left out`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := lab{3, nil}.evidence()
			addRepeat(&e, lab{3, nil}, "again", "s1", "php", night.Add(24*time.Hour))
			test.spoil(e.Sessions[1])
			table, rows := judge(t, e, parityRules())
			if len(rows["php"].Repeats) != 0 || !slices.Equal(table.Notes, []string{test.want}) || table.Verdict() != Pass {
				t.Errorf("%d repeats, notes %q, table %s", len(rows["php"].Repeats), table.Notes, table.Verdict())
			}
		})
	}
}

// A repeat with another binary is INVALID, and resolves nothing.
func TestRepeatOfAnotherBinary(t *testing.T) {
	e := lab{3, nil}.evidence()
	addRepeat(&e, lab{3, nil}, "again", "s1", "php", night.Add(24*time.Hour))
	for i, r := range e.Rounds {
		for j := range r.Measurements {
			r.Measurements[j].ExeSHA256 = strings.Repeat([]string{"ab", "ab", "ab", "cd"}[i], 32)
		}
	}
	_, rows := judge(t, e, parityRules())
	if again := rows["php"].Repeats[0]; again.Verdict != Invalid || !strings.Contains(again.Short, "a was two programs") {
		t.Errorf("%s %q", again.Verdict, again.Short)
	}
}

// A ruling marks a FAIL and changes no verdict; accepting it is another thing.
func TestRulings(t *testing.T) {
	rules := parityRules()
	rules.Rulings = []record.Ruling{
		{Row: "php", Date: "2026-11-06", By: "x", Text: "first"},
		{Row: "php b/a", Date: "2026-11-07", By: "release", Text: "the filter stays"},
		{Row: "static", Date: "2026-11-07", By: "release", Text: "of a row that passes"},
	}
	e := lab{3, map[string]float64{"b/php": 900}}.evidence()
	table, rows := judge(t, e, rules)
	php := rows["php"]
	if php.Verdict != Fail || php.Word() != "FAIL (ruled)" || php.Ruling.Text != "the filter stays" || table.Verdict() != Fail {
		t.Errorf("%s, ruling %v, table %s", php.Word(), php.Ruling, table.Verdict())
	}
	if rows["static"].Ruling != nil {
		t.Error("a ruling on a row that passes")
	}
	rules.AcceptRulings = true
	if table, _ = judge(t, e, rules); table.Verdict() != Pass {
		t.Errorf("with rulings accepted: %s", table.Verdict())
	}
}

// A ruling of last week's session lies beside this week's, whose FAIL nobody has seen yet:
// the measurements began on 2026-11-06.
func TestRulingsOlderThanTheSession(t *testing.T) {
	for date, want := range map[string]Verdict{"2026-11-04": Fail, "2026-11-05": Pass, "2026-11-06": Pass, "2027-01-01": Pass} {
		rules := parityRules()
		rules.Rulings, rules.AcceptRulings = []record.Ruling{{Row: "php", Date: date, By: "x", Text: "it may"}}, true
		table, rows := judge(t, lab{3, map[string]float64{"b/php": 900}}.evidence(), rules)
		if table.Verdict() != want || rows["php"].has(FlagRulingOld) != (want == Fail) || rows["php"].has(FlagRuled) != (want == Pass) {
			t.Errorf("%s: %s, want %s; %v", date, table.Verdict(), want, rows["php"].Flags)
		}
	}
	// When rounds without a time were measured nobody knows.
	e := lab{3, map[string]float64{"b/php": 900}}.evidence()
	for _, v := range []string{"a", "b"} {
		for _, s := range []string{"static", "php"} {
			each(e, v, s, func(m *record.Measurement) { m.StartUTC = time.Time{} })
		}
	}
	rules := parityRules()
	rules.Rulings = []record.Ruling{{Row: "php", Date: "2026-01-01", By: "x", Text: "it may"}}
	if _, rows := judge(t, e, rules); rows["php"].Ruling == nil {
		t.Error("without a time: no ruling")
	}
}

// A repeat without what it repeats is a table of its own.
func TestRepeatAlone(t *testing.T) {
	var e Evidence
	addRepeat(&e, lab{3, map[string]float64{"b": 1010}}, "again", "s1", "php", night)
	rules := parityRules()
	rules.Rule = DefaultRule(Fixed)
	table, rows := judge(t, e, rules)
	if want := []string{"session again repeats s1, which is not here: it is judged alone"}; len(rows) != 1 || rows["php"].Verdict != Pass || !slices.Equal(table.Notes, want) {
		t.Errorf("%d rows, %s, notes %q", len(rows), table.Verdict(), table.Notes)
	}
}
