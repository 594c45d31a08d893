package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// Two variants between which nothing differs are not compared, unless it is meant.
func TestSame(t *testing.T) {
	same := func() Evidence {
		e := lab{3, map[string]float64{"b": 900}}.evidence()
		e.Rounds[1].Identity.Differs[0].Items = nil
		return e
	}
	table, rows := judge(t, same(), parityRules())
	if r := rows["php"]; r.Word() != "SAME" || r.Verdict != Invalid || table.Verdict() != Invalid {
		t.Errorf("%s, %s, table %s", r.Word(), r.Verdict, table.Verdict())
	}
	// What is the same may pass where it is the same in all rounds. Where it was in one alone,
	// b was measured in the others, and loses 10 %.
	rules := parityRules()
	rules.PassSame = true
	if table, rows = judge(t, same(), rules); rows["php"].Verdict != Invalid || table.Verdict() != Invalid {
		t.Errorf("the same in one round: %s, table %s", rows["php"].Verdict, table.Verdict())
	}
	all := same()
	for _, r := range all.Rounds {
		r.Identity.Differs[0].Items = nil
	}
	if table, rows = judge(t, all, rules); rows["php"].Word() != "SAME" || table.Verdict() != Pass {
		t.Errorf("passing the same: %s, table %s", rows["php"].Word(), table.Verdict())
	}
	// A round of which nobody knows does not hide one in which nothing differed.
	unknown := same()
	unknown.Rounds[2].Identity.Differs = nil
	if _, rows := judge(t, unknown, parityRules()); rows["php"].Word() != "SAME" || rows["php"].Verdict != Invalid {
		t.Errorf("beside one that is unknown: %s %s", rows["php"].Word(), rows["php"].Verdict)
	}
	rules.PassSame = true
	if _, rows := judge(t, unknown, rules); rows["php"].Verdict != Invalid {
		t.Errorf("beside one that is unknown, passing the same: %s", rows["php"].Verdict)
	}
	rules = parityRules()
	rules.Compare[0].SameOK = "calibration"
	if _, rows = judge(t, same(), rules); rows["php"].Word() != "FAIL" || !rows["php"].has(FlagSame) {
		t.Errorf("allowed to be the same: %s, flags %v", rows["php"].Word(), rows["php"].Flags)
	}
}

// hide makes one thing not comparable in round 2, beside binary where variants may differ
// in something, and as all that there is elsewhere.
func hide(varies []string, what string) func(Evidence) {
	return func(e Evidence) {
		e.Sessions[0].Plan.Varies = varies
		d := &e.Rounds[1].Identity.Differs[0]
		d.NA = []record.NotCompared{{What: what, Why: "another user's process"}}
		if varies == nil {
			d.Items = nil
		}
	}
}

func TestDifferences(t *testing.T) {
	hidden := record.NotCompared{What: "binary", Why: "another user's process"}
	for want, d := range map[string]record.Differs{
		"differs: binary (a: aa, b: bb)":                                                  {Base: "a", New: "b", Items: varied},
		"differs: nothing between a and b":                                                {Base: "a", New: "b"},
		"differs: nothing between a and b; not compared: binary (another user's process)": {Base: "a", New: "b", NA: []record.NotCompared{hidden}},
	} {
		if got := differsLine(d); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDiffers(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(e Evidence)
		want  string // the reason of INVALID; "": judged
		flag  string
	}{
		{"as declared", func(e Evidence) { e.Sessions[0].Plan.Varies = []string{"binary"} }, "", ""},
		{"as the scenario declares", func(e Evidence) {
			e.Sessions[0].Plan.Varies = []string{"argv"}
			e.Sessions[0].Plan.Scenarios[1].Varies = []string{"binary"}
		}, "", ""},
		{"in something else", func(e Evidence) { e.Sessions[0].Plan.Varies = []string{"env"} }, "round 1: the variants differ in binary (aa, bb), which they may not", ""},
		{"looked for the other way round", func(e Evidence) {
			for _, r := range e.Rounds {
				r.Identity.Differs[0].Base, r.Identity.Differs[0].New = "b", "a"
			}
			e.Sessions[0].Plan.Varies = []string{"env"}
		}, "binary (bb, aa)", ""},
		{"not looked for", func(e Evidence) { e.Rounds[2].Identity.Differs = nil }, "", FlagDiffersUnknown},
		{"nothing that could be compared", hide(nil, "binary"), "", FlagDiffersUnknown},
		{"something that may differ could not", hide([]string{"binary", "env"}, "env"), "", ""},
		{"something that may not differ could not", hide([]string{"binary"}, "env"), "", FlagDiffersUnknown},
		{"no evidence of who ran", func(e Evidence) { e.Rounds[2].Identity = nil }, "h-s-3 has no identity.json", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := lab{3, nil}.evidence()
			test.spoil(e)
			_, rows := judge(t, e, parityRules())
			php := rows["php"]
			if (php.Verdict == Invalid) != (test.want != "") || !strings.Contains(php.Short, test.want) {
				t.Errorf("%s %q, want %q", php.Verdict, php.Short, test.want)
			}
			if php.has(FlagDiffersUnknown) != (test.flag != "") {
				t.Errorf("flags %v, want %q", php.Flags, test.flag)
			}
		})
	}
}

// A table names the programs that ran, not the wrappers of the plan.
func TestProgramsAsRun(t *testing.T) {
	e := lab{3, nil}.evidence()
	shell, server := record.Binary{Path: "/bin/dash", SHA256: "aa"}, record.Binary{Path: "/usr/sbin/nginx", SHA256: "bb"}
	for i := range e.Sessions[0].Plan.Variants {
		e.Sessions[0].Plan.Variants[i].Binary = &shell
	}
	e.Rounds[0].Identity.Programs = []record.Program{{Variant: "b", Binary: server}}
	table, _ := judge(t, e, parityRules())
	if g, ok := table.BinaryGrid(); !ok || g.Rows[0][1] != "/bin/dash" || g.Rows[1][1] != "/usr/sbin/nginx" {
		t.Errorf("%q", g.Rows)
	}
	if e.Sessions[0].Plan.Variants[1].Binary != &shell {
		t.Error("the plan was changed")
	}
}

// What servers logged is told below the table, each error once over all rounds.
func TestLogErrors(t *testing.T) {
	e := lab{3, nil}.evidence()
	for i := range e.Rounds {
		e.Rounds[i].Identity.LogErrors = []record.LogError{
			{Normal: "expired", Text: "12:0" + string(rune('0'+i)) + " expired", Count: 2, Variants: []string{"a", "b"}, Shared: true},
			{Normal: "odd", Text: "odd", Count: 1, Variants: []string{[]string{"a", "b", "b"}[i]}},
		}
	}
	for n := range 5 {
		e.Rounds[2].Identity.LogErrors = append(e.Rounds[2].Identity.LogErrors, record.LogError{Normal: string(rune('p' + n)), Text: "x", Count: 1, Variants: []string{"a"}})
	}
	table, _ := judge(t, e, parityRules())
	want := []string{
		"logs: shared by all variants, logged 6 times: 12:00 expired", "logs: a, b alone logged 3 times: odd",
		"logs: a alone logged 1 times: x", "logs: a alone logged 1 times: x", "logs: a alone logged 1 times: x", "2 more errors are in the logs",
	}
	if !slices.Equal(table.Notes, want) {
		t.Errorf("notes %q", table.Notes)
	}
}
