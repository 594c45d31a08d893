package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
