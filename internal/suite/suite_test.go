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
		{Open.String(), "open"},
		{Constant.String(), "constant"},
		{Poisson.String(), "poisson"},
		{BoundServer.String(), "server"},
		{BoundApp.String(), "app"},
		{BesideServer.String(), "upstream"},
		{WithServer.String(), "server"},
		{Standalone.String(), ""},
		{Multi.String(), "multi"},
		{UIDRule{}.String(), ""},
		{UIDRule{Kind: NonRootUID}.String(), "nonroot"},
		{UIDRule{Kind: ExactUID, UID: 65534}.String(), "65534"},
		{Sliced.String(), "sliced"},
		{EachMeasurement.String(), "measurement"},
		{SpendDefault.String(), ""},
		{IntervalDefault.String(), ""},
		{StaysInconclusive.String(), ""},
		{Requirement{Key: "turbo", Value: "off"}.String(), "turbo=off"},
	} {
		if test.got != test.want {
			t.Errorf("word %q, want %q", test.got, test.want)
		}
	}
}

func TestHelperIsOurs(t *testing.T) {
	for _, test := range []struct {
		helper Helper
		want   bool
	}{
		{Helper{Command: []string{"scalbench", "target", "--upstream", "{other}"}}, true},
		{Helper{Command: []string{"node", "{dir}/app.js"}}, false},
		{Helper{Command: []string{"node"}, Ready: Ready{URL: "http://h/"}}, false},
		{Helper{Command: []string{"node"}, Env: []EnvVar{{"A", "b"}}}, false},
		{Helper{Command: []string{"node"}, User: "nobody"}, false},
		{Helper{Command: []string{"node"}, Log: LogRules{Fail: []string{"x"}}}, false},
	} {
		if got := test.helper.IsOurs(); got != test.want {
			t.Errorf("%+v: %t, want %t", test.helper, got, test.want)
		}
	}
}
