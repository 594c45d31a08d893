package measure

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// The embedded target, measured twice with one start: all of the row is there, and all of
// the evidence.
func TestMeasure(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	for n := range 2 {
		row, evidence := validRow(t, b, r, s.Scenarios[0])
		for name, v := range map[string]record.Value{
			"rps": row.RPS, "p99": row.P99Millis, "cpu_us": row.CPUMicros, "server_busy": row.ServerBusyFrac,
			"generator_busy": row.GeneratorBusyFrac, "rss": row.RSSKiB, "little": row.LittleRatio, "own CPU": evidence.OwnCPUFrac,
		} {
			if x, known := v.Get(); !known || x <= 0 {
				t.Errorf("%s: %v", name, v)
			}
		}
		if seconds, _ := row.DurationSeconds.Get(); seconds != 0.1 || row.Requests != row.Bytes/2 {
			t.Errorf("%v s, %d requests, %d bytes in bodies of 2", seconds, row.Requests, row.Bytes)
		}
		if row.IdentityN < 2 || row.IdentityOK != row.IdentityN || row.ExeSHA256 == "" || row.RSSMethod != "vmhwm" && row.RSSMethod != "sampled_100ms" {
			t.Errorf("identity %d of %d, exe %q, %s", row.IdentityOK, row.IdentityN, row.ExeSHA256, row.RSSMethod)
		}
		workers, memory := evidence.Server.Workers, evidence.Memory
		if len(workers) != 1 || workers[0].PID != r.instances[0].pid || workers[0].CPU <= 0 || workers[0].CPU > evidence.Server.CPU {
			t.Errorf("workers %+v of %s", workers, evidence.Server.CPU)
		}
		if unseen := slices.ContainsFunc(evidence.Notes, func(note string) bool { return strings.Contains(note, "memory of the server lies is n/a") }); !unseen &&
			(len(memory) != 1 || memory[0].PID != workers[0].PID || len(memory[0].Anonymous) == 0 || len(memory[0].Files) == 0) {
			t.Errorf("memory %+v", memory)
		}
		if row.CPUAppMicros.Known() {
			t.Errorf("cpu_us_app %v without a helper", row.CPUAppMicros)
		}
		if window := evidence.To.Sub(evidence.From); window != 100*time.Millisecond || evidence.Overhead > 3*time.Second {
			t.Errorf("window %s, overhead %s", window, evidence.Overhead)
		}
		want := []string{ResultFile, InterferenceFile, IdentityFile, EvidenceFile}
		if n == 0 && slices.ContainsFunc(evidence.Files, func(f File) bool { return f.Name == "server.stdout.log" }) {
			want = append(want, "server.stdout.log") // "listening ...", unless it took several tries
		}
		wantFiles(t, evidence, want)
	}
}

