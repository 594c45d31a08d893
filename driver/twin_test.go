package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// A calibration measures the base against itself under another name, in a directory of its
// own, and then with a burden, beside it.
func TestTwin(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	var configs []measure.Config
	made := l.rig.measurer
	l.rig.measurer = func(c measure.Config, url string) (measurer, error) {
		configs = append(configs, c)
		return made(c, url)
	}
	o := l.order("ab")
	o.Twin = &Twin{}
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(l.results, "lab-ab.calibration", "1")
	if got := outcome.Sessions[0].Files.Session; got != filepath.Join(dir, "aa.session") {
		t.Errorf("session %s", got)
	}
	aa := sessionIn(t, dir, "aa")
	if got := variantsOf(aa.Plan); !slices.Equal(got, []string{"base", "base-twin"}) {
		t.Errorf("variants %q", got)
	}
	if want := (record.PlanComparison{Base: "base", New: "base-twin", SameOK: "calibration"}); !slices.Equal(aa.Plan.Compare, []record.PlanComparison{want}) {
		t.Errorf("compare %+v", aa.Plan.Compare)
	}
	// sh starts what runs.
	if about := aa.Plan.Variants[1].About[AboutTwin]; !strings.HasPrefix(about, "the same file: sh starts another program") {
		t.Errorf("about %q", about)
	}

	control, err := Control(dir, 0.2, Order{LockPath: "elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	if control.LockPath != "elsewhere" {
		t.Errorf("lock %q", control.LockPath)
	}
	if _, err := l.run(t.Context(), control); err != nil {
		t.Fatal(err)
	}
	burdened := sessionIn(t, dir, "control")
	if got := variantsOf(burdened.Plan); !slices.Equal(got, []string{"base", "base-burdened"}) {
		t.Errorf("variants %q", got)
	}
	if about := burdened.Plan.Variants[1].About[AboutTwin]; !strings.HasSuffix(about, "; a spin loop takes 20 % of each of its CPUs") {
		t.Errorf("about %q", about)
	}
	last := configs[len(configs)-1]
	if last.Twins["base-burdened"].BurdenFrac != 0.2 || len(last.Twins) != 1 || len(configs[0].Twins) != 1 || configs[0].Twins["base-twin"].BurdenFrac != 0 {
		t.Errorf("twins %+v, then %+v", configs[0].Twins, last.Twins)
	}

	if outcome, err = l.run(t.Context(), o); err != nil || filepath.Base(filepath.Dir(outcome.Sessions[0].Files.Session)) != "2" {
		t.Errorf("a second calibration: %+v, %v", outcome, err)
	}
	if _, err := Control(l.results, 0.2, Order{}); err == nil {
		t.Error("a control of no calibration")
	}
}

func sessionIn(t *testing.T, dir, name string) *record.Session {
	t.Helper()
	s, err := record.ReadSession(os.DirFS(dir), name+".session")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func variantsOf(p *record.Plan) (names []string) {
	for _, v := range p.Variants {
		names = append(names, v.Name)
	}
	return names
}

// What is wrong with the order of a calibration is told.
func TestTwinFaults(t *testing.T) {
	l := newLab(t, map[string]string{"ab": ab})
	for text, o := range map[string]Order{
		`no variant "old"`:  {Twin: &Twin{Of: "old"}},
		"burden 1, ":        {Twin: &Twin{BurdenFrac: 1}},
		"burden -0.2, ":     {Twin: &Twin{BurdenFrac: -0.2}},
		"that runs already": {Twin: &Twin{}, Attach: "http://127.0.0.1:1"},
	} {
		o.Suites, o.Results = []string{"ab"}, l.results
		if _, err := l.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
}

// What a twin runs: its program is copied where it can be known and exchanged.
func TestCopyOf(t *testing.T) {
	sleep, err := resolve("sleep")
	if err != nil {
		t.Skip("no sleep on this host")
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	expect := func(exe string) suite.Identity { return suite.Identity{Exe: exe} }
	for _, tt := range []struct {
		name    string
		variant suite.Variant
		want    measure.Twin
		about   string
	}{
		{"in PATH", suite.Variant{Command: []string{"sleep", "1"}}, measure.Twin{Program: sleep}, "a copy of " + sleep},
		{"ours", suite.Variant{Command: []string{"scalbench", "target"}}, measure.Twin{Program: own}, "a copy of " + own},
		{"expected", suite.Variant{Command: []string{"sleep", "1"}, Expect: expect(sleep)}, measure.Twin{Program: sleep}, "a copy of "},
		{"wrapped, named", suite.Variant{Command: []string{script, "-x", sleep}, Expect: expect(sleep)}, measure.Twin{Program: sleep, Argument: 2}, "a copy of "},
		{"wrapped by env, named", suite.Variant{Command: []string{"env", sleep}, Expect: expect(sleep)}, measure.Twin{Program: sleep, Argument: 1}, "a copy of "},
		{"wrapped, looked up", suite.Variant{Command: []string{"sh", "-c", "exec sleep 1"}, Expect: expect("sleep")}, measure.Twin{Program: sleep, Name: "sleep"}, "a copy of "},
		{"wrapped, not named", suite.Variant{Command: []string{script}, Expect: expect(sleep)}, measure.Twin{}, "the same file: " + script + " starts " + sleep + " by itself"},
		{"a script", suite.Variant{Command: []string{script}}, measure.Twin{}, "the same file: " + script + " starts another program"},
		{"a shell", suite.Variant{Command: []string{"sh", "-c", "exec sleep 1"}}, measure.Twin{}, "the same file: sh starts another program"},
		{"not there", suite.Variant{Command: []string{"/no/such/file"}}, measure.Twin{}, "the same file: "},
	} {
		made, about := copyOf(tt.variant)
		if made != tt.want || !strings.HasPrefix(about, tt.about) {
			t.Errorf("%s: %+v, %q, want %+v, %q", tt.name, made, about, tt.want, tt.about)
		}
	}
}
