package suite

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// Parse must end with a suite that holds what suite.go promises, or with
// faults that have a place and a text; never panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte("suite: s\ntarget: embedded\nscenarios:\n  - name: a\n    url: /x\n    expect: {status: 200, bytes: 2}\n"))
	f.Add([]byte("suite: s\nscenarios:\n- name: a\n  url: http://h/\n  helpers: [{name: u, command: [scalbench, target], cpus: server}]\n"))
	f.Add([]byte("suite: &a s\nscenarios: [*a, {<<: {b: c}, ? d : e}]\nx: !!str y\n"))
	f.Add([]byte("%YAML 1.2\n---\n- a\n...\n---\nb: |\n  c\n"))
	f.Add([]byte("suite: s\nscenarios: [{name: a, url: https://h/, http: 2, streams: 9, tls: {verify: true, ca: a.pem, sni: h}}]\n"))
	f.Add([]byte("suite: s\ntarget: embedded\nscenarios: [{name: a, url: /x, http: 3, streams: 9, tls: {}}]\n"))
	f.Add([]byte(sessionYAML))
	files := fstest.MapFS{
		"v.yaml": {Data: []byte("name: v\ncommand: [x, \"{p}\"]\nports: {http: 1}\nconfig: {from: c.yaml, set: {a: 2}}\n")},
		"c.yaml": {Data: []byte("a: 1\nb: [1, 2]\n")},
	}
	f.Add([]byte("suite: s\nparams: {p: 1}\nscenarios: [{name: a, url: /}]\nvariants: ['*.yaml', {name: w, command: [x], config: {from: c.yaml, drop: [\"b[0]\"], replace: {a: b}}}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parser{FS: files}.parse("f", data, true)
		if err == nil {
			checkSuite(t, s)
			return
		}
		var faults Faults
		if !errors.As(err, &faults) || len(faults) == 0 || s != nil {
			t.Fatalf("suite %v, error %v", s, err)
		}
		for _, fault := range faults {
			if fault.File == "" || fault.Line < 1 || fault.Column < 1 || fault.Text == "" {
				t.Fatalf("fault without a place or text: %#v", fault)
			}
		}
	})
}

func checkSuite(t *testing.T, s *Suite) {
	if !validName.MatchString(s.Name) || len(s.Scenarios) == 0 {
		t.Fatalf("suite %#v", s)
	}
	for _, sc := range s.Scenarios {
		if !validName.MatchString(sc.Name) || sc.URL == "" || sc.Connections < 1 || sc.RequestsPerConn < 0 ||
			sc.Measure <= 0 || sc.Warmup < 0 || sc.Method == "" || (sc.isPath() && s.Target == TargetNone && len(s.Variants) == 0) {
			t.Fatalf("scenario %#v", sc)
		}
		if sc.HTTP == HTTP3 && !sc.TLS.On {
			t.Fatalf("HTTP/3 of scenario %#v", sc)
		}
		if sc.Streams < 1 || (sc.HTTP == HTTP1 && sc.Streams != 1) || (!sc.isPath() && sc.TLS.On != strings.HasPrefix(strings.ToLower(sc.URL), "https://")) {
			t.Fatalf("protocol of scenario %#v", sc)
		}
		checkFuzzedHelpers(t, sc.Helpers)
	}
	checkFuzzedHelpers(t, s.Helpers)
	for _, v := range s.Variants {
		if !validName.MatchString(v.Name) || len(v.Command) == 0 || v.Command[0] == "" || v.Ready.Timeout <= 0 || len(s.Sources) == 0 {
			t.Fatalf("variant %#v", v)
		}
		for _, sc := range s.Scenarios {
			if _, err := v.URL(sc); err != nil && len(v.Lacks(sc.Needs)) == 0 && !strings.Contains(err.Error(), "no port") {
				t.Fatal(err)
			}
		}
	}
	if err := s.Plan.Validate(); err != nil {
		t.Fatal(err)
	}
	if !validName.MatchString(s.Table()) {
		t.Fatalf("table %q", s.Table())
	}
}

func checkFuzzedHelpers(t *testing.T, helpers []Helper) {
	for _, h := range helpers {
		if !validName.MatchString(h.Name) || h.Name == serverName || len(h.Command) == 0 || h.Command[0] == "" {
			t.Fatalf("helper %#v", h)
		}
	}
}

// An edit gives the file that it says, or a fault; never a panic, and never a file
// that the same edit, of a value that is set, would change again.
func FuzzEffective(f *testing.F) {
	for _, path := range []string{"server.listen", "server.hosts[1].name", "server.tls", "cache.on", "empty", "text", "last"} {
		f.Add([]byte(serverYAML), path, "[1, {a: b}]")
	}
	f.Add([]byte("{\"a\": {\"b\": [1, 2]}}"), "a.b[0]", "x")
	f.Add([]byte("- - a: &x 1\n    b: !t |-\n      c\n  - *x\n"), "[0][0].b", "\"y\"")
	f.Fuzz(func(t *testing.T, source []byte, path, value string) {
		if len(source) > 2000 || len(value) > 200 {
			return
		}
		tree, err := parseTree([]byte(value))
		if err != nil || len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
			return
		}
		value, bad := flow{}.value(tree.Docs[0].Body)
		if bad != nil {
			return
		}
		config := func(e Edit) Config { return Config{From: "c", Edits: []Edit{e}} }
		once, err := config(set(path, value)).Effective(source)
		if err == nil {
			twice, err := config(set(path, value)).Effective(once)
			if err != nil || string(once) != string(twice) {
				t.Fatalf("set once %q, twice %q, %v", once, twice, err)
			}
		}
		if dropped, err := config(drop(path)).Effective(source); err == nil && string(dropped) == string(source) {
			t.Fatalf("dropped nothing from %q", source)
		}
	})
}
