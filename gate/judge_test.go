package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
)

// each changes the measurements of a variant in a scenario, of all rounds.
func each(e Evidence, variant, scenario string, change func(m *record.Measurement)) {
	for _, r := range e.Rounds {
		for i := range r.Measurements {
			if m := &r.Measurements[i]; m.Variant == variant && m.Scenario == scenario {
				change(m)
			}
		}
	}
}

// drop takes measurements out of a round.
func drop(r *record.Round, which func(m record.Measurement) bool) {
	r.Measurements = slices.DeleteFunc(r.Measurements, which)
}

// What is wrong with one row's evidence makes that row INVALID, or tells why it has no
// opinion, and leaves the others alone.
func TestRowsThatAreNotJudged(t *testing.T) {
	state := func(s record.State, reason string) func(m *record.Measurement) {
		return func(m *record.Measurement) {
			*m = record.Measurement{Session: m.Session, Round: m.Round, Run: m.Run, Variant: m.Variant, Scenario: m.Scenario, State: s, Reason: reason}
		}
	}
	tests := []struct {
		name  string
		spoil func(e Evidence)
		want  Verdict
		why   string
	}{
		{"one invalid measurement", func(e Evidence) {
			m := &e.Rounds[1].Measurements[1] // a, php, run 1
			state(record.Invalid, "3 of 30 samples were another program")(m)
		}, Invalid, "a, round 2, run 1: 3 of 30 samples were another program"},
		{"the host has no php", func(e Evidence) {
			each(e, "a", "php", state(record.NotRun, "php-fpm is not installed"))
			each(e, "b", "php", state(record.NotRun, "php-fpm is not installed"))
		}, NotRun, "php-fpm is not installed"},
		{"impossible for one variant", func(e Evidence) { each(e, "a", "php", state(record.NotApplicable, "no FastCGI")) }, NotApplicable, "a: no FastCGI"},
		{"in some runs only", func(e Evidence) { state(record.NotRun, "gone")(&e.Rounds[2].Measurements[1]) }, Invalid, "a was measured in some of its runs only"},
		{"one variant alone", func(e Evidence) {
			for _, r := range e.Rounds {
				drop(r, func(m record.Measurement) bool { return m.Variant == "b" && m.Scenario == "php" })
			}
		}, Invalid, "b was not measured"},
		{"a run is missing", func(e Evidence) {
			drop(e.Rounds[0], func(m record.Measurement) bool { return m.Run == 2 && m.Variant == "b" && m.Scenario == "php" })
		}, Invalid, "round 1: a has runs [1 2 3], b has [1 3]"},
		{"fewer runs than planned", func(e Evidence) {
			drop(e.Rounds[0], func(m record.Measurement) bool { return m.Run == 3 && m.Scenario == "php" })
		}, Invalid, "round 1: 2 runs, the plan has 3"},
		{"not in one round", func(e Evidence) {
			drop(e.Rounds[0], func(m record.Measurement) bool { return m.Scenario == "php" })
		}, Invalid, "not measured in round 1"},
		{"the binary was replaced", func(e Evidence) {
			each(e, "b", "php", func(m *record.Measurement) { m.ExeSHA256 = strings.Repeat([]string{"", "ab", "ab", "cd"}[m.Round], 32) })
		}, Invalid, "b was two programs: SHA-256 abababababab, and cdcdcdcdcdcd in round 3, run 1"},
		{"an open loop was late", func(e Evidence) {
			each(e, "b", "php", func(m *record.Measurement) { m.SentFrac, m.LateP999Millis = record.Of(1), record.Of(2.5) })
		}, Invalid, "b, round 1, run 1: one request in a thousand was sent 2.5 ms late or more, expected less than 1 ms"},
		{"the generator was the limit", func(e Evidence) {
			each(e, "b", "php", func(m *record.Measurement) { m.GeneratorBusyFrac = record.Of(0.96) })
		}, Invalid, "b, round 1, run 1: the generator was 96.0 % busy"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := lab{3, map[string]float64{"b": 900}}.evidence() // a FAIL if it were judged
			test.spoil(e)
			_, rows := judge(t, e, parityRules())
			php := rows["php"]
			if php.Verdict != test.want || !strings.Contains(strings.Join(php.Why, "\n"), test.why) {
				t.Errorf("%s %q, want %s %q", php.Verdict, php.Why, test.want, test.why)
			}
			if !php.Verdict.judged() && len(php.Numbers.Rounds) != 0 {
				t.Error("numbers of a row that was not judged")
			}
			if rows["static"].Verdict != Fail {
				t.Errorf("the other row is %s", rows["static"].Verdict)
			}
		})
	}
}

