package gate

import (
	"os"
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
	// Where linkers left build ids they stand beside.
	table.Variants[0].Binary.BuildID = strings.Repeat("c0ffee", 6)
	if g, _ := table.BinaryGrid(); g.Columns[6].Title != "build id" || g.Rows[0][6] != "c0ffeec0ffee" || g.Rows[1][6] != absent {
		t.Errorf("%+v", g)
	}
	if _, ok := (&Table{}).BinaryGrid(); ok {
		t.Error("a grid of nothing")
	}
}

// The first three columns are those of the report, byte for byte, where they hold facts of
// the file and what the suite says. The linkage has a column of its own; "as el8" was
// written by a person.
func TestPublishedBinaries(t *testing.T) {
	table := Table{Variants: []record.PlanVariant{
		{Name: "rc1-11", About: map[string]string{"from": "published scalws_1.0.0~rc.1-11_amd64.deb (/opt/scalws-rc1-11)"},
			Binary: &record.Binary{Path: "/opt/scalws-rc1-11/scalwsd", Libc: "glibc 2.39", Compiler: "Ubuntu gcc 13.3", Linkage: "pie"}},
		{Name: "el8", About: map[string]string{"from": "scripts/release-build.sh, rhel-family at c89b145, SCALWS_RELEASE=12preG1"},
			Binary: &record.Binary{Path: "/opt/scalws-el8/scalwsd", Libc: "glibc 2.28", Newest: "GLIBC_2.28", Compiler: "gcc-toolset-13", Linkage: "pie"}},
		{Name: "musl", About: map[string]string{"from": "scripts/release-build-apk.sh --binaries-only, same tree"},
			Binary: &record.Binary{Path: "/opt/scalws-musl/scalwsd", Libc: "musl 1.2.6 (alpine:3.24)", Linkage: "static-pie"}},
	}}
	g, _ := table.BinaryGrid()
	g.Rows[2][2] += ", " + g.Rows[2][3] // of musl the report has both in one cell
	g.Columns = g.Columns[:3]
	for i, row := range g.Rows {
		g.Rows[i] = row[:3]
	}
	published, err := os.ReadFile(golden + "tables/xeon-binaries.md")
	if err != nil {
		t.Fatal(err)
	}
	var have strings.Builder
	if err := g.Markdown(&have, false); err != nil {
		t.Fatal(err)
	}
	want, byHand, _ := strings.Cut(string(published), "| h3 |")
	if have.String() != want || !strings.HasSuffix(byHand, "| as el8 |\n") {
		t.Errorf("have\n%swant\n%s", have.String(), want)
	}
}

func TestComparisonsOf(t *testing.T) {
	have := ComparisonsOf(&record.Plan{Compare: []record.PlanComparison{{Base: "a", New: "b"}, {Base: "b", New: "c", SameOK: "calibration"}}})
	if len(have) != 2 || have[0] != (Comparison{Base: "a", New: "b"}) || have[1].SameOK != "calibration" || have[1].String() != "c / b" {
		t.Errorf("%+v", have)
	}
}
