package suite

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	v := Variant{
		Name:    "v",
		Command: []string{"server", "-c", "{config}", "-p{port}", "{port.https}:{instance}", "{{port}} ${HOME} {Other}", "{dir}/x{dir}"},
		Env:     []EnvVar{{"CPUS", "{cpus}"}, {"UP", "{upstream}/a"}},
		Ports:   []Port{{"http", 8080}, {"https", 8443}},
		Ready:   Ready{URL: "http://127.0.0.1:{port}/"},
		Expect:  Identity{Argv: []string{"server", "{workers}"}},
		Config: Config{From: "c.yaml", Edits: []Edit{
			{Kind: Set, Path: "port", Value: `"{port}"`},
			{Kind: Set, Path: "listen", Value: `"127.0.0.1:{port}"`},
			{Kind: Set, Path: "tls", Value: `{cert: "{cert}", "{key}": ["{key}", "{{key}}", a b]}`},
			{Kind: Set, Path: "dir", Value: `"{dir}"`},
			{Kind: Replace, Path: "{port}", Value: "listen {port};"},
		}},
	}
	at := Values{Config: "/d/c.yaml", Dir: "/d \"1\": {port}", Instance: "gw1", CPUs: "0-3", Workers: 4, Cert: "/c.pem", Key: "/k.pem",
		Helpers: map[string]string{"upstream": "http://127.0.0.1:9000"}}
	got, err := v.Expand(at)
	if err != nil {
		t.Fatal(err)
	}
	want := v
	// A value is not looked at for placeholders again.
	want.Command = []string{"server", "-c", "/d/c.yaml", "-p8080", "8443:gw1", "{port} ${HOME} {Other}", `/d "1": {port}/x/d "1": {port}`}
	want.Env = []EnvVar{{"CPUS", "0-3"}, {"UP", "http://127.0.0.1:9000/a"}}
	want.Ready.URL = "http://127.0.0.1:8080/"
	want.Expect.Argv = []string{"server", "4"}
	want.Config.Edits = []Edit{
		{Kind: Set, Path: "port", Value: `8080`}, // a number, no text
		{Kind: Set, Path: "listen", Value: `"127.0.0.1:8080"`},
		{Kind: Set, Path: "tls", Value: `{cert: /c.pem, "{key}": [/k.pem, "{key}", a b]}`}, // keys are no texts
		{Kind: Set, Path: "dir", Value: `"/d \"1\": {port}"`},
		{Kind: Replace, Path: "{port}", Value: "listen 8080;"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if v.Command[2] != "{config}" || v.Config.Edits[0].Value != `"{port}"` {
		t.Error("the variant itself has changed")
	}
}

func TestExpandWithoutValues(t *testing.T) {
	v := Variant{Name: "v", Command: []string{"{config} {port}", "{port.x}"}, Ports: []Port{{"http", 0}}, Env: []EnvVar{{"A", "{up}"}}}
	want := `variant v: no value for {config} in "{config} {port}"
variant v: no value for {port} in "{config} {port}"
variant v: no value for {port.x} in "{port.x}"
variant v: no value for {up} in "{up}"`
	if _, err := v.Expand(Values{}); err == nil || err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	h, err := Helper{Name: "h", Command: []string{"x", "{dir}/{app}"}}.Expand(Values{Dir: "/d", Helpers: map[string]string{"app": "http://a"}})
	if err != nil || h.Command[1] != "/d/http://a" {
		t.Errorf("helper %q, %v", h.Command, err)
	}
	h, err = Helper{Name: "h", Ports: []Port{{"fcgi", 9000}}, Command: []string{"{port} {port.fcgi} {app.address} {sock.address}"}, Ready: Ready{URL: "tcp://127.0.0.1:{port}"}}.Expand(
		Values{Helpers: map[string]string{"app": "http://127.0.0.1:80/x", "sock": "unix:///run/s"}})
	if err != nil || h.Command[0] != "9000 9000 127.0.0.1:80 /run/s" || h.Ready.URL != "tcp://127.0.0.1:9000" {
		t.Errorf("helper %q at %q, %v", h.Command, h.Ready.URL, err)
	}
	want = `helper h: no value for {port} in "{port}"`
	if _, err := (Helper{Name: "h", Command: []string{"{port}"}}).Expand(Values{}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestVariantURL(t *testing.T) {
	v := Variant{Name: "v", Ports: []Port{{"admin", 1}, {"http", 8080}, {"https", 0}}}
	for _, test := range []struct {
		scenario    Scenario
		want, fault string
	}{
		{Scenario{Name: "a", URL: "/x?y"}, "http://127.0.0.1:8080/x?y", ""},
		{Scenario{Name: "a", URL: "https://h/"}, "https://h/", ""},
		{Scenario{Name: "a", URL: "/x", TLS: TLS{On: true}}, "", `variant v, scenario a: no port "https" for /x`},
	} {
		got, err := v.URL(test.scenario)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if got != test.want || fault != test.fault {
			t.Errorf("%s: %q, %q; want %q, %q", test.scenario.URL, got, fault, test.want, test.fault)
		}
	}
	v.Ports[2].Number = 8443
	if got, err := v.URL(Scenario{URL: "/x", TLS: TLS{On: true}}); got != "https://127.0.0.1:8443/x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLacks(t *testing.T) {
	for _, test := range []struct {
		provides, needs, want []string
	}{
		{nil, []string{"h3"}, nil}, // whatever is needed
		{[]string{}, []string{"http"}, []string{"http"}},
		{[]string{"http", "h2"}, []string{"h2", "h3", "php"}, []string{"h3", "php"}},
		{[]string{"http"}, nil, nil},
	} {
		if diff := cmp.Diff(test.want, Variant{Provides: test.provides}.Lacks(test.needs)); diff != "" {
			t.Errorf("%v needs %v, -want +got\n%s", test.provides, test.needs, diff)
		}
	}
}

func TestTable(t *testing.T) {
	for _, test := range []struct {
		params []Param
		want   string
	}{
		{nil, "s"},
		{[]Param{{Name: "conns", Value: "64"}}, "s"}, // the file's own
		{[]Param{{Name: "conns", Value: "64", Given: true}, {Name: "path", Value: "/A b", Given: true}}, "s-conns-64-path-a-b"},
		{[]Param{{Name: "x", Value: "", Given: true}}, "s-x"},
		{[]Param{{Name: "x", Value: "0123456789012345678901234567890123456789012345678901234567890123456789", Given: true}},
			"s-x-012345678901234567890123456789012345678901234567890123456789"}, // 4 + 60
	} {
		if got := (&Suite{Name: "s", Params: test.params}).Table(); got != test.want || !validName.MatchString(got) {
			t.Errorf("%v: %q, want %q", test.params, got, test.want)
		}
	}
}