func TestUnknownVariant(t *testing.T) {
	rules := parityRules()
	rules.Compare[0].New = "c"
	_, rows := judge(t, lab{3, nil}.evidence(), rules)
	if r := rows["php"]; r.Verdict != Invalid || !strings.Contains(r.Short, "there is no variant c, only a, b") {
		t.Errorf("%s %q", r.Verdict, r.Short)
	}
	// Without a plan there is not even a row to say it.
	e := lab{3, nil}.evidence()
	e.Sessions, rules.Compare[0].Base = nil, "d"
	table, _ := judge(t, e, rules)
	if want := []string{"no row of c / d: there is no variant c, only a, b"}; table.Verdict() != Invalid || !slices.Equal(table.Notes, want) {
		t.Errorf("%s, notes %q, want %q", table.Verdict(), table.Notes, want)
	}
}

// NOT RUN never passes, unless it is allowed: by the scenario or by what it needs.
func TestAllowMissing(t *testing.T) {
	e := lab{3, nil}.evidence()
	for _, v := range []string{"a", "b"} {
		each(e, v, "php", func(m *record.Measurement) { m.State, m.Reason = record.NotRun, "no php" })
	}
	for _, test := range []struct {
		allow string
		want  Verdict
	}{{"", NotRun}, {"node", NotRun}, {"php", Pass}, {"php b/a", Pass}} {
		rules := parityRules()
		rules.AllowMissing = []string{test.allow}
		if table, _ := judge(t, e, rules); table.Verdict() != test.want {
			t.Errorf("allowing %q: %s, want %s", test.allow, table.Verdict(), test.want)
		}
	}
}

// A gate of N/A alone shows nothing.
func TestNothingButNotApplicable(t *testing.T) {
	e := lab{3, nil}.evidence()
	for _, scenario := range []string{"static", "php"} {
		each(e, "a", scenario, func(m *record.Measurement) { m.State, m.Reason = record.NotApplicable, "no HTTP/3" })
	}
	table, _ := judge(t, e, parityRules())
	if g := (Gate{table}); table.Verdict() != Invalid || g.Verdict() != Invalid || g.WorstSentence() != "" {
		t.Errorf("table %s, gate %s, worst %q", table.Verdict(), g.Verdict(), g.WorstSentence())
	}
	if v := (Gate{}).Verdict(); v != Invalid {
		t.Errorf("a gate of no table is %s", v)
	}
}

// A row in a mode that neither variant has is of other comparisons, and one that only one
// of them has is not applicable.
func TestOtherMode(t *testing.T) {
	for _, test := range []struct {
		elsewhere string // variants that are not in the mode of php
		want      []string
	}{
		{"", []string{"static PASS", "php PASS"}},
		{"b", []string{"static PASS", "php N/A"}},
		{"a b", []string{"static PASS"}},
	} {
		e := lab{3, nil}.evidence()
		for _, v := range strings.Fields(test.elsewhere) {
			each(e, v, "php", func(m *record.Measurement) {
				m.State, m.Reason, m.Flags = record.NotApplicable, "its instances are multi", []string{record.FlagOtherMode}
			})
		}
		table, _ := judge(t, e, parityRules())
		var got []string
		for _, r := range table.Rows {
			got = append(got, r.Scenario+" "+r.Word())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("not of %q: %q, want %q", test.elsewhere, got, test.want)
		}
	}
}

