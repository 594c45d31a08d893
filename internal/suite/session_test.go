package suite

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/cpuset"
)

func mustCPUs(t *testing.T, list string) cpuset.Set {
	t.Helper()
	set, err := cpuset.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const sessionYAML = `
suite: gate1
host: xeon
params: {conns: 64, flag: "010"}
placement: {server: 0-3, upstream: [4, 5-7], generator: "8-15,24-31"}
plan: {rounds: 3, max_rounds: 6, runs: 5, warmup: 10s, measure: 20s, order: random, shuffle: true, interleave: scenario, seed: 7}
quiet: {load1: 1.5, busy: 2.5%, timeout: 10m}
require: [governor=performance, turbo=off]
variants:
  - name: old
    command: [wrap.sh, /opt/old/server, -c, "{config}", "--flag={flag}", "{{config}}"]
    config:
      from: conf/server.yaml
      drop: [tls.old]
      set: {listen.port: "{port}", name: "a {instance}", limits: {open: 010, text: "010"}}
    env: {OPEN_FILE_CACHE: off, NUMBER: 010, UP: "{upstream}/x", EMPTY: ""}
    user: bench
    workers: 4
    nofile: 5000
    ports: {http: 8080, https: 0}
    ready: {url: "http://127.0.0.1:{port}/ok", status: 204, body: ok, timeout: 5s}
    expect: {exe: /opt/old/server, sha256: 0000000000000000000000000000000000000000000000000000000000000000,
             uid: nonroot, seccomp: 2, no_new_privs: true, argv: [server, -c, "{config}"], processes: 3, grace: 2s}
    provides: [http, tls]
    log: {files: ["{dir}/logs/error.log", error.log], fail: ["bind", "panic"], ignore: ["certificate .* expired"]}
    about: {commit: c89b145, features: [a, b], none: []}
    instances: {count: 3, layout: multi, id: gw}
    programs: [taskset, php-fpm]
    install: apt install util-linux php-fpm
  - {name: new, command: [server], expect: {exe: server}, ports: {http: 8080, https: 8443}, same_ok: the same for a test}
scenarios:
  - {name: a, mode: multi, url: /x, connections: "{conns}", varies: [env], margin: 3%, expected: Faster., needs: [h3], stand_in: /delay/2ms, programs: [node], install: apt install nodejs}
  - {name: a, url: /x, body: '{"n": {conns}, "m": "{{conns}} {other}"}'}
compare: [{base: old, new: new}, {base: new, new: old, same_ok: why not}]
gate: {policy: noninferior, margin: 1%, alpha: 0.05, spend: obf, interval: pairs, on_inconclusive: fail, limits: {p99: 1.15, p999: 1.3, rss: 1.2, cpu: 0}}
helpers:
  - name: upstream
    command: [node, "{dir}/app.js"]
    ready: {url: "http://127.0.0.1:9000/"}
    env: {A: b}
    user: nobody
    log: {ignore: [x]}
    programs: [npm]
    install: apt install npm
varies: [config, argv]
`

func TestParseSession(t *testing.T) {
	got, err := Parser{Params: map[string]string{"conns": "128"}}.Parse("dir/s.yaml", []byte(sessionYAML))
	if err != nil {
		t.Fatal(err)
	}
	in := func(line, column int) Position { return Position{File: "dir/s.yaml", Line: line, Column: column} }
	want := Suite{
		Name: "gate1", Host: "xeon",
		Params:    []Param{{Name: "conns", Value: "128", Given: true}, {Name: "flag", Value: "010"}},
		Placement: Placement{Server: mustCPUs(t, "0-3"), Upstream: mustCPUs(t, "4-7"), Generator: mustCPUs(t, "8-15,24-31")},
		Plan: Plan{Rounds: 3, MaxRounds: 6, Runs: 5, Warmup: 10 * time.Second, Measure: 20 * time.Second,
			Order: Random, Shuffle: true, Interleave: ByScenario, Restart: EachMeasurement, Seed: 7, OfRecord: true},
		Quiet:   Quiet{Load1: 1.5, BusyFrac: 0.025, Timeout: 10 * time.Minute},
		Require: []Requirement{{"governor", "performance"}, {"turbo", "off"}},
		Variants: []Variant{
			{
				Name:    "old",
				Command: []string{"wrap.sh", "/opt/old/server", "-c", "{config}", "--flag=010", "{{config}}"},
				Config: Config{From: "dir/conf/server.yaml", Edits: []Edit{
					{Kind: Drop, Path: "tls.old", At: in(14, 14)},
					{Kind: Set, Path: "listen.port", Value: `"{port}"`, At: in(15, 13)},
					{Kind: Set, Path: "name", Value: `"a {instance}"`, At: in(15, 36)},
					{Kind: Set, Path: "limits", Value: `{open: 010, text: "010"}`, At: in(15, 58)},
				}},
				Env:   []EnvVar{{"OPEN_FILE_CACHE", "off"}, {"NUMBER", "010"}, {"UP", "{upstream}/x"}, {"EMPTY", ""}},
				User:  "bench",
				Ports: []Port{{"http", 8080}, {"https", 0}}, Workers: 4, Nofile: 5000,
				Ready: Ready{URL: "http://127.0.0.1:{port}/ok", Status: 204, Body: "ok", Timeout: 5 * time.Second},
				Expect: Identity{Exe: "/opt/old/server", SHA256: "0000000000000000000000000000000000000000000000000000000000000000",
					UID: UIDRule{Kind: NonRootUID}, Seccomp: new(2), NoNewPrivs: new(true),
					Argv: []string{"server", "-c", "{config}"}, Processes: 3, Grace: 2 * time.Second},
				Provides:  []string{"http", "tls"},
				Log:       LogRules{Files: []string{"{dir}/logs/error.log", "error.log"}, Fail: []string{"bind", "panic"}, Ignore: []string{"certificate .* expired"}},
				About:     map[string]string{"commit": "c89b145", "features": "a, b", "none": ""},
				Instances: Instances{Count: 3, Layout: Multi, ID: "gw"},
				Needed:    Needed{Programs: []string{"taskset", "php-fpm"}, Install: "apt install util-linux php-fpm"},
			},
			{
				Name: "new", Command: []string{"server"}, Ports: []Port{{"http", 8080}, {"https", 8443}}, SameOK: "the same for a test",
				Ready: Ready{Timeout: 10 * time.Second}, Expect: Identity{Exe: "server", Grace: time.Second},
			},
		},
		Scenarios: []Scenario{
			{Name: "a", Mode: "multi", URL: "/x", OfVariants: true, Connections: 128, Streams: 1, Method: "GET", Measure: 10 * time.Second,
				Varies: []string{"env"}, Margin: new(0.03), Expected: "Faster.", Needs: []string{"h3"}, StandIn: "/delay/2ms",
				Needed: Needed{Programs: []string{"node"}, Install: "apt install nodejs"}},
			{Name: "a", URL: "/x", OfVariants: true, Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second,
				Body: `{"n": 128, "m": "{conns} {other}"}`},
		},
		Compare: []Comparison{{Base: "old", New: "new", SameOK: "the same for a test"}, {Base: "new", New: "old", SameOK: "why not"}},
		Gate: Gate{Policy: NonInferior, Margin: new(0.01), Alpha: new(0.05), Spend: OBrienFleming, Interval: ByPairs, OnInconclusive: CountsAsFail,
			Limits: Limits{P99: new(1.15), P999: new(1.3), RSS: new(1.2), CPU: new(0.0)}},
		Helpers: []Helper{{Name: "upstream", Command: []string{"node", "{dir}/app.js"},
			Ready: Ready{URL: "http://127.0.0.1:9000/", Timeout: 10 * time.Second},
			Env:   []EnvVar{{"A", "b"}}, User: "nobody", Log: LogRules{Ignore: []string{"x"}},
			Needed: Needed{Programs: []string{"npm"}, Install: "apt install npm"}}},
		Varies:  []string{"config", "argv"},
		Sources: []Source{{Path: "dir/s.yaml", Data: []byte(sessionYAML)}},
	}
	want.Named = want.Helpers
	if diff := cmp.Diff(want, *got, comparableSets); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got.Helpers[0].IsOurs() {
		t.Error("a helper with a ready check is none of load's")
	}
	if want := "gate1-conns-128"; got.Table() != want {
		t.Errorf("table %q, want %q", got.Table(), want)
	}
}

// What nobody says is the preset release, 2 and 2 %.
func TestSessionDefaults(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		plan       Plan
		timeout    time.Duration
	}{
		{"nothing", "",
			Plan{Preset: "release", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * time.Second, Measure: 30 * time.Second, Seed: 1, OfRecord: true}, time.Hour},
		{"policy that wants another order", "gate: {policy: noninferior}\n",
			Plan{Preset: "release", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * time.Second, Measure: 30 * time.Second, Seed: 1, OfRecord: true,
				Order: Counterbalanced}, time.Hour},
		{"order that is said", "gate: {policy: noninferior}\nplan: {order: rotate}\n",
			Plan{Preset: "release", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * time.Second, Measure: 30 * time.Second, Seed: 1, OfRecord: true}, time.Hour},
		{"preset of the file", "plan: {preset: quick}\n",
			Plan{Preset: "quick", Rounds: 1, MaxRounds: 1, Runs: 3, Warmup: time.Second, Measure: 3 * time.Second, Seed: 1}, 20 * time.Second},
		{"preset and a number", "plan: {rounds: 4, preset: quick}\n",
			Plan{Rounds: 4, MaxRounds: 4, Runs: 3, Warmup: time.Second, Measure: 3 * time.Second, Seed: 1}, 20 * time.Second},
		{"a number that the preset has anyway", "plan: {runs: 5}\n",
			Plan{Preset: "release", Rounds: 3, MaxRounds: 3, Runs: 5, Warmup: 10 * time.Second, Measure: 30 * time.Second, Seed: 1, OfRecord: true}, time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Parse("s.yaml", []byte("suite: s\nscenarios: [{name: a, url: http://h/}]\n"+test.yaml))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.plan, s.Plan); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if want := (Quiet{Load1: 2, BusyFrac: 0.02, Timeout: test.timeout}); s.Quiet != want {
				t.Errorf("quiet %+v, want %+v", s.Quiet, want)
			}
			if err := s.Plan.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Variants and scenarios of their own files, by path and by pattern; every path is
// from where it is written.
func TestParseFiles(t *testing.T) {
	files := fstest.MapFS{
		"suites/s.yaml":           {Data: []byte("suite: s\nvariants: [v/a.yaml, {name: i, command: [x], ports: {http: 1}}, 'v/{which}*.yaml']\nscenarios: [../scenarios/*.yaml]\nparams: {which: b}\n")},
		"suites/v/a.yaml":         {Data: []byte("name: a\ncommand: [x, \"{config}\", \"{which}\"]\nconfig: c/a.conf\nports: {http: 1}\n")},
		"suites/v/c/a.conf":       {Data: []byte("text a")},
		"suites/v/b2.yaml":        {Data: []byte("name: b2\ncommand: [x]\nports: {http: 1}\nconfig: {from: c/b.yaml, set: {a: 2}}\n")},
		"suites/v/b1.yaml":        {Data: []byte("name: b1\ncommand: [x]\nports: {http: 1}\n")},
		"suites/v/c/b.yaml":       {Data: []byte("a: 1\n")},
		"scenarios/proxy.yaml":    {Data: []byte("name: proxy\nurl: /proxy\n")},
		"scenarios/cached.yaml":   {Data: []byte("name: cached\nurl: https://h/\ntls: {ca: ca.pem}\n")},
		"scenarios/not-this.text": {Data: []byte("x")},
	}
	s, err := Parser{FS: files}.Load("suites/s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names, paths []string
	for _, v := range s.Variants {
		names = append(names, v.Name)
	}
	for _, sc := range s.Scenarios {
		names = append(names, sc.Name)
	}
	for _, source := range s.Sources {
		paths = append(paths, source.Path)
	}
	if diff := cmp.Diff([]string{"a", "i", "b1", "b2", "cached", "proxy"}, names); diff != "" {
		t.Errorf("names, -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"suites/s.yaml", "suites/v/a.yaml", "suites/v/c/a.conf", "suites/v/b1.yaml", "suites/v/b2.yaml",
		"suites/v/c/b.yaml", "scenarios/cached.yaml", "scenarios/proxy.yaml"}, paths); diff != "" {
		t.Errorf("sources, -want +got\n%s", diff)
	}
	if s.Variants[0].Command[2] != "b" || s.Scenarios[0].TLS.CA != "scenarios/ca.pem" {
		t.Errorf("param %q, CA %q", s.Variants[0].Command[2], s.Scenarios[0].TLS.CA)
	}
	source, ok := s.Source(s.Variants[3].Config.From)
	effective, err := s.Variants[3].Config.Effective(source)
	if !ok || err != nil || string(effective) != "a: 2\n" {
		t.Errorf("effective configuration %q, %t, %v", effective, ok, err)
	}
}

// The hash is that of all content and all params, and of nothing else.
func TestHash(t *testing.T) {
	files := func() fstest.MapFS {
		return fstest.MapFS{
			"s.yaml":   {Data: []byte("suite: s\nparams: {p: 1}\nvariants: [v.yaml]\nscenarios: [{name: a, url: http://h/}]\n")},
			"v.yaml":   {Data: []byte("name: v\ncommand: [x]\nconfig: c.conf\n")},
			"c.conf":   {Data: []byte("1")},
			"d/s.yaml": {Data: []byte("suite: s\nparams: {p: 1}\nvariants: [v.yaml]\nscenarios: [{name: a, url: http://h/}]\n")},
			"d/v.yaml": {Data: []byte("name: v\ncommand: [x]\nconfig: c.conf\n")},
			"d/c.conf": {Data: []byte("1")},
		}
	}
	hash := func(name string, given map[string]string, change func(fstest.MapFS)) string {
		t.Helper()
		fsys := files()
		change(fsys)
		s, err := Parser{FS: fsys, Params: given}.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash()
	}
	none := func(fstest.MapFS) {}
	append1 := func(name string) func(fstest.MapFS) {
		return func(fsys fstest.MapFS) { fsys[name].Data = append(fsys[name].Data, " #\n"...) }
	}
	base := hash("s.yaml", nil, none)
	for name, other := range map[string]string{
		"again":       hash("s.yaml", nil, none),
		"elsewhere":   hash("d/s.yaml", nil, none),
		"same value":  hash("s.yaml", map[string]string{"p": "1"}, none),
		"other files": hash("s.yaml", nil, append1("d/c.conf")),
	} {
		if other != base {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, other := range map[string]string{
		"suite":   hash("s.yaml", nil, append1("s.yaml")),
		"variant": hash("s.yaml", nil, append1("v.yaml")),
		"config":  hash("s.yaml", nil, append1("c.conf")),
		"param":   hash("s.yaml", map[string]string{"p": "2"}, none),
	} {
		if other == base {
			t.Errorf("%s: the same hash", name)
		}
	}
}

// Helpers of the suite and of its scenarios are named once each, in the order of the file.
func TestNamedHelpers(t *testing.T) {
	s, err := Parse("s.yaml", []byte(`suite: s
helpers: [{name: all, command: [x]}]
scenarios:
  - {name: a, url: "http://h/", helpers: [{name: up, command: [x]}, {name: app, command: [y]}]}
  - {name: b, url: "http://h/", helpers: [{name: up, command: [x]}, {name: last, command: [z]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, h := range s.Named {
		names = append(names, h.Name)
	}
	if diff := cmp.Diff([]string{"all", "up", "app", "last"}, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
