package serverproc

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

func cpus(t *testing.T, list string) cpuset.Set {
	t.Helper()
	s, err := cpuset.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pointer[T any](v T) *T { return &v }

// observed is a server with a worker, as it should be.
func observed(t *testing.T) Observation {
	t.Helper()
	return Observation{
		Server: ProcessFacts{
			PID: 100, Start: time.Hour, Age: 5 * time.Second,
			Exe: known("/opt/server"), SHA256: known(strings.Repeat("a", 64)),
			Argv: known([]string{"server", "-c", "x y"}), RealUID: 33, EffectiveUID: 33,
			Security: Security{known(2), known(1), known(true), known("0000000000000000")},
		},
		Members: []Member{
			{PID: 100, Name: "server", Exe: known("/opt/server"), CPUs: cpus(t, "0-1")},
			{PID: 101, Parent: 100, Name: "worker", Exe: known("/opt/server"), CPUs: cpus(t, "1")},
		},
		Ports: []PortFacts{{Port: port8080(), Own: 1}},
	}
}

func port8080() Port { return Port{procfs.TCP, netip.MustParseAddrPort("127.0.0.1:8080")} }

// expected is what observed is.
func expected(t *testing.T) Expect {
	t.Helper()
	return Expect{
		Exe: "/opt/server", SHA256: strings.Repeat("a", 64), Start: time.Hour, UID: UIDRule{Kind: UIDNonRoot},
		Seccomp: pointer(2), NoNewPrivs: pointer(true), Argv: []string{"server", "-c", "x y"},
		Processes: 2, CPUs: cpus(t, "0-3"), Ports: []Port{port8080()}, Grace: time.Second,
	}
}

func TestCheck(t *testing.T) {
	if wrong := Check(expected(t), observed(t)); wrong != nil {
		t.Errorf("as expected: %v", wrong)
	}
	if err := expected(t).Validate(); err != nil {
		t.Error(err)
	}
	tests := []struct {
		change func(*Observation)
		trait  Trait
		want   string
	}{
		{func(o *Observation) { o.Gone = true }, TraitAlive, "the server has ended"},
		{func(o *Observation) { o.Server.Start++ }, TraitStart, "process 100 was started 1h0m0.000000001s after boot, and the server 1h0m0s: it is another one"},
		{func(o *Observation) { o.Server.Exe = known("/opt/other") }, TraitExe, "the pid is /opt/other, not /opt/server, which runs below it as process 101: the wrapper must exec"},
		{func(o *Observation) { o.Server.Exe, o.Members[1].Exe = known("/bin/dash"), known("/bin/sleep") }, TraitExe, "the pid is /bin/dash, not /opt/server: the wrapper must exec"},
		{func(o *Observation) { o.Server.Exe, o.Members[1].Exe = known("/opt/other"), known("/opt/other") }, TraitExe, "process 100 runs /opt/other, not /opt/server"},
		{func(o *Observation) { o.Server.Replaced = true }, TraitExe, "/opt/server was replaced since process 100 was started: what runs is no longer there"},
		{func(o *Observation) { o.Server.SHA256 = known("bb") }, TraitSHA256, "process 100 runs /opt/server with SHA-256 bb, expected " + strings.Repeat("a", 64)},
		{func(o *Observation) { o.Server.Argv = known([]string{"server", "-c", "x", "y"}) }, TraitArgv, `process 100 was started as ["server" "-c" "x" "y"], expected ["server" "-c" "x y"]`},
		{func(o *Observation) { o.Server.RealUID = 0 }, TraitUID, "process 100 runs as user 33 (real 0), expected nonroot"},
		{func(o *Observation) { o.Server.Security.Seccomp = known(0) }, TraitSeccomp, "process 100 has seccomp 0, expected 2"},
		{func(o *Observation) { o.Server.Security.NoNewPrivs = known(false) }, TraitNoNewPrivs, "process 100 has no_new_privs false, expected true"},
		{func(o *Observation) { o.Members = o.Members[:1] }, TraitProcesses, "the server has 1 processes (server[100]), expected 2"},
		{func(o *Observation) { o.Members[1].CPUs = cpus(t, "1,7") }, TraitCPUs, "worker[101] may run on CPUs 1,7, expected none but 0-3"},
		{func(o *Observation) { o.Ports[0].Own = 0 }, TraitPorts, "the server does not listen at TCP 127.0.0.1:8080"},
		{func(o *Observation) { o.Ports[0].Neighbours = []string{"a[7]", "b[8]"} }, TraitPorts, "TCP 127.0.0.1:8080 is shared with a[7], b[8]"},
	}
	for _, test := range tests {
		o, e := observed(t), expected(t)
		test.change(&o)
		wrong := Check(e, o)
		if len(wrong) != 1 || wrong[0].Trait != test.trait || wrong[0].Sentence != test.want {
			t.Errorf("violations %v, want %q", wrong, test.want)
		}
	}
}

// What could not be looked at is no violation, and no sample.
func TestCheckNotAvailable(t *testing.T) {
	o, e := observed(t), expected(t)
	o.Server.Exe, o.Server.SHA256 = unknown[string]("not ours"), unknown[string]("not ours")
	o.Server.Security.Seccomp = unknown[int]("old kernel")
	o.Ports[0].NA = "not ours"
	if wrong := Check(e, o); wrong != nil {
		t.Errorf("violations %v", wrong)
	}
	na := map[Trait]string{}
	for _, f := range Findings(e, o) {
		na[f.Trait] = f.NA
	}
	for trait, want := range map[Trait]string{TraitExe: "not ours", TraitSHA256: "not ours", TraitSeccomp: "old kernel", TraitPorts: "not ours", TraitUID: ""} {
		if na[trait] != want {
			t.Errorf("%s: n/a %q, want %q", trait, na[trait], want)
		}
	}
	o.PortsSkipped, o.Ports = true, nil
	for _, f := range Findings(e, o) {
		if f.Trait == TraitPorts {
			t.Errorf("ports that were skipped: %+v", f)
		}
	}
}

// A server that writes its arguments into a title has them.
func TestCheckTitle(t *testing.T) {
	o, e := observed(t), expected(t)
	o.Server.Argv = known([]string{"server: master process server -c x y"})
	if wrong := Check(e, o); wrong != nil {
		t.Errorf("violations %v", wrong)
	}
	o.Server.Argv = known([]string{"server: master process server -c x"})
	if wrong := Check(e, o); len(wrong) != 1 {
		t.Errorf("violations %v, want one", wrong)
	}
}

func TestExpectFaults(t *testing.T) {
	err := Expect{Exe: "server", SHA256: "abc", Seccomp: pointer(3), Processes: -1, Ports: []Port{{}}}.Validate()
	for _, want := range []string{`exe: "server"`, `sha256: "abc"`, "seccomp: 3", "processes -1", "port TCP"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := (Expect{Exe: "/no/such/server"}).Resolve(); err == nil {
		t.Error("a program that is not there was resolved")
	}
}

func TestUIDRule(t *testing.T) {
	tests := []struct {
		rule            string
		real, effective int
		want            bool
	}{
		{"", 0, 0, true},
		{"nonroot", 33, 33, true},
		{"nonroot", 33, 0, false}, // set-user-ID
		{"nonroot", 0, 33, false}, // can become root again
		{"33", 0, 33, true},
		{"33", 33, 34, false},
		{"root", 0, 0, true},
		{"0", 1, 1, false},
	}
	for _, test := range tests {
		rule, err := ParseUIDRule(test.rule)
		if err != nil {
			t.Fatal(err)
		}
		if got := rule.holds(test.real, test.effective); got != test.want {
			t.Errorf("%q of user %d (real %d): %t", test.rule, test.effective, test.real, got)
		}
	}
	if _, err := ParseUIDRule("nobody-called-that"); err == nil {
		t.Error("a user that does not exist was parsed")
	}
}

func TestTally(t *testing.T) {
	e := Expect{Seccomp: pointer(2), Exe: "/opt/server", Grace: time.Second}
	look := func(age time.Duration, seccomp int) Observation {
		o := observed(t)
		o.Server.Age, o.Server.Security.Seccomp = age, known(seccomp)
		o.Server.Exe = unknown[string]("not ours")
		return o
	}
	var tally Tally
	tally.Add(e, look(999*time.Millisecond, 0)) // early and wrong
	tally.Add(e, look(999*time.Millisecond, 2)) // early and right
	if tally.First() != nil || tally.FirstEarly() == nil {
		t.Errorf("first %v, early %v", tally.First(), tally.FirstEarly())
	}
	tally.Add(e, look(time.Second, 2))
	tally.Add(e, look(2*time.Second, 0))
	tally.Add(e, look(3*time.Second, 1))
	if first := tally.First(); first == nil || first.Age != 2*time.Second || first.Sentence != "process 100 has seccomp 0, expected 2" {
		t.Errorf("first %+v", first)
	}
	if ok, total := tally.Samples(); ok != 1 || total != 3 {
		t.Errorf("%d of %d samples, want 1 of 3", ok, total)
	}
	want := map[Trait]Count{
		TraitAlive:   {Trait: TraitAlive, Expect: "alive", Samples: 3, OK: 3, Early: 2, EarlyOK: 2},
		TraitExe:     {Trait: TraitExe, Expect: "exe", NA: "not ours"},
		TraitSeccomp: {Trait: TraitSeccomp, Expect: "seccomp 2", Samples: 3, OK: 1, Early: 2, EarlyOK: 1, Missed: "process 100 has seccomp 0, expected 2"},
	}
	counts := tally.Counts(e)
	if len(counts) != len(want) {
		t.Errorf("%d counts, want %d", len(counts), len(want))
	}
	for _, c := range counts {
		if c != want[c.Trait] {
			t.Errorf("count %+v, want %+v", c, want[c.Trait])
		}
	}
	tally.Add(e, Observation{Gone: true}) // never early, though its age is 0
	if ok, total := tally.Samples(); ok != 1 || total != 4 {
		t.Errorf("%d of %d samples after the end, want 1 of 4", ok, total)
	}
}
