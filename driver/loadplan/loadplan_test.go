package loadplan

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// All that a scenario says is in the plan, and nothing else is changed.
func TestOf(t *testing.T) {
	s, err := suite.Parse("s.yaml", []byte(`suite: s
scenarios:
  - name: all
    url: https://h/a
    http: 2
    tls: {verify: false, sni: www.example.com}
    connections: 6
    streams: 5
    load: {kind: open, rate: 1000, arrival: poisson}
    requests_per_conn: 100
    method: POST
    headers: {A: "1"}
    body: text
    warmup: 2s
    measure: 3s
    expect: {status: 201, bytes: 7, sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08}
  - {name: least, url: http://h/}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := loadgen.DefaultPlan("https://h/a")
	want.Targets[0].Method, want.Targets[0].Body = "POST", []byte("text")
	want.Targets[0].Header = []loadgen.Field{{Name: "A", Value: "1"}}
	want.Targets[0].ExpectStatus, want.Targets[0].ExpectBytes = 201, 7
	want.Targets[0].ExpectSHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	want.Protocol, want.TLS = loadgen.HTTP2, loadgen.TLS{Insecure: true, SNI: "www.example.com"}
	want.Connections, want.Streams, want.RequestsPerConn = 6, 5, 100
	want.Rate, want.Arrival = loadgen.Rate{Steps: []loadgen.RateStep{{From: 1000, To: 1000}}}, loadgen.Poisson
	want.WarmUp, want.Measure = 2*time.Second, 3*time.Second
	if diff := diffPlans(t, want, Of(s.Scenarios[0], "https://h/a")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	least := loadgen.DefaultPlan("http://other/")
	least.Connections, least.Measure = 50, 10*time.Second // a scenario's defaults
	if diff := diffPlans(t, least, Of(s.Scenarios[1], "http://other/")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// diffPlans compares plans as they are handed over, in JSON.
func diffPlans(t *testing.T, want, got loadgen.Plan) string {
	t.Helper()
	var texts [2]string
	for i, p := range []loadgen.Plan{want, got} {
		text, err := json.MarshalIndent(p, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return cmp.Diff(texts[0], texts[1])
}

func TestProtocol(t *testing.T) {
	for said, want := range map[suite.HTTP]loadgen.Protocol{suite.HTTP1: loadgen.HTTP1, suite.HTTP2: loadgen.HTTP2, suite.HTTP3: loadgen.HTTP3} {
		if got := Protocol(suite.Scenario{HTTP: said}); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
}

// A scenario is asked of a server that runs already only where that is what it asks.
func TestAt(t *testing.T) {
	for _, test := range []struct {
		url, base string
		tls       bool
		want      string // the URL, or a part of the fault
	}{
		{"/x?y", "http://127.0.0.1:8080", false, "http://127.0.0.1:8080/x?y"},
		{"/x", "https://[::1]:8443/", true, "https://[::1]:8443/x"},
		{"/x", "https://h", false, "is asked in cleartext"},
		{"/x", "http://h", true, "is asked over TLS"},
		{"http://other/x", "http://h", false, "it asks http://other/x, whatever is attached to"},
		{"/x", "h:80", false, `attach "h:80", expected http://HOST:PORT`},
		{"/x", "ftp://h", false, "expected http://HOST:PORT"},
		{"/x", "http://h/y", false, "expected http://HOST:PORT"},
		{"/x", "http://h?q", false, "expected http://HOST:PORT"},
		{"/x", "http://u@h", false, "expected http://HOST:PORT"},
		{"/x", "http://", false, "expected http://HOST:PORT"},
	} {
		got, err := At(suite.Scenario{Name: "s", URL: test.url, TLS: suite.TLS{On: test.tls}}, test.base)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || err == nil && got != test.want {
			t.Errorf("%s at %s: %s, want %s", test.url, test.base, got, test.want)
		}
	}
}
