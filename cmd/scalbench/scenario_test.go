package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

func TestScenarioPlanProtocol(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), []byte("a CA"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, scenario string
		protocol       loadgen.Protocol
		streams        int
		tls            loadgen.TLS
		made           []string // names of the certificate that is made
		fault          string
	}{
		{"cleartext", "url: /x", loadgen.HTTP1, 1, loadgen.TLS{}, nil, ""},
		{"h2 of others in cleartext", "url: http://h/, http: 2, streams: 7", loadgen.HTTP2, 7, loadgen.TLS{}, nil, ""},
		{"target", "url: /x, tls: {}", loadgen.HTTP1, 1, loadgen.TLS{}, []string{"localhost", "127.0.0.1", "::1"}, ""},
		{"target by name", "url: /x, http: 2, tls: {sni: a.test}", loadgen.HTTP2, 1, loadgen.TLS{SNI: "a.test"}, []string{"localhost", "127.0.0.1", "::1", "a.test"}, ""},
		{"target with HTTP/3", "url: /x, http: 3, tls: {}, streams: 5", loadgen.HTTP3, 5, loadgen.TLS{}, []string{"localhost", "127.0.0.1", "::1"}, ""},
		{"HTTP/3 of others", "url: https://h/, http: 3, tls: {verify: false}", loadgen.HTTP3, 1, loadgen.TLS{Insecure: true}, nil, ""},
		{"target by its own name", "url: /x, tls: {sni: localhost}", loadgen.HTTP1, 1, loadgen.TLS{SNI: "localhost"}, []string{"localhost", "127.0.0.1", "::1"}, ""},
		{"CA beside the suite", "url: https://h/, tls: {ca: ca.pem, sni: b.test}", loadgen.HTTP1, 1, loadgen.TLS{SNI: "b.test", CAs: []byte("a CA")}, nil, ""},
		{"system's CAs", "url: https://h/", loadgen.HTTP1, 1, loadgen.TLS{}, nil, ""},
		{"unverified", "url: https://h/, tls: {verify: false}", loadgen.HTTP1, 1, loadgen.TLS{Insecure: true}, nil, ""},
		{"no such CA", "url: https://h/, tls: {ca: x.pem}", loadgen.HTTP1, 1, loadgen.TLS{}, nil,
			"scenario s: ca " + filepath.Join(dir, "x.pem") + ": no such file or directory"},
		{"name that no certificate can have", "url: /x, tls: {sni: a.1}", loadgen.HTTP1, 1, loadgen.TLS{SNI: "a.1"}, nil,
			`certificates of scenario s: name "a.1": expected a host name such as localhost or an IP address`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "suite: t\ntarget: embedded\nscenarios: [{name: s, " + test.scenario + "}]\n"
			parsed, err := suite.Parse(filepath.Join(dir, "t.yaml"), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			s := parsed.Scenarios[0]
			plan := loadplan.Of(s, s.URL)
			made, cas, err := trusted(s)
			if fault := errorText(err); fault != test.fault {
				t.Errorf("fault %q, want %q", fault, test.fault)
			}
			if (made != nil) != (test.made != nil) {
				t.Fatalf("certificates made: %v, want for %q", made, test.made)
			}
			if made != nil {
				if diff := cmp.Diff(test.made, made.Names); diff != "" {
					t.Errorf("names, -want +got\n%s", diff)
				}
				if !bytes.Equal(cas, made.CA) {
					t.Errorf("trusted: %q, want the CA that was made", cas)
				}
				cas = nil
			}
			plan.TLS.CAs = cas
			if diff := cmp.Diff(test.tls, plan.TLS); diff != "" || plan.Protocol != test.protocol || plan.Streams != test.streams {
				t.Errorf("protocol %s, %d streams, want %s, %d; TLS -want +got\n%s", plan.Protocol, plan.Streams, test.protocol, test.streams, diff)
			}
		})
	}
}

// An open load is a rate in the plan, whatever notation of a rate it stands in.
func TestScenarioPlanLoad(t *testing.T) {
	step := func(from, to float64, lasts time.Duration) loadgen.RateStep {
		return loadgen.RateStep{From: from, To: to, Duration: lasts}
	}
	for _, test := range []struct {
		load    string
		steps   []loadgen.RateStep
		arrival loadgen.Arrival
	}{
		{"{kind: closed}", nil, loadgen.Constant},
		{"{kind: open, rate: 1000}", []loadgen.RateStep{step(1000, 1000, 0)}, loadgen.Constant},
		{`{kind: open, rate: "1000", arrival: constant}`, []loadgen.RateStep{step(1000, 1000, 0)}, loadgen.Constant},
		{"{kind: open, rate: 0.5..2.6k, arrival: poisson}", []loadgen.RateStep{step(0.5, 2600, 0)}, loadgen.Poisson},
		{`{kind: open, rate: "1000@10s,5000"}`, []loadgen.RateStep{step(1000, 1000, 10*time.Second), step(5000, 5000, 0)}, loadgen.Constant},
	} {
		t.Run(test.load, func(t *testing.T) {
			text := "suite: t\nscenarios: [{name: s, url: http://h/, load: " + test.load + "}]\n"
			parsed, err := suiteParser().Parse("t.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			plan := loadplan.Of(parsed.Scenarios[0], "http://h/")
			if diff := cmp.Diff(loadgen.Rate{Steps: test.steps}, plan.Rate); diff != "" || plan.Arrival != test.arrival {
				t.Errorf("arrival %v, want %v; rate -want +got\n%s", plan.Arrival, test.arrival, diff)
			}
			if plan.IsOpen() != (test.steps != nil) {
				t.Errorf("open: %v", plan.IsOpen())
			}
		})
	}
}

// What is wrong with a rate is told where it stands, beside what else is wrong.
func TestReadSuiteChecksRates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.yaml")
	text := `suite: t
scenarios:
  - {name: a, url: http://h/, load: {kind: open, rate: 70x}}
  - {name: b, url: http://h/, conections: 5}
  - name: c
    url: http://h/
    load:
      rate: 0
      kind: open
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := readSuite(file)
	want := file + `:3:56: rate "70x": "70x" is not a number such as 1000, 0.5 or 10k
` + file + `:4:31: unknown key "conections" in a scenario; did you mean "connections"?
` + file + `:8:13: rate "0": offers no request, want more or kind: closed`
	if diff := cmp.Diff(want, errorText(err)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestListScenarios(t *testing.T) {
	s := &suite.Suite{Name: "s", About: "A sentence.", Scenarios: []suite.Scenario{
		{Name: "a", About: "One.", Streams: 1},
		{Name: "longer", About: "Two.", HTTP: suite.HTTP2, TLS: suite.TLS{On: true}, Streams: 10},
		{Name: "b", About: "Three.", TLS: suite.TLS{On: true}, Streams: 1},
		{Name: "c", About: "Four.", HTTP: suite.HTTP3, TLS: suite.TLS{On: true}, Streams: 2},
	}}
	var out strings.Builder
	listScenarios(&out, s)
	want := `s: A sentence.
  a       h1                  One.
  longer  h2 TLS, 10 streams  Two.
  b       h1 TLS              Three.
  c       h3, 2 streams       Four.
`
	if got := out.String(); got != want {
		t.Errorf("listed\n%swant\n%s", got, want)
	}
}
