package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/internal/record"
)

// The accidents of earlier sessions, replayed with the program and with servers that have
// the fault. Each ends in a refusal, or in rows that are invalid for the reason.

// newFakeWorkshop is a workshop whose suites find this test binary as {fake}, in a
// directory that every user can reach.
func newFakeWorkshop(t *testing.T) *workshop {
	t.Helper()
	if raceDetector {
		t.Skip("what is measured has no race detector")
	}
	w := newWorkshop(t)
	reachable, err := os.MkdirTemp("", "scalbench-fake-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(reachable) })
	w.fake = filepath.Join(reachable, "fake")
	copyProgram(t, os.Args[0], w.fake)
	if err := os.Chmod(reachable, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o755); err != nil {
		t.Fatal(err)
	}
}

// session is a session that was run, as far as it came.
type session struct {
	code           int
	stdout, stderr string
	rows           []record.Measurement // of its finished round
}

// run measures a suite, which has the fake as {fake}, under its own name.
func (w *workshop) run(t *testing.T, text string, meanwhile func(), args ...string) session {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "suite: "), "\n")
	w.begin(name)
	path := filepath.Join(w.dir, name+".yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "{fake}", w.fake)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := w.command(append([]string{"run", path, "--name", name, "--lock", filepath.Join(w.dir, "lock"), "--lock-socket", w.dir}, args...)...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if meanwhile != nil {
		w.awaitMeasuring(t)
		meanwhile()
	}
	s := session{code: exitCode(t, c.Wait()), stdout: stdout.String(), stderr: stderr.String()}
	if round, err := record.ReadRound(os.DirFS(w.results()), name+"-1"); err == nil {
		s.rows = round.Measurements
	}
	w.wantNothingRuns(t)
	return s
}

// awaitMeasuring waits until the first measurement has begun, and its generator runs.
func (w *workshop) awaitMeasuring(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, line := range w.running() {
			if strings.Contains(line, " load ") {
				return
			}
		}
	}
	t.Fatalf("nothing is measured after %v", patience)
}

// says wants an exit code and a text among the complaints.
func (s session) says(t *testing.T, code int, text string) {
	t.Helper()
	if found, err := regexp.MatchString(text, s.stderr); s.code != code || err != nil || !found {
		t.Errorf("exit code %d, want %d; want %q in\n%s", s.code, code, text, s.stderr)
	}
}

const wrongInTheMiddle = `suite: middle
plan: {preset: smoke, runs: 1, warmup: 0s, measure: 200ms}
params: {kind: turns-404}
variants:
  - name: turning
    command: ["{fake}", fake, "{kind}", "127.0.0.1:{port}", "200"]
    ports: {http: 0}
    ready: {url: "http://127.0.0.1:{port}/"}
scenarios: [{name: respond, url: /, connections: 4, expect: {status: 200, bytes: 2}}]
`

// Answers that turn wrong in the middle of a window make it invalid, however many were
// right before.
func TestIncidentWrongInTheMiddle(t *testing.T) {
	w := newFakeWorkshop(t)
	for kind, reason := range map[string]string{
		"turns-404":   `^\d+ of \d+ requests failed: bad_status \(.*404`,
		"turns-short": `^\d+ of \d+ requests failed: .*(bad_body|read_failed|reset|protocol_error)`,
	} {
		text := strings.Replace(wrongInTheMiddle, "suite: middle", "suite: "+kind, 1)
		s := w.run(t, text, nil, "--param", "kind="+kind)
		s.says(t, exitInvalid, `attempt 3: INVALID: \d+ of \d+ requests failed: `)
		if len(s.rows) != 1 || s.rows[0].State != record.Invalid || s.rows[0].Attempt != 3 || !regexp.MustCompile(reason).MatchString(s.rows[0].Reason) {
			t.Errorf("%s: %+v", kind, s.rows)
			continue
		}
		// The first 200 are those of the look whether it is ready, of the one that asks
		// before, and of the window.
		if row := s.rows[0]; row.Requests == 0 || row.Requests > 198 || row.Errors == 0 {
			t.Errorf("%s: %d right and %d wrong in the window", kind, row.Requests, row.Errors)
		}
	}
}

const sandboxed = `suite: sandboxed
plan: {preset: smoke, runs: 1}
variants:
  - name: "off"
    command: ["{fake}", fake, plain, "127.0.0.1:{port}"]
    ports: {http: 0}
    expect: {seccomp: 0}
  - name: "on"
    command: ["{fake}", fake, sandboxed, "127.0.0.1:{port}"]
    ports: {http: 0}
    expect: {seccomp: 2, no_new_privs: true}
scenarios: [{name: respond, url: /, connections: 4}]
compare: [{base: "off", new: "on"}]
`

