package driver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// servers is a suite of what this host has not.
const servers = `
suite: servers
host: far
placement: {server: 0-3, generator: "8-15,24-31"}
require: [turbo=off]
plan: {preset: smoke}
helpers: [{name: pool, command: [no-such-pool], ready: {url: "http://127.0.0.1:1/"}}]
variants:
  - {name: off, command: [/opt/server, "{pool}"], ports: {http: 80, https: 443, admin: 1}, provides: [http, tls, php],
     user: nobody, env: {A: b}, expect: {exe: /opt/server, seccomp: 0}, log: {fail: [x]}, ready: {url: "http://127.0.0.1:80/x"}}
  - {name: multi, command: [/opt/server], ports: {http: 80}, provides: [http, php], instances: {count: 3, layout: multi}}
  - {name: all, command: [/opt/server], ports: {http: 80, https: 443}}
scenarios:
  - {name: respond, url: /respond, needs: [http], expect: {status: 200, bytes: 2}}
  - {name: php, url: /index.php, stand_in: /proxy/delay/1ms, needs: [php], expect: {status: 200, bytes: 4096}}
  - {name: other, url: /other, needs: [http]}
  - {name: elsewhere, url: "http://192.0.2.1/", needs: [http]}
  - {name: secure-proxy, url: /proxy, http: 2, tls: {}, needs: [tls]}
  - {name: h3, url: /static-small, http: 3, tls: {}, needs: [tls, h3]}
compare: [{base: off, new: all}]
varies: [binary]
`

func TestStandIn(t *testing.T) {
	l := newLab(t, map[string]string{"servers": servers})
	order := l.order("servers")
	order.StandIn = true
	tasks, err := order.read(l.files)
	if err != nil {
		t.Fatal(err)
	}
	s := tasks[0].suite
	if s.Name != "servers-stand-in" || s.Host != "" || s.Placement != (suite.Placement{}) || s.Require != nil || s.Varies != nil || s.Compare[0].SameOK == "" {
		t.Errorf("%+v", s)
	}
	var commands []string
	for _, v := range s.Variants {
		commands = append(commands, strings.Join(v.Command, " "))
		if v.User != "" || v.Env != nil || v.Expect.Exe != "" || v.Expect.Seccomp != nil || v.Log.Fail != nil || v.About["stand-in"] == "" ||
			slices.ContainsFunc(v.Ports, func(p suite.Port) bool { return p.Number != 0 || p.Name == "admin" }) {
			t.Errorf("variant %+v", v)
		}
	}
	const plain = "scalbench stand-in --http 127.0.0.1:{port.http} --upstream {upstream}"
	const secure = " --https 127.0.0.1:{port.https} --cert {cert} --key {key} --http3"
	if diff := cmp.Diff([]string{plain + secure, plain + " --reuse-port", plain + secure}, commands); diff != "" {
		t.Errorf("commands, -want +got\n%s", diff)
	}
	if php := s.Scenarios[1]; php.URL != "/proxy/delay/1ms" || php.Expect.Bytes != nil || php.Expect.Status != 200 {
		t.Errorf("php %+v", php)
	}
	if len(s.Helpers) != 1 || !slices.Equal(s.Helpers[0].Command, []string{"scalbench", "target"}) {
		t.Errorf("helpers %+v", s.Helpers)
	}
}

// What cannot be played is not applicable, and says why; what a variant could not do
// before it cannot do now.
func TestStandInForesees(t *testing.T) {
	l := newLab(t, map[string]string{"servers": servers})
	order := l.order("servers")
	order.StandIn, order.Edit.Runs = true, new(int)
	*order.Edit.Runs = 1
	previews, err := Foresee(order, l.surroundings())
	if err != nil {
		t.Fatal(err)
	}
	p := previews[0]
	wantKeys := []string{"off, respond", "off, php", "multi, multi/respond", "multi, multi/php", "all, respond", "all, php", "all, h3"}
	for i := range wantKeys {
		wantKeys[i] = "round 1, run 1, " + wantKeys[i]
	}
	if diff := cmp.Diff(wantKeys, p.Keys); diff != "" || p.StandIn == "" {
		t.Errorf("%q, keys, -want +got\n%s", p.StandIn, diff)
	}
	const route = "N/A, it provides no route of the embedded target for "
	wantGaps := []string{
		"off, other: " + route + "/other", "off, elsewhere: " + route + "http://192.0.2.1/", "off, secure-proxy: " + route + "/proxy", "off, h3: N/A, it provides no h3",
		"multi, multi/other: " + route + "/other", "multi, multi/elsewhere: " + route + "http://192.0.2.1/",
		"multi, multi/secure-proxy: N/A, it provides no tls, no route of the embedded target for /proxy", "multi, multi/h3: N/A, it provides no tls, no h3",
		"all, other: " + route + "/other", "all, elsewhere: " + route + "http://192.0.2.1/", "all, secure-proxy: " + route + "/proxy",
	}
	if diff := cmp.Diff(wantGaps, p.Gaps); diff != "" {
		t.Errorf("gaps, -want +got\n%s", diff)
	}
}

// Everything that is made of such a session says what it is.
func TestStandInIsTold(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.NewReplacer("/small", "/respond", "/large", "/static-1m", "[sh, base]", "[/opt/base]").Replace(ab)})
	order := l.order("ab")
	order.StandIn = true
	outcome, err := l.run(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(l.said, standInNote) || outcome.Sessions[0].StandIn != standInNote {
		t.Errorf("said %q, outcome %+v", l.said, outcome.Sessions[0])
	}
	on, err := record.ReadSession(os.DirFS(l.results), "lab.example-ab-stand-in.session")
	if err != nil || on.Plan.StandIn != standInNote || on.Plan.Variants[0].About["stand-in"] != "the embedded target, instead of /opt/base" {
		t.Fatalf("session %+v, %v", on, err)
	}
	round, err := record.ReadRound(os.DirFS(l.results), "lab.example-ab-stand-in-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range round.Measurements {
		if !slices.Contains(m.Flags, standInFlag) {
			t.Errorf("%+v", m)
		}
	}
}

// So do the system calls that are counted, also later.
func TestStandInSyscalls(t *testing.T) {
	l := newLab(t, map[string]string{"ab": strings.NewReplacer("/small", "/respond", "/large", "/static-1m").Replace(ab)})
	o := l.order("ab")
	o.StandIn, o.Syscalls, o.Name = true, true, "lab-ab"
	if _, err := l.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	outcome, err := l.resume(t.Context(), Order{Syscalls: true})
	if err != nil || outcome.Sessions[0].StandIn != standInNote {
		t.Errorf("%+v, %v", outcome, err)
	}
	for _, pass := range []string{"syscalls-1", "syscalls-2"} {
		text, err := os.ReadFile(filepath.Join(l.sessionDir(), pass, record.SyscallsTextFile))
		if s := l.counted(t, pass); s.StandIn != standInNote || err != nil || !strings.Contains(string(text), standInNote+"\n") {
			t.Errorf("%s: %q, %s, %v", pass, s.StandIn, text, err)
		}
	}
}

// A server that runs already is not played.
func TestStandInNotAttached(t *testing.T) {
	err := Order{Suites: []string{"x"}, StandIn: true, Attach: "http://127.0.0.1:80"}.Validate()
	if err == nil || !strings.Contains(err.Error(), "a stand-in") {
		t.Error(err)
	}
}
