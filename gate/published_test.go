package gate

import (
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// A row that was not judged when it was written keeps its word.
func TestPublishedWithoutRatios(t *testing.T) {
	row := func(word string) record.GateRow {
		return record.GateRow{Table: "t", Scenario: "php", Base: "a", New: "b", Verdict: word}
	}
	for word, want := range map[string]Verdict{"INVALID": Invalid, "NOT RUN": NotRun, "N/A": NotApplicable, "SAME": Invalid} {
		g, err := JudgePublished([]record.GateRow{row(word)}, DefaultRule(Fixed))
		if err != nil {
			t.Fatal(err)
		}
		if r := g[0].Rows[0]; r.Verdict != want || r.Word() != word {
			t.Errorf("%s: %s, %s", word, r.Verdict, r.Word())
		}
	}
	for _, word := range []string{"PASS", "FAIL", "good"} {
		if _, err := JudgePublished([]record.GateRow{row(word)}, DefaultRule(Fixed)); err == nil || !strings.HasPrefix(err.Error(), "t, php: ") {
			t.Errorf("%s without a ratio: %v", word, err)
		}
	}
	if _, err := JudgePublished(nil, Rule{MinRounds: -1}); err == nil {
		t.Error("a rule that is none was taken")
	}
	one := row("PASS")
	one.Ratios = []record.Value{record.Of(1.1)}
	g, err := JudgePublished([]record.GateRow{one}, DefaultRule(Parity))
	if err != nil || g[0].Estimate == "" || g.Verdict() != Inconclusive {
		t.Errorf("of one round: %v, %v", g, err)
	}
}

func TestBinaryGrid(t *testing.T) {
	table := Table{Variants: []record.PlanVariant{
		{Name: "rc1-11", Binary: &record.Binary{Path: "/opt/rc/scalwsd", SHA256: strings.Repeat("ab", 32), Bytes: 20_971_520, Libc: "glibc 2.39", Compiler: "gcc 13.3", Linkage: "pie"}},
		{Name: "el8", About: map[string]string{"commit": "c89b145"}, Binary: &record.Binary{Path: "/opt/el8/scalwsd", Libc: "glibc 2.28", Newest: "GLIBC_2.28"}},
		{Name: "attached"},
		{Name: "go", Binary: &record.Binary{Path: "/opt/go", Linkage: "static", Compiler: "go1.26"}},
	}}
	g, ok := table.BinaryGrid()
	if !ok {
		t.Fatal("no grid")
	}
	var have strings.Builder
	if err := g.Markdown(&have, true); err != nil {
		t.Fatal(err)
	}
	want := `| label | from | C library, C compiler | linkage | SHA-256 | bytes |
|---|---|---|---|---|---:|
| rc1-11 | /opt/rc/scalwsd | glibc 2.39, gcc 13.3 | pie | abababababab | 20 971 520 |
| el8 | /opt/el8/scalwsd at c89b145 | glibc 2.28 (newest symbol GLIBC_2.28) | n/a | n/a | n/a |
| go | /opt/go | go1.26 | static | n/a | n/a |
`
	if have.String() != want {
		t.Errorf("have\n%swant\n%s", have.String(), want)
	}
	if _, ok := (&Table{}).BinaryGrid(); ok {
		t.Error("a grid of nothing")
	}
}

func TestComparisonsOf(t *testing.T) {
	have := ComparisonsOf(&record.Plan{Compare: []record.PlanComparison{{Base: "a", New: "b"}, {Base: "b", New: "c", SameOK: "calibration"}}})
	if len(have) != 2 || have[0] != (Comparison{Base: "a", New: "b"}) || have[1].SameOK != "calibration" || have[1].String() != "c / b" {
		t.Errorf("%+v", have)
	}
}
