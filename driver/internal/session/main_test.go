package session

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
)

// roleVariable makes the test binary be something else than the tests: what its value
// says, with the arguments after it.
const roleVariable = "SCALBENCH_SESSION_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(leaktest.Main(m))
	case "hold":
		holdRole(os.Args[1], os.Args[2])
	case "idle":
		io.Copy(io.Discard, os.Stdin)
	case "measure":
		measureRole(os.Args[1], os.Args[2])
	}
}

// startRole runs the test binary as another process. Its stdin ends with the test, at
// which every role ends by itself.
func startRole(t *testing.T, role string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait() // an error when the test killed or reaped it
	})
	return cmd, bufio.NewReader(stdout)
}

// readLine returns what a role says next.
func readLine(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	line, err := from.ReadString('\n')
	if err != nil {
		t.Fatalf("the other process ended: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// kill ends a process at once and waits until it is gone with all it held.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // says that it was killed
}

// testPlace is a lock of this test alone.
func testPlace(t *testing.T) Place {
	t.Helper()
	return Place{Path: filepath.Join(t.TempDir(), lockName), Socket: testSocket(t)}
}

func testSocket(t *testing.T) string {
	return fmt.Sprintf("scalbench-test-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))
}

// wall is a clock for owners.
func wall() time.Time { return time.Date(2026, 11, 30, 21, 4, 0, 0, time.UTC) }

// ticking returns clocks that advance by a second a reading.
func ticking() Now {
	at := mono.Time(1e9)
	return func() (time.Time, mono.Time) {
		at += 1e9
		return wall().Add(time.Duration(at)), at
	}
}

var (
	bootA = Boot{"aaaa", "6.1.0"}
	bootB = Boot{"bbbb", "6.1.0"}
)

// testPlan is two rounds of two runs of two scenarios of two variants.
func testPlan(id string) *record.Plan {
	return &record.Plan{Session: id, Suite: "gate1", Host: "xeon", CreatedUTC: wall(), Rounds: 2, Runs: 2, WarmupSeconds: 1, MeasureSeconds: 3,
		Variants:  []record.PlanVariant{{Name: "rc1-11"}, {Name: "el8"}},
		Scenarios: []record.PlanScenario{{Name: "static-small"}, {Name: "static-small", Mode: "multi"}},
		Compare:   []record.PlanComparison{{Base: "rc1-11", New: "el8"}}}
}

func testHost() *record.Host {
	return &record.Host{Name: "xeon", BootID: bootA.ID, Fixed: map[string]string{"cpu": "made up"}}
}

// orderOf is a round's order: by run, variant, scenario.
func orderOf(plan *record.Plan, round int) []Key {
	var order []Key
	for run := 1; run <= plan.Runs; run++ {
		for _, v := range plan.Variants {
			for _, s := range plan.Scenarios {
				order = append(order, Key{round, run, v.Name, s.Mode, s.Name})
			}
		}
	}
	return order
}

// validRow is a measurement as a driver would fill it in; its window begins at.
func validRow(at mono.Time) record.Measurement {
	return record.Measurement{StartUTC: wall(), StartMonoNS: int64(at), DurationSeconds: record.Of(3), Requests: 300, RPS: record.Of(100), Status2xx: 300,
		P99Millis: record.Of(1), IdentityOK: 3, IdentityN: 3}
}
