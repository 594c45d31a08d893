package suite

import "testing"

func TestScenario(t *testing.T) {
	s := &Suite{Name: "target", Scenarios: []Scenario{{Name: "respond", URL: "/respond"}, {Name: "static-1m", URL: "http://h/"}}}
	for _, test := range []struct{ name, url, fault string }{
		{"respond", "/respond", ""},
		{"static-1m", "http://h/", ""},
		{"respnd", "", `no scenario "respnd" in suite "target"; did you mean "respond"?`},
		{"proxy", "", `no scenario "proxy" in suite "target"; it has respond, static-1m`},
	} {
		t.Run(test.name, func(t *testing.T) {
			sc, err := s.Scenario(test.name)
			fault := ""
			if err != nil {
				fault = err.Error()
			}
			if sc.URL != test.url || fault != test.fault {
				t.Errorf("scenario %q, fault %q; want %q, %q", sc.URL, fault, test.url, test.fault)
			}
		})
	}
	if !s.Scenarios[0].UsesTarget() || s.Scenarios[1].UsesTarget() {
		t.Error("a path is on the target, a URL is not")
	}
}

func TestNeedsHTTP3(t *testing.T) {
	for _, test := range []struct {
		scenario Scenario
		want     bool
	}{
		{Scenario{URL: "/x", HTTP: HTTP3, TLS: TLS{On: true}}, true},
		{Scenario{URL: "/x", HTTP: HTTP2, TLS: TLS{On: true}}, false},
		{Scenario{URL: "https://h/", HTTP: HTTP3, TLS: TLS{On: true}}, false}, // of another server
	} {
		if got := test.scenario.NeedsHTTP3(); got != test.want {
			t.Errorf("%s with HTTP/%s: %t, want %t", test.scenario.URL, test.scenario.HTTP, got, test.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{TargetNone.String(), ""},
		{TargetEmbedded.String(), "embedded"},
		{HTTP1.String(), "1.1"},
		{HTTP2.String(), "2"},
		{HTTP3.String(), "3"},
		{Closed.String(), "closed"},
		{BoundServer.String(), "server"},
		{BoundApp.String(), "app"},
		{BesideServer.String(), "upstream"},
		{WithServer.String(), "server"},
	} {
		if test.got != test.want {
			t.Errorf("word %q, want %q", test.got, test.want)
		}
	}
}
