package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// reportsVariable says which suites of the reports are played: a list of names, or all.
// Without it these few rows are: TLS, HTTP/2, HTTP/3, an upstream, an application.
const reportsVariable = "SCALBENCH_REPORTS"

var fewReports = map[string][]string{
	"gate2-sa":   {"--only", "php,tls-h2-static-small"},
	"h3-sandbox": nil,
}

// The suites of the published reports run from end to end with the embedded target in the
// place of every server, and are judged.
func TestReportSuitesPlayed(t *testing.T) {
	if raceDetector {
		t.Skip("what runs has no race detector")
	}
	files, err := filepath.Glob("../suites/reports/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("suites %q, %v", files, err)
	}
	wanted := strings.Split(os.Getenv(reportsVariable), ",")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		only, few := fewReports[name]
		if os.Getenv(reportsVariable) != "" {
			only, few = nil, wanted[0] == "all" || slices.Contains(wanted, name)
		}
		if few {
			t.Run(name, func(t *testing.T) { playReport(t, file, only) })
		}
	}
}

// playReport runs a suite once and looks at what came of each measurement. A host that is
// used by others may spoil some; that is the only thing that may be wrong with one.
func playReport(t *testing.T, file string, only []string) {
	dir := t.TempDir()
	args := append([]string{"run", file, "--stand-in", "--preset", "smoke", "--runs", "1", "--name", "played",
		"--results", dir, "--lock", filepath.Join(dir, "lock"), "--lock-socket", fmt.Sprintf("reports-%d", os.Getpid()), "--quiet"}, only...)
	run := exec.Command(program(t), args...)
	text, err := run.CombinedOutput()
	if code := exitCode(t, err); code != 0 && code != exitInvalid {
		t.Fatalf("%v: exit code %d\n%s", run, code, text)
	}
	round, err := record.ReadRound(os.DirFS(dir), "played-1")
	if err != nil || !round.Finished {
		t.Fatalf("%v\n%s", err, text)
	}
	valid := 0
	for _, m := range round.Measurements {
		switch {
		case m.State == record.NotApplicable && strings.Contains(m.Reason, "its instances are "): // row of the other mode
		case m.State == record.Invalid && isHostsFault(m.Reason):
			t.Logf("%s, %s: %s", m.Variant, m.Scenario, m.Reason) // it, or the server, did not get its CPU
		case m.State != record.Valid || m.Requests == 0 || !slices.Contains(m.Flags, "stand-in"):
			t.Errorf("%s, %s/%s: %s, %s, flags %q", m.Variant, m.Mode, m.Scenario, m.State, m.Reason, m.Flags)
		default:
			valid++
		}
	}
	if valid == 0 {
		t.Errorf("no measurement is valid\n%s", text)
	}
	gate := exec.Command(program(t), "gate", filepath.Join(dir, "played.session"))
	if text, err = gate.CombinedOutput(); !strings.Contains(string(text), "ESTIMATE: stand-in: ") && len(round.Measurements) > 0 {
		if session, _ := record.ReadSession(os.DirFS(dir), "played.session"); session != nil && len(session.Plan.Compare) > 0 {
			t.Errorf("%v: %v\n%s", gate, err, text)
		}
	}
}
