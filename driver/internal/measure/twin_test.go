package measure

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// A twin is another file with the same content, at another path, and no difference of
// the variants: neither of our own program, nor of one in PATH, nor behind a wrapper.
func TestTwin(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err == nil {
		sleep, err = filepath.EvalSymlinks(sleep)
	}
	if err != nil {
		t.Skip("no sleep on this host")
	}
	wrapper := filepath.Join(t.TempDir(), "wrapper")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nexec \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ours := parsed(t, plainSuite)
	for name, tt := range map[string]struct {
		variant suite.Variant
		twin    Twin
	}{
		"ours":      {ours.Variants[0], Twin{Program: self(t)}},
		"in PATH":   {suite.Variant{Command: []string{"sleep", "60"}}, Twin{Program: sleep}},
		"expected":  {suite.Variant{Command: []string{"sleep", "60"}, Expect: suite.Identity{Exe: sleep}}, Twin{Program: sleep}},
		"wrapped":   {suite.Variant{Command: []string{wrapper, sleep, "60"}, Expect: suite.Identity{Exe: sleep, Grace: patience}}, Twin{Program: sleep, Argument: 1}},
		"looked up": {suite.Variant{Command: []string{"sh", "-c", "exec sleep 60"}, Expect: suite.Identity{Exe: "sleep", Grace: patience}}, Twin{Program: sleep, Name: "sleep"}},
	} {
		t.Run(name, func(t *testing.T) {
			base, twin := tt.variant, tt.variant
			base.Name, twin.Name = "base", "base-twin"
			command := slices.Clone(twin.Command)
			b := benchOfTwins(t, ours, map[string]Twin{"base-twin": tt.twin})
			first := start(t, b, base)
			facts := first.Facts()
			stop(t, first)
			second := start(t, b, twin)
			if facts.Exe == second.Facts().Exe || facts.Binary != second.Facts().Binary {
				t.Errorf("%s %s and %s %s", facts.Exe, facts.Binary, second.Facts().Exe, second.Facts().Binary)
			}
			if d := serverproc.Differs(facts, second.Facts()); !d.Same() {
				t.Errorf("they differ in %v, n/a %v", d.Items, d.NA)
			}
			if !slices.Equal(command, twin.Command) {
				t.Errorf("the suite's command has become %q", twin.Command)
			}
		})
	}
	missing := Config{Session: "s", Suite: ours, Exe: self(t), Work: t.TempDir(), Twins: map[string]Twin{"x": {Program: "/no/such/file"}}}
	if _, err := NewBench(missing); err == nil {
		t.Error("a program that is not there was copied")
	}
}

// A burden takes its share of the server's CPUs, which is counted apart from what the
// server uses, and is a difference of the variants.
func TestBurden(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOfTwins(t, s, map[string]Twin{"burdened": {BurdenFrac: 0.3}})
	burdened := s.Variants[0]
	burdened.Name = "burdened"
	plain := start(t, b, s.Variants[0])
	facts := plain.Facts()
	stop(t, plain)
	r := start(t, b, burdened)
	d := serverproc.Differs(facts, r.Facts())
	if len(d.Items) != 1 || d.Items[0].What != serverproc.DiffersHelpers || d.Items[0].New != `burden: ["scalbench" "burden" "--share" "0.3"], on the server's CPUs` {
		t.Errorf("they differ in %v, n/a %v", d.Items, d.NA)
	}
	row, _ := validRow(t, b, r, s.Scenarios[0])
	// Of a window of 100 ms the readings at its edges are a part, on a host that others
	// use; a burden that does not run at all has 0.
	share := row.CPUAppMicros.OrNaN() * row.RPS.OrNaN() / 1e6 / float64(b.Placement().Server.Count())
	if !(share > 0.05 && share < 0.6) {
		t.Errorf("it took %.2f of each CPU, want 0.3", share)
	}
}
