package driver

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// The doctor looks at every port that is fixed: of variants, also over UDP where HTTP/3 is
// asked for, and of helpers, whatever they speak.
func TestPortsOf(t *testing.T) {
	s, err := suite.Parse("s.yaml", []byte(`suite: s
variants:
  - {name: a, command: [x], ports: {http: 8080, https: 8443, admin: 9901}}
  - {name: b, command: [x], ports: {http: 8080, https: 8444}, provides: [http]}
  - {name: c, command: [x], ports: {http: 0, https: 0}}
scenarios:
  - {name: one, url: /, helpers: [{name: php, command: [x], ready: {url: "tcp://127.0.0.1:9000"}}]}
  - {name: three, url: /, http: 3, tls: {}, needs: [h3]}
helpers:
  - {name: up, command: [x], ports: {http: 9100}}
  - {name: far, command: [x], ready: {url: "http://192.0.2.1:7000/"}}
  - {name: near, command: [x], ready: {url: "http://localhost:7001/"}}
  - {name: sock, command: [x], ready: {url: "unix:///run/x"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range portsOf(s) {
		got = append(got, p.String())
	}
	// b has no HTTP/3, and the ports of c are chosen when it starts.
	want := []string{"TCP port 8080", "TCP port 8443", "UDP port 8443", "TCP port 9901", "TCP port 8444", "TCP port 9100", "TCP port 7001", "TCP port 9000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Where there is no CPU for the driver beside those of the sets every row says so.
func TestDriverOnSets(t *testing.T) {
	for _, inTheWay := range []bool{false, true} {
		l := newLab(t, map[string]string{"ab": ab})
		l.fake.inTheWay = inTheWay
		if _, err := l.run(t.Context(), l.order("ab")); err != nil {
			t.Fatal(err)
		}
		for _, m := range l.round(t, 1).Measurements {
			if slices.Contains(m.Flags, flagDriverOnSets) != inTheWay {
				t.Errorf("%t: flags %q", inTheWay, m.Flags)
			}
		}
	}
}

// The versions of what a suite is measured with are facts of the moment, which do not keep
// rounds from forming one gate.
func TestToolVersions(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.Replace(ab, "compare:", `helpers:
  - {name: php, command: [sh, -c, exec php-fpm], programs: [sh, sleep], ready: {url: "tcp://127.0.0.1:9000"}}
  - {name: own, command: [/bin/sleep]}
  - {name: up, command: [scalbench, target]}
  - {name: env, command: [env, x]}
compare:`, 1)})
	o := l.order("ab")
	o.Syscalls = true
	if _, err := l.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"load": "0", "tool.sleep": "sleep 1.0", "tool.env": "env 1.0", "tool.perf": "perf 1.0"}
	if diff := cmp.Diff(want, on.Host.Now); diff != "" || len(on.Host.Fixed) != 1 {
		t.Errorf("%s, fixed %v", diff, on.Host.Fixed)
	}
}
