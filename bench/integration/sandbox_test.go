package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/internal/record"
)

// buildSandbox builds bench/sandbox once for all tests, beside the program, and lets every
// user execute both.
var buildSandbox = sync.OnceValues(func() (path string, err error) {
	program, err := buildProgram()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(program)
	path = filepath.Join(dir, "scalbench-sandbox")
	build := exec.Command("go", "build", "-pgo=off", "-o", path, "github.com/scalws/scalbench/bench/sandbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", build, err, text)
	}
	return path, os.Chmod(dir, 0o755)
})

// sandboxWrapper returns the path of the wrapper. A kernel that cannot sandbox is a reason to skip.
func sandboxWrapper(t *testing.T) string {
	t.Helper()
	program(t)
	path, err := buildSandbox()
	if err != nil {
		t.Fatal(err)
	}
	text, err := asOrdinaryUser(t, path, "true").CombinedOutput()
	for _, lacks := range []string{"missing kernel Landlock support", "landlock is not supported", "seccomp is not supported"} {
		if strings.Contains(string(text), lacks) {
			t.Skipf("this kernel cannot sandbox: %s", text)
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return path
}

// asOrdinaryUser is a command of nobody's where root runs the tests.
func asOrdinaryUser(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// ordinaryUser is whom servers are run as: nobody where root runs the tests.
func ordinaryUser(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 {
		return "nobody"
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return me.Username
}

// sandboxGate runs rows of the sandbox gate with the real nginx, shortly.
func sandboxGate(t *testing.T, args ...string) (dir string, code int, text string) {
	t.Helper()
	if raceDetector {
		t.Skip("what runs has no race detector")
	}
	servers.FindProgram(t, "nginx", "apt-get install nginx-light")
	wrapper := sandboxWrapper(t)
	dir = t.TempDir()
	cmd := exec.Command(program(t), append([]string{"run", "nginx-sandbox", "--preset", "smoke", "--runs", "1", "--name", "gate", "--results", dir,
		"--lock", filepath.Join(dir, "lock"), "--lock-socket", fmt.Sprintf("sandbox-%d", os.Getpid()), "--quiet"}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(wrapper)+":"+os.Getenv("PATH")+":/usr/sbin")
	out, err := cmd.CombinedOutput()
	return dir, exitCode(t, err), string(out)
}

// The processes of the two variants show that one is in the sandbox and the other is not,
// as one server and as instances, and nothing else differs between them.
func TestSandboxGate(t *testing.T) {
	dir, code, text := sandboxGate(t, "--only", "static-small", "--param", "user="+ordinaryUser(t))
	if code != 0 && code != exitInvalid { // on a host that others use some rows may be
		t.Fatalf("exit code %d\n%s", code, text)
	}
	round, err := record.ReadRound(os.DirFS(dir), "gate-1")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, mode := range []string{"", "-cache", "-multi", "-single"} {
		for variant, seccomp := range map[string]string{"off" + mode: "seccomp 0", "on" + mode: "seccomp 2"} {
			if !sampled(round.Identity, variant, seccomp) || !sampled(round.Identity, variant, "uid nonroot") {
				t.Errorf("%s: no sample, or not all are %s: %+v", variant, seccomp, round.Identity.Counts)
			}
		}
		differs, known := round.Identity.Between("off"+mode, "on"+mode)
		if !known {
			t.Errorf("off%s, on%s: nobody looked in what they differ", mode, mode)
		}
		for _, item := range differs.Items {
			if item.What != "seccomp" && item.What != "seccomp_filters" && item.What != "no_new_privs" {
				t.Errorf("on%s differs from off%s in %+v", mode, mode, item)
			}
		}
	}
	valid := 0
	for _, m := range round.Measurements {
		switch {
		case m.State == record.Valid:
			valid++
		case m.State == record.Invalid && isHostsFault(m.Reason):
			t.Logf("others used the CPUs: %s, %s/%s: %s", m.Variant, m.Mode, m.Scenario, m.Reason)
		case m.State != record.NotApplicable: // a row of another mode
			t.Errorf("%s, %s/%s: %s: %s", m.Variant, m.Mode, m.Scenario, m.State, m.Reason)
		}
	}
	if valid == 0 {
		t.Errorf("no measurement is valid\n%s", text)
	}
}

// sampled tells whether a check was made of a variant and held every time.
func sampled(id *record.Identity, variant, check string) bool {
	for _, c := range id.Counts {
		if c.Variant == variant && c.Check == check {
			return c.Samples > 0 && c.OK == c.Samples && c.NA == ""
		}
	}
	return false
}

// The reports' accident: as root the sandbox is never applied, and the two variants are the
// same program twice. It ends INVALID before anything of it is compared.
func TestSandboxGateAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is not root")
	}
	dir, code, text := sandboxGate(t, "--only", "static-small", "--param", "user=root")
	if code != exitInvalid || !strings.Contains(text, "INVALID, variant off is not what was meant: ") || !strings.Contains(text, "runs as user 0") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	gate := exec.Command(program(t), "gate", filepath.Join(dir, "gate.session"))
	verdict, err := gate.CombinedOutput()
	if code := exitCode(t, err); code != exitInvalid {
		t.Errorf("%v: exit code %d\n%s", gate, code, verdict)
	}

	// The samples of Seccomp alone catch it too, where nothing was said of the user.
	suite := filepath.Join(t.TempDir(), "accident.yaml")
	if err := os.WriteFile(suite, []byte(accident), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(program(t), "run", suite, "--preset", "smoke", "--runs", "1", "--name", "accident", "--results", dir,
		"--lock", filepath.Join(dir, "lock"), "--lock-socket", fmt.Sprintf("sandbox-%d", os.Getpid()), "--quiet", "--param", "sandbox="+sandboxWrapper(t))
	out, err := run.CombinedOutput()
	if code := exitCode(t, err); code != exitInvalid || !strings.Contains(string(out), "INVALID, variant on is not what was meant: ") || !strings.Contains(string(out), "has seccomp 0, expected 2") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "accident-1", "run-1", "on")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was measured of on: %v", err)
	}
}

// accident is the sandbox gate of a server that needs nothing installed, run as whoever
// runs the session.
const accident = `
suite: accident
params: {sandbox: ""}
variants:
  - {name: on, command: ["{sandbox}", --write, "{dir}", --, sleep, "60"], expect: {seccomp: 2, grace: 200ms}}
  - {name: off, command: [sleep, "60"], expect: {seccomp: 0}}
scenarios: [{name: respond, url: "http://127.0.0.1:1/"}]
compare: [{base: off, new: on}]
`
