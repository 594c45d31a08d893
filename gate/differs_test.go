package gate

import (
	"strings"
	"testing"
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
	rules := parityRules()
	rules.PassSame = true
	if table, rows = judge(t, same(), rules); rows["php"].Word() != "SAME" || table.Verdict() != Pass {
		t.Errorf("passing the same: %s, table %s", rows["php"].Word(), table.Verdict())
	}
	rules = parityRules()
	rules.Compare[0].SameOK = "calibration"
	if _, rows = judge(t, same(), rules); rows["php"].Word() != "FAIL" || !rows["php"].has(FlagSame) {
		t.Errorf("allowed to be the same: %s, flags %v", rows["php"].Word(), rows["php"].Flags)
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
			if test.flag != "" && !php.has(test.flag) {
				t.Errorf("flags %v, want %s", php.Flags, test.flag)
			}
		})
	}
}
