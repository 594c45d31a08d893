package serverproc

import (
	"slices"
	"strings"
	"testing"
)

// facts are those of a variant whose directory is dir.
func facts(t *testing.T, dir string) Facts {
	t.Helper()
	o := observed(t)
	o.Server.Exe = known(dir + "/server")
	o.Server.Argv = known([]string{dir + "/server", "-c", dir + "/server.conf"})
	o.Server.Env = known([]string{"A=1", "LOG=" + dir + "/log", PadVariable + "=" + dir, SessionVariable + "=s"})
	o.Server.Limits = known([]Limit{{"Max open files", "1024", "4096"}})
	f := FactsOf(o)
	f.Config = []byte("workers 4;\npid " + dir + "/pid;\n")
	f.Places = Places{dir: "{dir}", dir + "/server.conf": "{config}"}
	return f
}

// Paths, the pad and the token are no differences.
func TestDiffersSame(t *testing.T) {
	if d := Differs(facts(t, "/tmp/a"), facts(t, "/var/tmp/bb")); !d.Same() || d.Outside(nil) != nil {
		t.Errorf("%+v, want the same", d)
	}
}

func TestDiffers(t *testing.T) {
	tests := []struct {
		change func(*Facts)
		want   []string
	}{
		{func(f *Facts) { f.Binary = known("bb") }, []string{"binary: " + strings.Repeat("a", 64) + " / bb"}},
		{func(f *Facts) { f.Config = []byte("workers 4;\n  sandbox on;\n") }, []string{"config: line 2: pid {dir}/pid; / line 2: sandbox on;"}},
		{func(f *Facts) { f.Config = []byte("workers 4;\npid /b/pid;\nmore\n") }, []string{"config: line 3:  / line 3: more"}},
		{func(f *Facts) { f.Config = nil }, []string{"config: there is one / none"}},
		{func(f *Facts) { f.Argv = known([]string{"/b/server", "-c", "/b/server.conf", "a b"}) }, []string{`argv: {exe} -c {config} / {exe} -c {config} "a b"`}},
		{func(f *Facts) { f.Env = known([]string{"B=2", "LOG=/b/log", "A="}) }, []string{"env: A=1 / A=", "env: B not set / B=2"}},
		{func(f *Facts) { f.UID = known(0) }, []string{"uid: 33 / 0"}},
		{func(f *Facts) { f.Helpers = []string{"php-fpm -F"} }, []string{"helpers:  / php-fpm -F"}},
		{func(f *Facts) { f.Security = Security{known(0), known(0), known(false), known("1")} },
			[]string{"seccomp: 2 / 0", "seccomp_filters: 1 / 0", "no_new_privs: true / false", "cap_eff: 0000000000000000 / 1"}},
		{func(f *Facts) { f.Limits = known([]Limit{{"Max open files", "1024", "8192"}}) },
			[]string{"limits: Max open files 1024 to 4096 / Max open files 1024 to 8192"}},
	}
	for _, test := range tests {
		new := facts(t, "/b")
		test.change(&new)
		d := Differs(facts(t, "/a"), new)
		var got []string
		for _, item := range d.Items {
			got = append(got, item.String())
		}
		if !slices.Equal(got, test.want) || d.Same() || len(d.NA) > 0 {
			t.Errorf("%q, n/a %q, want %q", got, d.NA, test.want)
		}
		what, _, _ := strings.Cut(test.want[0], ":")
		if left := d.Outside([]string{what}); len(left) != 0 && what != "seccomp" {
			t.Errorf("outside of %s: %v", what, left)
		}
		if left := d.Outside([]string{"something else"}); len(left) != len(test.want) {
			t.Errorf("outside of something else: %v", left)
		}
	}
}

// What cannot be compared is neither a difference nor the same.
func TestDiffersNotAvailable(t *testing.T) {
	new := facts(t, "/b")
	new.Binary = unknown[string]("not ours")
	if d := Differs(facts(t, "/a"), new); d.Same() || len(d.Items) > 0 || !slices.Equal(d.NA, []string{"binary: not ours"}) {
		t.Errorf("%+v", d)
	}
	if d := Differs(FactsOf(Observation{Gone: true}), facts(t, "/b")); d.Same() || len(d.NA) != 9 {
		t.Errorf("%+v, want 9 things that are n/a", d.NA)
	}
}