func TestFlags(t *testing.T) {
	e := lab{3, map[string]float64{"b/php": 900}}.evidence()
	e.Sessions[0].Plan.Preset = "quick"
	e.Sessions[0].Plan.Scenarios[1].Control = true
	e.Sessions[0].Journal.Events = []record.Event{
		{Kind: record.Rejected, Round: 1, Run: 2, Variant: "b", Scenario: "php", Attempt: 1, Text: "dnf ran"},
		{Kind: record.Rejected, Round: 1, Run: 2, Variant: "c", Scenario: "php", Attempt: 1, Text: "of another comparison"},
	}
	each(e, "b", "php", func(m *record.Measurement) {
		m.GeneratorBusyFrac, m.LittleRatio, m.Interfered = record.Of(0.99), record.Of(0.8), true
		m.P99Millis, m.CPUMicros, m.Flags = record.Value{}, record.Of(4000), []string{"noisy-host"}
	})
	_, rows := judge(t, e, parityRules())
	// cpu_us stays 4000, rps falls by 10 %: their product does too.
	want := []string{
		"invalid-attempts: 1 measured again; last: b, round 1, run 2: dnf ran",
		"generator-saturated: b, round 1, run 1: the generator was 99.0 % busy, so that it may have been the limit",
		"generator-idles: b, round 1, run 1: only 80.0 % of the connections were waiting for the server",
		"interfered: b, round 1, run 1: something else ran on its CPUs",
		"noisy-host: b, round 1, run 1",
		"not-server-bound: rps times cpu_us changed by -10.0 %: the server was not the limit",
		"not-measured: not measured: p99",
		"control-moved: a control is expected to show no difference, and shows -10.0 % with a spread of 0.1 %",
	}
	var have []string
	for _, f := range rows["php"].Flags {
		have = append(have, f.Code+": "+f.Text)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if len(rows["static"].Flags) != 0 {
		t.Errorf("the other row has flags %v", rows["static"].Flags)
	}
}

// A row that an application limits is judged by cpu_us.
func TestAppBound(t *testing.T) {
	e := lab{3, map[string]float64{"b/php": 900}}.evidence()
	e.Sessions[0].Plan.Scenarios[1].Bound = record.BoundApp
	each(e, "b", "php", func(m *record.Measurement) { m.CPUMicros = record.Of(3000) }) // of 4000
	_, rows := judge(t, e, parityRules())
	php := rows["php"]
	if php.Verdict != Pass || !php.has(FlagAppBound) || php.has(FlagNotServerBound) || ratioText(php.Numbers.Value) != "0.900" {
		t.Errorf("%s, rate %s, flags %v", php.Verdict, ratioText(php.Numbers.Value), php.Flags)
	}
	each(e, "b", "php", func(m *record.Measurement) { m.CPUMicros = record.Of(4400) })
	table, rows := judge(t, e, parityRules())
	// 4000 / 4400 = 0.909, and every run has the same, so that nothing excuses it.
	if have, want := (Gate{table}).WorstSentence(), "Worst: php 0.909 (base / new of cpu_us) FAIL, a loss of 9.1 % against a margin of 0.1 %."; rows["php"].Verdict != Fail || have != want {
		t.Errorf("%s: %s, want %s", rows["php"].Verdict, have, want)
	}
}

// Several comparisons and several tables: the worst of all is named with its table.
func TestSeveral(t *testing.T) {
	rules := parityRules()
	rules.Compare = append(rules.Compare, Comparison{Base: "b", New: "a"})
	e := lab{3, map[string]float64{"b": 1100}}.evidence()
	first, err := Judge(e, rules)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Rows) != 4 || first.Rows[1].Verdict != Pass || first.Rows[2].Verdict != Fail || ratioText(first.Rows[2].Numbers.Value) != "0.909" {
		t.Errorf("rows %v", first.Rows)
	}
	e = lab{3, map[string]float64{"b/php": 850}}.evidence()
	e.Name = "second"
	second, _ := judge(t, e, parityRules())
	want := "Worst: second, php 0.850 FAIL, a loss of 15.0 % against a margin of 0.1 %."
	if have := (Gate{first, second}).WorstSentence(); have != want {
		t.Errorf("%s, want %s", have, want)
	}
}