func wantFiles(t *testing.T, e Evidence, want []string) {
	t.Helper()
	var got []string
	for _, f := range e.Files {
		got = append(got, f.Name)
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// What is kept of the identity is what was seen.
func TestIdentityIsKept(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	_, evidence := validRow(t, b, r, s.Scenarios[0])
	i := slices.IndexFunc(evidence.Files, func(f File) bool { return f.Name == IdentityFile })
	kept, err := ReadIdentity(evidence.Files[i].Data)
	if err != nil {
		t.Fatal(err)
	}
	if d := serverproc.Differs(kept.Facts, r.Facts()); !d.Same() {
		t.Errorf("the facts read back differ: %v, %v", d.Items, d.NA)
	}
	var checks []string
	for _, c := range kept.Counts {
		if c.Variant != "plain" || c.Samples == 0 || c.OK != c.Samples {
			t.Errorf("%+v", c)
		}
		checks = append(checks, c.Check)
	}
	if want := []string{"alive", "exe", "sha256", "processes 1", "affinity " + b.Placement().Server.String(), "ports", "start"}; !sameSet(checks, want) {
		t.Errorf("checks %q, want %q", checks, want)
	}
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// A helper is up before the server, which is told its URL; what it uses is counted apart.
func TestHelper(t *testing.T) {
	s := parsed(t, `suite: proxied
helpers:
  - {name: upstream, command: [scalbench, target, "127.0.0.1:0"], cpus: server}
variants:
  - name: proxy
    command: [scalbench, target, "127.0.0.1:{port}", "{upstream}"]
    ports: {http: 0}
scenarios:
  - {name: proxy, url: /proxy, connections: 4, expect: {bytes: 1024}}
`)
	helpers, err := Helpers(s, s.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0], helpers...)
	row, _ := validRow(t, b, r, s.Scenarios[0])
	app, _ := row.CPUAppMicros.Get()
	own, _ := row.CPUMicros.Get()
	if app <= 0 || own <= 0 {
		t.Errorf("cpu_us %v, cpu_us_app %v", own, app)
	}
	if facts := r.Facts(); len(facts.Helpers) != 1 || !strings.Contains(facts.Helpers[0], "upstream") {
		t.Errorf("helpers %q", facts.Helpers)
	}
}

// A helper of a scenario that is not measured with this start has an address at which
// nobody is, of its own kind; that of each helper is another.
func TestHelperOfOtherScenario(t *testing.T) {
	s := parsed(t, `suite: others
variants:
  - name: server
    command: [scalbench, target, "127.0.0.1:{port}"]
    env: {MINE: "{mine}", OTHER: "{other}", ALSO: "{also}", POOL: "{pool}"}
    ports: {http: 0}
scenarios:
  - {name: own, url: /respond, connections: 4, helpers: [{name: mine, command: [scalbench, target, "127.0.0.1:0"], cpus: server}]}
  - {name: other, url: /respond, helpers: [{name: other, command: [no-such-program]}, {name: also, command: [no-such-program], ready: {url: "https://127.0.0.1:1/"}}]}
  - {name: pool, url: /respond, helpers: [{name: pool, command: [no-such-program], ready: {url: "http://127.0.0.1:{also}/"}}]}
`)
	s.Named[3].Ready.URL = "unix:///run/pool.sock"
	s.Scenarios = s.Scenarios[:1] // as an order that names it alone leaves it
	helpers, err := Helpers(s, s.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, benchOf(t, s), s.Variants[0], helpers...)
	for _, want := range []string{"MINE=" + r.helpers[0].url, "OTHER=http://127.0.2.2:9", "ALSO=https://127.0.2.3:9", "POOL=unix:///nowhere/pool.sock"} {
		if !slices.Contains(r.instances[0].env, want) {
			t.Errorf("no %s in %q", want, r.instances[0].env)
		}
	}
	if place := r.instances[0].places["http://127.0.2.2:9"]; place != "{other}" {
		t.Errorf("it is compared as %q", place)
	}
}

// A helper of any protocol has ports of its own, is at the first where it says nothing
// else, and is held to be what it was when it was ready.
func TestHelperIsWatched(t *testing.T) {
	s := parsed(t, `suite: proxied
helpers:
  - {name: upstream, command: [scalbench, target, "127.0.0.1:{port}"], ports: {http: 0}, cpus: server, env: {A: b}}
  - {name: other, command: [scalbench, target, "127.0.0.1:{port.x}"], ports: {x: 0}, ready: {url: "tcp://127.0.0.1:{port}"}}
variants:
  - name: proxy
    command: [scalbench, target, "127.0.0.1:{port}", "{upstream}"]
    ports: {http: 0}
scenarios:
  - {name: proxy, url: /proxy, connections: 4, expect: {bytes: 1024}}
`)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0], s.Helpers...)
	validRow(t, b, r, s.Scenarios[0])
	if facts := r.Facts(); facts.Helpers[0] != `upstream: ["scalbench" "target" "127.0.0.1:{port}"], A="b", on the server's CPUs` {
		t.Errorf("helpers %q", facts.Helpers)
	}
	upstream, other := r.helpers[0], r.helpers[1]
	if !strings.HasPrefix(upstream.url, "http://127.0.0.1:") || !strings.HasPrefix(other.url, "tcp://127.0.0.1:") || upstream.expect.SHA256 == "" {
		t.Errorf("%q, %q, %+v", upstream.url, other.url, upstream.expect)
	}
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	if allowed.Count() == upstream.cpus.Count() {
		t.Skip("one CPU: there is no other on which a helper could be")
	}
	if err := setAffinity(upstream.server.PID(), allowed); err != nil {
		t.Fatal(err)
	}
	_, evidence := wantInvalid(t, b, r, s.Scenarios[0], smoke(t), "helper upstream: ")
	i := slices.IndexFunc(evidence.Files, func(f File) bool { return f.Name == IdentityFile })
	id, err := ReadIdentity(evidence.Files[i].Data)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(id.Counts, func(c record.IdentityCount) bool {
		return strings.HasPrefix(c.Check, "helper upstream: affinity ") && c.OK < c.Samples
	}) {
		t.Errorf("counts %+v", id.Counts)
	}
}

