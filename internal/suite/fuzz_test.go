package suite

import (
	"errors"
	"strings"
	"testing"
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
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("f", data)
		if err == nil {
			checkSuite(t, s)
			return
		}
		var faults Faults
		if !errors.As(err, &faults) || len(faults) == 0 || s != nil {
			t.Fatalf("suite %v, error %v", s, err)
		}
		for _, fault := range faults {
			if fault.File != "f" || fault.Line < 1 || fault.Column < 1 || fault.Text == "" {
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
			sc.Measure <= 0 || sc.Warmup < 0 || sc.Method == "" || (sc.UsesTarget() && s.Target == TargetNone) {
			t.Fatalf("scenario %#v", sc)
		}
		if sc.HTTP == HTTP3 && !sc.TLS.On {
			t.Fatalf("HTTP/3 of scenario %#v", sc)
		}
		if sc.Streams < 1 || (sc.HTTP == HTTP1 && sc.Streams != 1) || (!sc.UsesTarget() && sc.TLS.On != strings.HasPrefix(strings.ToLower(sc.URL), "https://")) {
			t.Fatalf("protocol of scenario %#v", sc)
		}
		for _, h := range sc.Helpers {
			if !validName.MatchString(h.Name) || h.Name == serverName || len(h.Command) == 0 || h.Command[0] == "" {
				t.Fatalf("helper %#v", h)
			}
		}
	}
}
