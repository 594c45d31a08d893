package measure

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// nginx without and with its cache of open files, as a session measures them: two processes
// each, a configuration with edits, and nothing else that differs.
func TestNginx(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed: apt-get install nginx-light")
	}
	s, err := suite.Parser{FS: bench.Files}.Load("suites/nginx-cache.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b := benchOf(t, s)
	var facts []serverproc.Facts
	for _, v := range s.Variants {
		r := start(t, b, v)
		facts = append(facts, r.Facts())
		row, evidence := validRow(t, b, r, s.Scenarios[0])
		if row.RSSMethod == "vmhwm" || row.Bytes != 1024*row.Requests {
			t.Errorf("%s: %s, %d requests, %d bytes", v.Name, row.RSSMethod, row.Requests, row.Bytes)
		}
		if !slices.ContainsFunc(evidence.Files, func(f File) bool { return f.Name == "effective-nginx.conf" && len(f.Data) > 0 }) {
			t.Errorf("%s: the configuration is not kept", v.Name)
		}
		stop(t, r)
	}
	d := serverproc.Differs(facts[0], facts[1])
	if len(d.NA) > 0 || len(d.Items) != 1 || d.Items[0].What != serverproc.DiffersConfig {
		t.Errorf("they differ in %v, n/a %v", d.Items, d.NA)
	}
}
