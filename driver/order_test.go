package driver

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Everything that is wrong with an order is told before anything happens.
func TestWrongOrders(t *testing.T) {
	evening := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	negative, many := -time.Second, 1000
	for _, tt := range []struct {
		name   string
		change func(*Order)
		want   []string
	}{
		{"nothing", func(o *Order) { o.Suites = nil }, []string{"no suite"}},
		{"twice", func(o *Order) { o.Suites = []string{"./ab.yaml", "ab.yaml"} }, []string{"suite ab.yaml is there twice"}},
		{"one name for two", func(o *Order) { o.Suites, o.Name = []string{"ab", "cd"}, "x" }, []string{"one name for 2 suites"}},
		{"times", func(o *Order) { o.StartAt, o.Until = evening, evening }, []string{"until 2026-11-30 22:00, which is not after"}},
		{"attach", func(o *Order) { o.Attach = "127.0.0.1:80" }, []string{`attach "127.0.0.1:80", expected http://HOST:PORT`}},
		{"all at once", func(o *Order) { o.Suites, o.Attach = nil, "ftp://x" }, []string{"no suite", `attach "ftp://x"`}},
		{"no such suite", func(o *Order) { o.Suites = []string{"abc"} }, []string{`no suite "abc"`, `did you mean "ab"?`}},
		{"no such preset", func(o *Order) { o.Preset = "qick" }, []string{`did you mean "quick"?`}},
		{"numbers", func(o *Order) { o.Edit = Edit{Runs: &many, Warmup: &negative} }, []string{"runs", "warmup"}},
		{"no such scenario", func(o *Order) { o.Only = []string{"smal", "zzz"} }, []string{`did you mean "small"?`, `no scenario "zzz"; there are large, small`}},
		{"no such param", func(o *Order) { o.Params = map[string]string{"conns": "1"} }, []string{"conns"}},
		{"name", func(o *Order) { o.Name = "a/b" }, []string{`"a/b" cannot be the name of results`}},
		{"no variants", func(o *Order) { o.Suites = []string{"plain"} }, []string{"suite plain: it has no variants"}},
		{"no fact", func(o *Order) { o.Suites = []string{"odd"} }, []string{`requirement "colour=red"`}},
		{"the same name", func(o *Order) { o.Suites = []string{"ab", "copy"} }, []string{"suites ab and copy have the same name, ab"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"ab": ab, "copy": ab, "odd": ab + "require: [colour=red]\n",
				"plain": "suite: plain\ntarget: embedded\nscenarios: [{name: small, url: /small}]\n"})
			o := l.order("ab")
			tt.change(&o)
			_, err := l.run(t.Context(), o)
			var faults suite.Faults
			if !errors.Is(err, ErrOrder) && !errors.As(err, &faults) {
				t.Fatalf("%v, want a fault of the order or of a suite", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q in it", err, want)
				}
			}
			if len(l.fake.log) != 0 {
				t.Errorf("steps %q", l.fake.log)
			}
		})
	}
}

// What is kept of an order makes the same of it again, whichever directory one is in.
func TestKeptOrder(t *testing.T) {
	rounds := 2
	o := Order{Suites: []string{"x.yaml", "y"}, Preset: "quick", Edit: Edit{Rounds: &rounds}, Only: []string{"small"},
		Params: map[string]string{"a": "1"}, Wait: true, Until: time.Now()}
	kept, err := o.kept("x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := kept.text()
	if err != nil {
		t.Fatal(err)
	}
	var back Order
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := Order{Suites: []string{filepath.Join(here, "x.yaml")}, Preset: "quick", Edit: Edit{Rounds: &rounds}, Only: []string{"small"},
		Params: map[string]string{"a": "1"}}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("kept, want -, got +:\n%s", diff)
	}
}

// The plan of a suite is the same wherever its files lie.
func TestPlanOfSuite(t *testing.T) {
	var hashes []string
	for range 2 {
		dir := t.TempDir()
		path := filepath.Join(dir, "ab.yaml")
		for name, text := range map[string]string{
			"ab.yaml": strings.Replace(ab, "command: [sh, new]", "command: [sh, new], config: new.conf", 1), "new.conf": "x: 1\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s, err := suite.Parser{}.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := planOf(s, Order{}, "lab.example")
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, p.ComputeHash())
		if len(p.Sources) != 2 || p.Sources[0].Path != "ab.yaml" || p.Sources[1].Path != "new.conf" {
			t.Errorf("sources %+v", p.Sources)
		}
	}
	if hashes[0] != hashes[1] {
		t.Error("two places have two hashes")
	}
}