// setAffinity lets every thread of a process run on CPUs.
func setAffinity(pid int, cpus cpuset.Set) error {
	var mask unix.CPUSet
	for _, cpu := range cpus.CPUs() {
		mask.Set(cpu)
	}
	return unix.SchedSetaffinity(pid, &mask) // its first thread is enough
}

// A server with a certificate of the session is trusted for what it is.
func TestCertificate(t *testing.T) {
	s := parsed(t, `suite: secure
variants:
  - name: secure
    command: [scalbench, target, "127.0.0.1:{port}", "", "{cert}", "{key}"]
    ports: {https: 0}
    ready: {url: "https://127.0.0.1:{port}/respond"}
scenarios:
  - {name: h2, url: /respond, http: 2, tls: {}, connections: 4}
  - {name: stranger, url: /respond, http: 2, tls: {sni: www.example.org}, connections: 4}
`)
	s.Scenarios[1].TLS.SNI = "www.example.net" // for which no certificate was made
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	validRow(t, b, r, s.Scenarios[0])
	s.Scenarios[1].TLS.SNI = "other.example.net"
	wantInvalid(t, b, r, s.Scenarios[1], smoke(t), "other.example.net")
}

// Instances are processes that share a port, each on its CPU; what they use is added up.
func TestMulti(t *testing.T) {
	s := parsed(t, `suite: instances
variants:
  - name: three
    command: [scalbench, shared, "127.0.0.1:{port}"]
    env: {ID: "{instance}"}
    ports: {http: 0}
    expect: {processes: 1}
    instances: {count: 3, layout: multi, id: gw}
scenarios:
  - {name: respond, url: /, connections: 8, expect: {bytes: 2}}
`)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	if len(r.instances) != 3 {
		t.Fatalf("%d instances", len(r.instances))
	}
	for n, i := range r.instances {
		if want := []string{"ID=gw1", "ID=gw2", "ID=gw3"}[n]; !slices.Contains(i.env, want) {
			t.Errorf("instance %d has %q, want %s", n+1, i.env, want)
		}
	}
	row, _ := validRow(t, b, r, s.Scenarios[0])
	// Three samplers look at least twice each.
	if row.IdentityN < 6 || row.RSSMethod == "vmhwm" {
		t.Errorf("identity %d, %s", row.IdentityN, row.RSSMethod)
	}
	// One that ends makes the measurement worthless, whoever else answers.
	if err := syscall.Kill(r.instances[1].pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-r.instances[1].exited
	wantInvalid(t, b, r, s.Scenarios[0], smoke(t), "has ended")
	if reason, _ := r.Stop(t.Context()); !strings.Contains(reason, "server-2 has ended by itself (signal: killed)") {
		t.Errorf("stopped: %q", reason)
	}
}

// Answers that are not what the scenario wants are told before anything is measured.
func TestWrongAnswer(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	short, missing, other := s.Scenarios[0], s.Scenarios[0], s.Scenarios[0]
	short.Expect.Bytes = new(int64(3))
	missing.URL, missing.Expect = "/nothing", suite.Expect{}
	other.URL, other.Expect = "/nothing", suite.Expect{Status: 404}
	wantInvalid(t, b, r, short, smoke(t), "bad_body")
	wantInvalid(t, b, r, missing, smoke(t), "404")
	row, _ := wantInvalid(t, b, r, other, smoke(t), "answered with 404") // expected or not
	if row.StatusOther == 0 || row.Status2xx != 0 {
		t.Errorf("%d of 2xx, %d others", row.Status2xx, row.StatusOther)
	}
	validRow(t, b, r, s.Scenarios[0]) // the server is not to blame
}

// A server that is killed in the middle ends the measurement before its time.
func TestServerEnds(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	time.AfterFunc(200*time.Millisecond, func() { _ = syscall.Kill(r.instances[0].pid, syscall.SIGKILL) })
	began := clock(t).Now()
	wantInvalid(t, b, r, s.Scenarios[0], suite.Plan{Measure: time.Minute}, "the server has ended")
	if took := clock(t).Now().Sub(began); took > patience {
		t.Errorf("it took %s", took)
	}
}

// What is called off is no measurement, and leaves nothing behind.
func TestCalledOff(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	why := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(why) })
	if _, _, err := b.Measure(ctx, r, s.Scenarios[0], suite.Plan{Measure: time.Minute}); !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
	if _, err := b.StartVariant(ctx, s.Variants[0], nil); !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("started: %v", err)
	}
	validRow(t, b, r, s.Scenarios[0])
}