// A sandbox that leaves itself out as root: the same program twice would be compared. As
// root it is refused by what runs, as an ordinary user it is what was meant.
func TestIncidentSandboxAsRoot(t *testing.T) {
	w := newFakeWorkshop(t)
	user := ""
	if os.Geteuid() == 0 {
		s := w.run(t, sandboxed, nil)
		s.says(t, exitInvalid, `round 1, run 1, on, respond: .*process \d+ has seccomp 0, expected 2; process \d+ has no_new_privs false, expected true\n`)
		if !strings.Contains(s.stdout, "\nstopped  ") || s.rows != nil {
			t.Errorf("rows %+v\n%s", s.rows, s.stdout)
		}
		user = "    user: nobody\n"
	}
	text := strings.Replace(sandboxed, "suite: sandboxed", "suite: unprivileged", 1)
	text = strings.ReplaceAll(text, "    ports:", user+"    ports:")
	s := w.run(t, text, nil)
	if s.code != 0 && s.code != exitInvalid {
		t.Fatalf("exit code %d\n%s", s.code, s.stderr)
	}
	if len(s.rows) != 2 {
		t.Fatalf("%d rows, want one of each variant: %+v\n%s", len(s.rows), s.rows, s.stderr)
	}
	for _, row := range s.rows {
		if row.IdentityN == 0 || row.IdentityOK != row.IdentityN || row.State != record.Valid && !isHostsFault(row.Reason) {
			t.Errorf("%+v", row)
		}
	}
	id, err := os.ReadFile(filepath.Join(w.results(), "unprivileged-1", record.IdentityFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"check": "seccomp 2"`, `"check": "no_new_privs true"`, `"check": "seccomp 0"`, `"what": "seccomp"`, `"what": "no_new_privs"`} {
		if !strings.Contains(string(id), want) {
			t.Errorf("no %s in\n%s", want, id)
		}
	}
}

// isHostsFault tells whether a row is invalid because its generator had no CPU.
func isHostsFault(reason string) bool {
	return strings.Contains(reason, "had no CPU for") || strings.Contains(reason, "the generator's own fault") || reason == "not one request ended in the window"
}

// A server's program that is replaced while it is measured.
func TestIncidentReplacedProgram(t *testing.T) {
	w := newFakeWorkshop(t)
	server := filepath.Join(w.dir, "server")
	copyProgram(t, w.fake, server)
	text := strings.NewReplacer("SERVER", server).Replace(`suite: replaced
plan: {preset: smoke, runs: 1, measure: 1m}
variants:
  - name: a
    command: [SERVER, fake, plain, "127.0.0.1:{port}"]
    ports: {http: 0}
    expect: {exe: SERVER}
scenarios: [{name: respond, url: /, connections: 4}]
`)
	s := w.run(t, text, func() {
		next := server + ".next"
		copyProgram(t, w.fake, next)
		file, err := os.OpenFile(next, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteString("another")
			file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, server); err != nil {
			t.Fatal(err)
		}
	})
	// Long before its minute is over. What starts then is another program, of which
	// nothing was measured: the session says so and stops.
	s.says(t, exitInvalid, `(?m)^\[1/1\] round 1, run 1, a, respond: INVALID: `+regexp.QuoteMeta(server)+
		` was replaced since process \d+ was started: what runs is no longer there$`)
	s.says(t, exitInvalid, `process \d+ runs `+regexp.QuoteMeta(server)+` with SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}`)
}

// Somebody else who listens at the server's port from the middle of a measurement on, and
// has his part of the load.
func TestIncidentNeighbour(t *testing.T) {
	w := newFakeWorkshop(t)
	free, err := servers.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	neighbour := exec.Command(w.fake, fakeCommand, "plain", fmt.Sprintf("127.0.0.1:%d", free[0]))
	text := fmt.Sprintf(`suite: neighbour
plan: {preset: smoke, runs: 1, measure: 1m}
variants:
  - {name: a, command: ["{fake}", fake, plain, "127.0.0.1:{port}"], ports: {http: %d}}
scenarios: [{name: respond, url: /, connections: 4}]
`, free[0])
	s := w.run(t, text, func() {
		if err := neighbour.Start(); err != nil {
			t.Fatal(err)
		}
	})
	who := fmt.Sprintf(`fake\[%d\]`, neighbour.Process.Pid)
	if err := neighbour.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = neighbour.Wait() // says that it was killed
	s.says(t, 1, fmt.Sprintf(`(?m)^\[1/1\] round 1, run 1, a, respond: INVALID: .*%d is shared with %s`, free[0], who))
	s.says(t, 1, `(?m)^scalbench: suite neighbour: stop variant a: .*: port is taken by `+who+`$`)
}

// A wrapper that does not exec: the process that is measured would be the shell.
func TestIncidentWrapperWithoutExec(t *testing.T) {
	w := newFakeWorkshop(t)
	s := w.run(t, `suite: wrapper
plan: {preset: smoke, runs: 1}
variants:
  - name: a
    command: [sh, -c, '"$1" fake plain "127.0.0.1:$0"; exit 0', "{port}", "{fake}"]
    ports: {http: 0}
    expect: {exe: "{fake}", grace: 1ms}
scenarios: [{name: respond, url: /, connections: 4}]
`, nil)
	s.says(t, exitInvalid, `(?m)^scalbench: suite wrapper: round 1, run 1, a, respond: INVALID, variant a is not what was meant: the pid is /\S*sh, not `+regexp.QuoteMeta(w.fake)+
		`, which runs below it as process \d+: the wrapper must exec; process \d+ runs /`)
}

const generatorBound = `suite: generator
plan: {preset: release, rounds: 1, runs: 1, warmup: 50ms, measure: 500ms}
quiet: {timeout: 0s}
variants:
  - {name: a, command: ["{fake}", fake, chunks, "127.0.0.1:{port}"], ports: {http: 0}, env: {NAME: a}}
  - {name: b, command: ["{fake}", fake, chunks, "127.0.0.1:{port}"], ports: {http: 0}, env: {NAME: b}}
scenarios: [{name: chunks, url: /, connections: 64}]
compare: [{base: a, new: b}]
`

// A server that is faster than the generator beside it, in a session of record: a slower
// one would look equal, so that there is no verdict. A generator that others keep from its
// CPU says that instead, which proves nothing here: it is tried again, and then skipped.
func TestIncidentGeneratorBound(t *testing.T) {
	w := newFakeWorkshop(t)
	told := map[string]bool{}
	for try := 0; try < 5 && len(told) < 2; try++ {
		s := w.run(t, strings.Replace(generatorBound, "suite: generator", fmt.Sprintf("suite: generator%d", try), 1), nil)
		if s.code != exitInvalid || len(s.rows) != 2 {
			t.Fatalf("exit code %d, %+v\n%s", s.code, s.rows, s.stderr)
		}
		for _, row := range s.rows {
			switch bound := strings.HasPrefix(row.Reason, "the generator was the limit: "); {
			case row.State != record.Invalid || !bound && !isHostsFault(row.Reason):
				t.Fatalf("%s: %s, %q", row.Variant, row.State, row.Reason)
			case bound:
				told[row.Variant] = true
			}
		}
		wantVerdict(t, w, exitInvalid, "chunks", "INVALID")
	}
	if len(told) < 2 {
		t.Skipf("the generator had no CPU in any of 5 sessions, but for %v", told)
	}
}

const sameTwice = `suite: same
plan: {preset: smoke, runs: 1}
variants:
  - {name: a, command: ["{fake}", fake, plain, "127.0.0.1:{port}"], ports: {http: 0}}
  - {name: b, command: ["{fake}", fake, plain, "127.0.0.1:{port}"], ports: {http: 0}}
scenarios: [{name: respond, url: /, connections: 4}]
compare: [{base: a, new: b}]
`

// The same program twice, started alike, is no comparison, however well it was measured.
func TestIncidentSameProgram(t *testing.T) {
	w := newFakeWorkshop(t)
	for try := range 5 {
		s := w.run(t, strings.Replace(sameTwice, "suite: same", fmt.Sprintf("suite: same%d", try), 1), nil)
		if s.code == exitInvalid {
			for _, row := range s.rows {
				if row.State != record.Valid && !isHostsFault(row.Reason) {
					t.Fatalf("%s: %s", row.Variant, row.Reason)
				}
			}
			continue
		}
		wantVerdict(t, w, exitInvalid, "respond", "INVALID")
		rows, code, text := w.gate(t, "--on-same", "pass")
		if row := rows["respond"]; code != exitNoVerdict || row.Verdict == "INVALID" || !strings.Contains(string(text), "SAME") {
			t.Errorf("--on-same pass: exit code %d, %+v\n%s", code, row, text)
		}
		if rows, _, text := w.gate(t); !strings.Contains(string(text), "nothing differs between a and b in round 1") {
			t.Errorf("%+v\n%s", rows, text)
		}
		return
	}
	t.Skip("the generators had no CPU in five sessions")
}

const moody = `suite: moody
plan: {preset: smoke, rounds: 3, runs: 4, warmup: 0s, measure: 80ms, restart: run}
variants:
  - name: a
    command: ["{fake}", fake, moods, "127.0.0.1:{port}", MEMORY]
    ports: {http: 0}
    env: {NAME: a}
  - name: b
    command: ["{fake}", fake, moods, "127.0.0.1:{port}", MEMORY]
    ports: {http: 0}
    env: {NAME: b}
scenarios:
  - {name: speeds, url: /speeds, connections: 64}
  - {name: drift, url: /drift, connections: 64}
compare: [{base: a, new: b}]
`

// A host on which a server has one of two speeds, drawn when it is started, and one that
// becomes slower from minute to minute: neither is a difference of the variants.
func TestIncidentHostWithMoods(t *testing.T) {
	if os.Getenv("SCALBENCH_SERVERS") != "all" {
		t.Skip("it wants a quiet host for ten seconds: make test-servers")
	}
	w := newFakeWorkshop(t)
	wantCPUs(t)
	s := w.run(t, strings.ReplaceAll(moody, "MEMORY", filepath.Join(w.dir, "memory")), nil)
	if s.code != 0 && s.code != exitInvalid {
		t.Fatalf("exit code %d\n%s", s.code, s.stderr)
	}
	disturbed := 0
	for n := range 3 {
		r, err := record.ReadRound(os.DirFS(w.results()), fmt.Sprintf("moody-%d", n+1))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Measurements {
			if row.Interfered || row.State != record.Valid {
				disturbed++
			}
		}
	}
	if disturbed > 12 { // of 3 rounds x 4 runs x 2 variants x 2 scenarios
		t.Skipf("others used the CPUs in %d of 48 measurements, three times each", disturbed)
	}
	rows, _, text := w.gate(t, "--policy", "noninferior", "--margin", "5%")
	if row := rows["speeds"]; !row.has("bimodal-host") || row.Verdict == "FAIL" {
		t.Errorf("speeds: %+v\n%s", row, text)
	}
	// Over some ten seconds, at 3 % each: the rate falls by a tenth and more, the ratio stays.
	row := rows["drift"]
	if len(row.Rounds) != 3 || row.Rounds[2].Base > 0.95*row.Rounds[0].Base || row.Median < 0.97 || row.Median > 1.03 || row.Verdict == "FAIL" {
		t.Errorf("drift: %+v\n%s", row, text)
	}
}

// pressureMost is in how much of the last ten seconds tasks may have waited for a CPU.
const pressureMost = 60

// wantCPUs skips a test that a host with much other work cannot pass.
func wantCPUs(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return // it cannot be told
	}
	var waited float64
	if _, err := fmt.Sscanf(string(text), "some avg10=%f", &waited); err == nil && waited > pressureMost {
		t.Skipf("others use the CPUs: tasks waited for one in %.0f %% of the last 10 s", waited)
	}
}

// wantVerdict asks the gate about the session, and wants a row to be so. It returns what
// the gate says of it.
func wantVerdict(t *testing.T, w *workshop, code int, scenario, verdict string) gateRow {
	t.Helper()
	rows, got, text := w.gate(t)
	row, there := rows[scenario]
	if got != code || !there || row.Verdict != verdict {
		t.Errorf("exit code %d, want %d; %s is %+v, want %s\n%s", got, code, scenario, row, verdict, text)
	}
	return row
}

// gateRow is what a test looks at of a row of gate.json.
type gateRow struct {
	Scenario string
	Verdict  string
	Median   float64
	Rounds   []struct {
		Base float64 `json:"base_rps"`
		New  float64 `json:"new_rps"`
	}
	Flags []struct{ Code, Text string }
}

// has tells whether a row has a flag.
func (r gateRow) has(flag string) bool {
	for _, f := range r.Flags {
		if f.Code == flag {
			return true
		}
	}
	return false
}

// gate judges the session that was measured last.
func (w *workshop) gate(t *testing.T, args ...string) (rows map[string]gateRow, code int, text []byte) {
	t.Helper()
	file := filepath.Join(w.dir, w.name+".gate.json")
	text, err := w.command(append([]string{"gate", w.session(), "--out", file}, args...)...).CombinedOutput()
	code = exitCode(t, err)
	var judged struct {
		Tables []struct{ Rows []gateRow }
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &judged)
	}
	if err != nil || len(judged.Tables) != 1 {
		t.Fatalf("%s: %v, %d tables\n%s", file, err, len(judged.Tables), text)
	}
	rows = map[string]gateRow{}
	for _, row := range judged.Tables[0].Rows {
		rows[row.Scenario] = row
	}
	return rows, code, text
}
