package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/scalws/scalbench/internal/cpuset"
)

// forSessions leaves out what every suite has, whatever its file says.
var forSessions = cmp.Options{cmpopts.IgnoreFields(Suite{}, "Plan", "Quiet", "Sources", "Named"), comparableSets}

var comparableSets = cmpopts.EquateComparable(cpuset.Set{})

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		want       Suite
	}{
		{"defaults", `
suite: s
scenarios:
  - name: a
    url: http://127.0.0.1:8080/x?y=1
`,
			Suite{Name: "s", Scenarios: []Scenario{{
				Name: "a", URL: "http://127.0.0.1:8080/x?y=1", Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second,
			}}},
		},
		{"everything", `
suite: full
about: One sentence.
target: embedded
scenarios:
  - name: post-1
    about: >
      Folded over
      two lines.
    url: /x
    http: 1.1
    connections: 64
    load: {kind: closed}
    requests_per_conn: 100
    method: POST
    headers: {X-Number: 010, X-True: yes, X-Empty: "", X-List: "a, b"}
    body: |
      {"a": 1}
    warmup: 0s
    measure: 1m30s
    expect: {status: 201, bytes: 0}
    needs: [http, php]
    helpers:
      - name: upstream
        command: [scalbench, target, --listen, 127.0.0.1:9000, "", 010]
      - {name: app.1, command: [bin/app], cpus: server}
      - {cpus: upstream, name: last, command: [x]}
    bound: app
    control: true
`,
			Suite{Name: "full", About: "One sentence.", Target: TargetEmbedded, Scenarios: []Scenario{{
				Name: "post-1", About: "Folded over two lines.", URL: "/x", Connections: 64, Streams: 1, RequestsPerConn: 100, Method: "POST",
				// The text of the tokens: no octal 8, no boolean.
				Headers: []Header{{"X-Number", "010"}, {"X-True", "yes"}, {"X-Empty", ""}, {"X-List", "a, b"}},
				Body:    "{\"a\": 1}\n", Measure: 90 * time.Second, Expect: Expect{Status: 201, Bytes: new(int64)},
				Needs: []string{"http", "php"}, Bound: BoundApp, Control: true,
				Helpers: []Helper{
					{Name: "upstream", Command: []string{"scalbench", "target", "--listen", "127.0.0.1:9000", "", "010"}},
					{Name: "app.1", Command: []string{"bin/app"}, CPUs: WithServer},
					{Name: "last", Command: []string{"x"}, CPUs: BesideServer},
				},
			}}},
		},
		{"protocols", `
suite: s
target: embedded
scenarios:
  - {name: a, url: /x, http: 2, tls: {}, streams: 1000}
  - {name: b, url: https://h/, http: 2, tls: {verify: true, ca: certs/ca.pem, sni: a.test}}
  - {name: c, url: https://h/, tls: {ca: /etc/ca.pem}, streams: 1}
  - {name: d, url: HTTPS://h/, tls: {verify: false}}
  - {name: e, url: "http://h/", http: 2, streams: 2}
  - {name: f, url: /x, http: 3, tls: {sni: a.test}, streams: 1000}
  - {name: g, url: https://h/, http: 3, requests_per_conn: 1}
`,
			Suite{Name: "s", Target: TargetEmbedded, Scenarios: []Scenario{
				{Name: "a", URL: "/x", HTTP: HTTP2, TLS: TLS{On: true}, Streams: 1000, Connections: 50, Method: "GET", Measure: 10 * time.Second},
				// Beside the suite, which is dir/s.yaml.
				{Name: "b", URL: "https://h/", HTTP: HTTP2, TLS: TLS{On: true, CA: "dir/certs/ca.pem", SNI: "a.test"}, Streams: 1, Connections: 50, Method: "GET", Measure: 10 * time.Second},
				{Name: "c", URL: "https://h/", TLS: TLS{On: true, CA: "/etc/ca.pem"}, Streams: 1, Connections: 50, Method: "GET", Measure: 10 * time.Second},
				{Name: "d", URL: "HTTPS://h/", TLS: TLS{On: true, Insecure: true}, Streams: 1, Connections: 50, Method: "GET", Measure: 10 * time.Second},
				{Name: "e", URL: "http://h/", HTTP: HTTP2, Streams: 2, Connections: 50, Method: "GET", Measure: 10 * time.Second},
				{Name: "f", URL: "/x", HTTP: HTTP3, TLS: TLS{On: true, SNI: "a.test"}, Streams: 1000, Connections: 50, Method: "GET", Measure: 10 * time.Second},
				{Name: "g", URL: "https://h/", HTTP: HTTP3, TLS: TLS{On: true}, Streams: 1, Connections: 50, RequestsPerConn: 1, Method: "GET", Measure: 10 * time.Second},
			}},
		},
		{"loads", `
suite: s
scenarios:
  - {name: a, url: http://h/, load: {kind: closed}}
  - {name: b, url: http://h/, load: {kind: open, rate: 1000}}
  - name: c
    url: http://h/
    load:
      kind: open
      arrival: poisson
      rate: "1000@10s,5000@10s"
  - {name: d, url: http://h/, load: {rate: 0.5..2.6k, kind: open, arrival: constant}}
`,
			// What a rate is, is not known here.
			Suite{Name: "s", Scenarios: []Scenario{
				{Name: "a", URL: "http://h/", Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second},
				{Name: "b", URL: "http://h/", Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second,
					Load: Load{Kind: Open, Rate: "1000"}},
				{Name: "c", URL: "http://h/", Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second,
					Load: Load{Kind: Open, Rate: "1000@10s,5000@10s", Arrival: Poisson}},
				{Name: "d", URL: "http://h/", Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second,
					Load: Load{Kind: Open, Rate: "0.5..2.6k"}},
			}},
		},
		{"header list, target last, byte order mark, CRLF",
			"\ufeffsuite: s\r\nscenarios:\r\n- name: a\r\n  url: /\r\n  headers:\r\n  - A: 1\r\n  - a: 2\r\n    B: 3\r\ntarget: embedded\r\n",
			Suite{Name: "s", Target: TargetEmbedded, Scenarios: []Scenario{{
				Name: "a", URL: "/", Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second,
				Headers: []Header{{"A", "1"}, {"a", "2"}, {"B", "3"}},
			}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse("dir/s.yaml", []byte(test.yaml))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, *got, forSessions); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// A caller finds all faults as Faults and the first as Fault.
func TestFaultsAreErrors(t *testing.T) {
	_, err := Parse("dir/s.yaml", []byte("suite: s\nscenarios: 1\nx: 2\n"))
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 2 {
		t.Fatalf("error %v, want Faults of 2", err)
	}
	want := Fault{File: "dir/s.yaml", Line: 2, Column: 12, Text: "scenarios: a value, expected a list of scenarios, each written here or the path of its file"}
	var first Fault
	if !errors.As(err, &first) || first != want {
		t.Errorf("first fault %#v, want %#v", first, want)
	}
	if text := want.Error(); text != "dir/s.yaml:2:12: scenarios: a value, expected a list of scenarios, each written here or the path of its file" || !strings.HasPrefix(err.Error(), text+"\n") {
		t.Errorf("texts %q and %q", text, err)
	}
}

// The faults of rates come from who knows their notation. They are told with the
// others, in their place.
func TestCheckRate(t *testing.T) {
	parser := Parser{CheckRate: func(text string) error {
		if text == "1000" {
			return nil
		}
		return fmt.Errorf("rate %q: not a thousand", text)
	}}
	_, err := parser.Parse("s.yaml", []byte(`suite: s
scenarios:
  - {name: a, url: http://h/, load: {kind: open, rate: 1000}}
  - {name: b, url: http://h/, load: {kind: open, rate: 7x}}
  - {name: c, url: http://h/, load: {kind: closed, rate: 1e3}}
  - {name: d, connections: 0, url: http://h/}
`))
	want := `s.yaml:4:56: rate "7x": not a thousand
s.yaml:5:52: key "rate" in load: only kind: open has it, a closed load follows the server
s.yaml:5:58: rate "1e3": not a thousand
s.yaml:6:28: connections: "0", expected a whole number from 1 to 1000000`
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// What would take the library minutes is refused in time.
func TestParseIsBounded(t *testing.T) {
	for _, test := range []struct {
		name, data, want string
	}{
		{"size", strings.Repeat("#", 64<<10+1), "s.yaml:1:1: the file has 65537 bytes, expected at most 65536"},
		// The 4001st bracket.
		{"flow", strings.Repeat("[", 10_000), "s.yaml:1:4001: no YAML: more than 4000 lists, mappings and list entries"},
		// Two characters each: the 4001st dash is in column 4000 x 2 + 1.
		{"block", strings.Repeat("- ", 10_000), "s.yaml:1:8001: no YAML: more than 4000 lists, mappings and list entries"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Parse("s.yaml", []byte(test.data)); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}