// A generator whose parent is killed does not go on, and nor does anything that was
// started for the server.
func TestParentKilled(t *testing.T) {
	dir := t.TempDir()
	driver := command(t, "drive", dir)
	out, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	generators := func() []string {
		out, _ := exec.Command("ps", "-o", "pid=,args=", "--ppid", itoa(driver.Process.Pid)).Output()
		var found []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, " load --plan - ") {
				found = append(found, strings.Fields(line)[0])
			}
		}
		return found
	}
	eventually(t, "the generator runs", func() bool { return len(generators()) == 1 })
	generator := generators()[0]
	burdens := func() (n int) {
		for _, process := range ofSession(t, "driven") {
			args, _ := os.ReadFile("/proc/" + strings.Fields(process)[0] + "/cmdline") // it may have ended
			if strings.Contains(string(args), "\x00burden\x00--share\x000.05\x00") {
				n++
			}
		}
		return n
	}
	if n := burdens(); n != 1 {
		t.Errorf("%d burdens run", n)
	}
	if err := driver.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = driver.Wait() // it was killed
	eventually(t, "the generator has ended", func() bool { return !isRunning(generator) })
	eventually(t, "the server and its burden have ended", func() bool { return len(ofSession(t, "driven")) == 0 })
}

// Attaching starts nothing, stops nothing, and tells what the listening process uses.
func TestAttach(t *testing.T) {
	s := parsed(t, plainSuite)
	b := benchOf(t, s)
	other := start(t, b, s.Variants[0])
	url, err := other.url(s.Scenarios[0])
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(url, s.Scenarios[0].URL)
	r, err := b.Attach(t.Context(), suite.Variant{Name: "attached"}, base)
	if err != nil {
		t.Fatal(err)
	}
	row, _ := validRow(t, b, r, s.Scenarios[0])
	if !row.CPUMicros.Known() || row.IdentityN == 0 {
		t.Errorf("cpu_us %v, %d samples", row.CPUMicros, row.IdentityN)
	}
	stop(t, r)
	validRow(t, b, other, s.Scenarios[0])
	stop(t, other)
	// Nothing answers there now, and nobody is known to listen.
	if r, err = b.Attach(t.Context(), suite.Variant{Name: "gone"}, base); err != nil {
		t.Fatal(err)
	}
	wantInvalid(t, b, r, s.Scenarios[0], smoke(t), loadgen.ErrUnreachable.Error())
}

// Who speaks HTTP/3 alone is found by the socket over UDP.
func TestListener(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	pid, port := listener("https://" + conn.LocalAddr().String())
	if pid != os.Getpid() || port.Network != procfs.UDP || port.Addr.String() != conn.LocalAddr().String() {
		t.Errorf("pid %d at %v, want %d", pid, port, os.Getpid())
	}
	if pid, _ := listener("https://www.example.com:443"); pid != 0 {
		t.Errorf("another host: pid %d", pid)
	}
}