// Names of hosts become names of directories.
func TestAsName(t *testing.T) {
	for in, want := range map[string]string{"xeon": "xeon", "a b/c": "a-b-c", ".hidden": "hidden", "": "host", "héron": "h-ron"} {
		if got := asName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What differs between two variants in a round: everything that differed in any of its
// runs, and nothing as soon as nothing did in one.
func TestDiffersIn(t *testing.T) {
	fact := func(text string) serverproc.Facts {
		return serverproc.Facts{Argv: serverproc.Fact[[]string]{Value: []string{text}}, Env: serverproc.Fact[[]string]{Value: []string{}}}
	}
	hidden := fact("")
	hidden.Argv = serverproc.Fact[[]string]{NA: "another user's process"}
	seen := func(run int, base, new serverproc.Facts) []identified {
		k := session.Key{Round: 1, Run: run, Variant: "base", Scenario: "small"}
		other := k
		other.Variant = "new"
		return []identified{{k, measure.Identity{Facts: base}}, {other, measure.Identity{Facts: new}}}
	}
	pair := record.PlanComparison{Base: "base", New: "new"}
	for _, tt := range []struct {
		name   string
		seen   []identified
		items  int
		looked bool
		na     int
	}{
		{"nothing seen", nil, 0, false, 0},
		{"one half", seen(1, fact("a"), fact("b"))[:1], 0, false, 0},
		{"the same in both runs", append(seen(1, fact("a"), fact("b")), seen(2, fact("a"), fact("b"))...), 1, true, 0},
		{"another in the second run", append(seen(1, fact("a"), fact("b")), seen(2, fact("a"), fact("c"))...), 2, true, 0},
		{"nothing in the second run", append(seen(1, fact("a"), fact("b")), seen(2, fact("a"), fact("a"))...), 0, true, 0},
		{"not readable", seen(1, hidden, fact("a")), 0, true, 1},
		{"not readable once", append(seen(1, fact("a"), fact("b")), seen(2, hidden, fact("b"))...), 1, true, 1},
	} {
		d, looked := differsIn(tt.seen, pair)
		if looked != tt.looked || len(d.Items) != tt.items || len(d.NA) != tt.na {
			t.Errorf("%s: %+v, looked %v, want %d, %v, %d not compared", tt.name, d, looked, tt.items, tt.looked, tt.na)
		}
		if tt.na > 0 && d.NA[0] != (record.NotCompared{What: "argv", Why: "another user's process"}) {
			t.Errorf("%s: %+v", tt.name, d.NA)
		}
	}
}

// A dry run has the order, the number of measurements and the time.
func TestForesee(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	previews, err := Foresee(l.order("ab"), l.surroundings())
	if err != nil {
		t.Fatal(err)
	}
	p := previews[0]
	// 2 runs of 2 variants of 2 scenarios, each 50 ms + 100 ms + 2.5 s.
	if len(p.Keys) != 8 || p.Keys[0] != "round 1, run 1, base, small" || p.Takes != 8*2650*time.Millisecond || len(l.fake.log) != 0 {
		t.Errorf("%+v", p)
	}
}

// A note stands in the journal, whichever directory of the session is named.
func TestNote(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	if err := Note(filepath.Join(l.results, "lab-ab-1"), "dnf ran from 13:12 to 13:18"); err != nil {
		t.Fatal(err)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if notes := on.Journal.Of(record.Note); err != nil || len(notes) != 1 || notes[0].Text != "dnf ran from 13:12 to 13:18" {
		t.Errorf("%+v, %v", notes, err)
	}
	if err := Note(l.sessionDir(), "two\nlines"); !errors.Is(err, ErrOrder) {
		t.Errorf("%v", err)
	}
	if err := Note(filepath.Join(l.results, "lab-none.session"), "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if sessions, notes := Unfinished(l.results); len(sessions) != 0 || len(notes) != 0 {
		t.Errorf("%+v, %q", sessions, notes)
	}
}
