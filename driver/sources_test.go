package driver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// A wrapper that a command names is part of the plan: a session whose wrapper has
// changed does not go on.
func TestWrapperIsPartOfThePlan(t *testing.T) {
	for _, place := range []string{"argument", "program"} {
		wrapper := filepath.Join(t.TempDir(), "wrap.sh")
		if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nexec \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		command := map[string]string{"argument": "command: [sh, " + wrapper + ", base]", "program": "command: [" + wrapper + ", base], expect: {exe: sh}"}[place]
		l := interrupted(t, strings.Replace(ab, "command: [sh, base]", command, 1))
		on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
		if err != nil || !slices.ContainsFunc(on.Plan.Sources, func(s record.Source) bool { return s.Path == wrapper }) {
			t.Fatalf("%s: sources %+v, %v", place, on.Plan.Sources, err)
		}
		if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nulimit -n 99\nexec \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := l.resume(t.Context(), Order{}); err == nil || !strings.Contains(err.Error(), wrapper+" has changed") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// What a server writes is no part of the plan, although the command names it and it is
// there when the plan is made: a log, a pid file, a word that happens to be a file.
func TestOutputsAreNoPartOfThePlan(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name string, mode os.FileMode, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	outputs := []string{write("x.log", 0o644, "1"), write("x.pid", 0o644, "1"), write("own.json", 0o644, "{}")}
	write("word", 0o755, "1") // as a word it is one of the server's own
	inputs := []string{write("my.conf", 0o644, "a"), write("tool", 0o755, "b"), write("script", 0o644, "#!/bin/sh\n"), write("big.so", 0o644, "c")}
	if err := os.Truncate(inputs[3], sourceBytesMax+1); err != nil {
		t.Fatal(err)
	}
	words := strings.Join(append(append(outputs, inputs...), "word", "app.py", dir), ", ")
	write("app.py", 0o644, "d")
	l := interrupted(t, strings.Replace(ab, "command: [sh, base]", "command: [sh, "+words+"], log: {files: ["+outputs[2]+"]}", 1))
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, source := range on.Plan.Sources[1:] { // after the suite
		got = append(got, source.Path)
	}
	if want := append(inputs[:3:3], "app.py"); !slices.Equal(got, want) { // the large one is data
		t.Errorf("sources %q, want %q", got, want)
	}
	for _, path := range outputs { // the session wrote them
		if err := os.WriteFile(path, []byte("another\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.resume(t.Context(), Order{}); err != nil {
		t.Error(err)
	}
}

// What the host lacks is told with the line that installs it, once, and is no fault of
// the suite; a program with a path is.
func TestLacks(t *testing.T) {
	for _, test := range []struct {
		needed   suite.Needed
		programs []string
		want     string
	}{
		{suite.Needed{Install: "apt install x"}, []string{"sh", ownProgram}, ""},
		{suite.Needed{}, []string{"no-such-server"}, "this host has no no-such-server"},
		{suite.Needed{Programs: []string{"no-such-server", "no-such-helper"}, Install: "apt install such"}, []string{"no-such-server", "sh"},
			"this host has no no-such-server, no no-such-helper: apt install such"},
	} {
		if got := lacks(test.needed, test.programs...); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Rows of a variant whose program is not there are NOT RUN; where that is all of them
// there is no session.
func TestNotRun(t *testing.T) {
	lacking := strings.Replace(ab, "command: [sh, new]", "command: [sh, new], expect: {exe: no-such-server}, install: apt install such", 1)
	l := newLab(t, map[string]string{"ab": lacking})
	outcome, err := l.run(t.Context(), l.order("ab"))
	if err != nil || outcome.Sessions[0].Valid != 4 || outcome.Sessions[0].NotRun != 4 {
		t.Fatalf("%+v, %v", outcome, err)
	}
	for _, m := range l.round(t, 1).Measurements {
		if m.Variant == "new" && (m.State != record.NotRun || m.Reason != "this host has no no-such-server: apt install such") {
			t.Errorf("%s: %s %q", m.Scenario, m.State, m.Reason)
		}
	}

	l = newLab(t, map[string]string{"ab": strings.ReplaceAll(lacking, "command: [sh, base]", "command: [no-such-base]")})
	if _, err := l.run(t.Context(), l.order("ab")); !errors.Is(err, ErrLacks) || !strings.Contains(err.Error(), "base: this host has no no-such-base; new: this host has no no-such-server: apt install such") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(l.sessionDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a session: %v", err)
	}

	l = newLab(t, map[string]string{"ab": strings.Replace(ab, "command: [sh, new]", "command: [/no/such/server]", 1)})
	if _, err := l.run(t.Context(), l.order("ab")); err == nil || errors.Is(err, ErrLacks) || !strings.Contains(err.Error(), "variant new: exec: \"/no/such/server\"") {
		t.Errorf("a path: %v", err)
	}
}

// A variant whose command is a wrapper has the facts of the program that it became, if
// they are of the very file that ran.
func TestProgramsThatRan(t *testing.T) {
	cat, err := serverproc.ReadBinary("/bin/cat")
	if err != nil {
		t.Skip("no /bin/cat to read: ", err)
	}
	for _, hash := range []string{cat.SHA256, "not what is there now"} {
		l := newLab(t, map[string]string{"ab": ab})
		l.fake.facts = func(variant string, _ int) serverproc.Facts {
			facts := serverproc.Facts{Argv: serverproc.Fact[[]string]{Value: []string{variant}}, Env: serverproc.Fact[[]string]{Value: []string{}}}
			if variant == "new" {
				facts.Exe, facts.Binary = "/bin/cat", serverproc.Fact[string]{Value: hash}
			}
			return facts
		}
		if _, err := l.run(t.Context(), l.order("ab")); err != nil {
			t.Fatal(err)
		}
		programs := l.round(t, 1).Identity.Programs
		if hash != cat.SHA256 {
			if len(programs) != 0 {
				t.Errorf("another file: %+v", programs)
			}
			continue
		}
		if want := (record.Program{Variant: "new", Binary: binaryOf(cat)}); len(programs) != 1 || fmt.Sprint(programs[0]) != fmt.Sprint(want) {
			t.Errorf("%+v, want %+v", programs, want)
		}
	}
}
