package suite

import (
	"testing"
	"testing/fstest"
	"time"
)

// Suites of one host share a file; what one of them says itself wins, each key as a
// whole.
func TestHostFile(t *testing.T) {
	files := fstest.MapFS{"hosts/xeon.yaml": {Data: []byte("name: xeon\nplacement: {server: 0-3, generator: 8-15}\nquiet: {load1: 1}\nrequire: [turbo=off]\n")}}
	for _, test := range []struct {
		yaml      string
		generator string
		quiet     Quiet
		require   string
	}{
		{"", "8-15", Quiet{Load1: 1, BusyFrac: 0.02, Timeout: time.Hour}, "turbo=off"},
		{"placement: {generator: 4}\nquiet: {busy: 5%}\nrequire: [governor=performance]\n", "4",
			Quiet{Load1: 2, BusyFrac: 0.05, Timeout: time.Hour}, "governor=performance"},
		{"plan: {preset: quick}\n", "8-15", Quiet{Load1: 1, BusyFrac: 0.02, Timeout: 20 * time.Second}, "turbo=off"},
	} {
		s, err := Parser{FS: files}.Parse("s/s.yaml", []byte("suite: s\nhost: ../hosts/xeon.yaml\nscenarios: [{name: a, url: http://h/}]\n"+test.yaml))
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Host != "xeon" || s.Placement.Generator.String() != test.generator || s.Quiet != test.quiet || len(s.Require) != 1 ||
			s.Require[0].String() != test.require || len(s.Sources) != 2 {
			t.Errorf("%q: host %q, generator %s, quiet %+v, require %v, %d sources", test.yaml, s.Host, s.Placement.Generator, s.Quiet, s.Require, len(s.Sources))
		}
	}
}

func TestHostFileFaults(t *testing.T) {
	files := fstest.MapFS{
		"bad.yaml":   {Data: []byte("placement: {server: x}\nload1: 2\n")},
		"empty.yaml": {Data: []byte("# nothing\n")},
	}
	for file, want := range map[string]string{
		"bad.yaml":   "bad.yaml:1:1: a host needs the key \"name\"\nbad.yaml:1:21: server: \"x\", expected CPUs such as 0-3, or [0-3, 8]\nbad.yaml:2:1: unknown key \"load1\" in a host; known are name, placement, quiet, require",
		"empty.yaml": "empty.yaml:1:1: empty, expected a host",
		"none.yaml":  "s.yaml:2:7: none.yaml: file does not exist",
	} {
		_, err := Parser{FS: files}.Parse("s.yaml", []byte("suite: s\nhost: "+file+"\nscenarios: [{name: a, url: http://h/}]\n"))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n%v\nwant\n%s", file, err, want)
		}
	}
}
