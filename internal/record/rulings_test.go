package record

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRulings(t *testing.T) {
	const text = `# of the 1.0.0 gates
- row: multi/respond
  date: 2026-11-07
  by: release
  text: the filter stays
- {row: static-small on/off, date: "2026-11-08", by: release, text: |
    it is 010 again
  }
`
	have, err := ReadRulings(strings.NewReader(strings.SplitAfter(text, "stays\n")[0]), "rulings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []Ruling{{"multi/respond", "2026-11-07", "release", "the filter stays"}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	have, err = ReadRulings(strings.NewReader("- {row: 010, date: \"2026-11-08\", by: r, text: 'two words'}\n- row: x\n  date: 2026-11-09\n  by: r\n  text: |\n    one\n    two\n"), "rulings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want = []Ruling{{"010", "2026-11-08", "r", "two words"}, {"x", "2026-11-09", "r", "one\ntwo"}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	for _, none := range []string{"", "# nothing\n"} {
		if have, err := ReadRulings(strings.NewReader(none), "rulings.yaml"); err != nil || have != nil {
			t.Errorf("of %q: %v, %v", none, have, err)
		}
	}
}

func TestRulingsFaults(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a mapping", "row: x\n", []string{":1: expected a list of rulings"}},
		{"a text in the list", "- x\n", []string{":1: expected a mapping"}},
		{"all at once", "- row: x\n  date: yesterday\n  who: me\n- row: [a]\n  by: ''\n  date: 2026-11-07\n  text: t\n",
			[]string{`:3: unknown key "who"`, ":1: no by", ":1: no text", `:1: date "yesterday"`, ":4: row: expected a text", ":4: row: nothing", ":4: by: nothing"}},
		{"days that there are not", "- {row: x, date: \"2026-13-01\", by: r, text: t}\n- {row: x, date: \"2026-02-30\", by: r, text: t}\n- {row: x, date: \"2026-2-3\", by: r, text: t}\n",
			[]string{`:1: date "2026-13-01"`, `:2: date "2026-02-30"`, `:3: date "2026-2-3"`}},
		{"no YAML", "- row: [\n", []string{"no YAML"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadRulings(strings.NewReader(test.text), "rulings.yaml")
			wantFaults(t, err, test.want...)
		})
	}
}
