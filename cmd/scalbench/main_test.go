package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/scalws/scalbench/internal/leaktest"
)

// TestMain makes the test binary scalbench itself when it is called by that
// name: testscript puts a copy of it, called so, in front of PATH. The copy
// finds itself with os.Executable, so that it can start itself as the embedded
// target like the real one.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"scalbench": main})
}

type leakChecked struct{ tests *testing.M }

// Once signals have been asked for, the goroutine that delivers them stays.
func (l leakChecked) Run() int { return leaktest.Main(l.tests, "os/signal.loop") }

// scriptsMax is how long all scripts of a test may take together before those that hang
// are ended with a dump of their goroutines. They need some forty seconds.
const scriptsMax = 4 * time.Minute

// TestScripts runs testdata/script/*.txtar, each in a directory of its own.
// commands_test.go, servers_test.go, result_test.go, plan_test.go, gate_script_test.go and run_script_test.go have the
// commands that testscript does not bring.
func TestScripts(t *testing.T) {
	testscript.Run(t, scripts(t, func(name string) bool { return !measuresSessions(name) }))
}

// TestSessions runs the scripts that measure sessions, one after the other: two at a time
// would see each other on their CPUs, and measure again.
func TestSessions(t *testing.T) {
	testscript.RunT(serial{t}, scripts(t, measuresSessions))
}

func measuresSessions(script string) bool {
	return strings.HasPrefix(script, "run") || strings.HasPrefix(script, "sweep") || strings.HasPrefix(script, "calibrate")
}

// scripts are those of a name that is wanted, with what they need.
func scripts(t *testing.T, wanted func(name string) bool) testscript.Params {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Files: slices.DeleteFunc(files, func(file string) bool { return !wanted(filepath.Base(file)) }),
		Setup: func(env *testscript.Env) error {
			// A program with the race detector sleeps for a second before it ends.
			env.Setenv("GORACE", "atexit_sleep_ms=10")
			env.Setenv("XDG_STATE_HOME", env.T().(testing.TB).TempDir())
			env.Values[scriptKey{}] = &script{tb: env.T().(testing.TB), servers: map[string]*server{}}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "says": says, "interrupts": interrupts,
			"serve": serve, "received": received, "template": template,
			"result": result, "another": another, "gone": gone, "fullplan": fullPlan, "sameplan": samePlan, "measured": measured, "measures": measures, "nobody": nobody,
		},
		Condition:           condition,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(scriptsMax),
	}
}

// condition is what scripts ask beside what testscript knows.
func condition(name string) (bool, error) {
	switch name {
	case "race":
		return raceDetector, nil
	case "unshare": // processes out of sight
		return exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").Run() == nil, nil
	}
	return false, fmt.Errorf("no condition %q", name)
}

// serial is a test whose scripts do not run side by side.
type serial struct{ *testing.T }

func (s serial) Parallel() {}

func (s serial) Run(name string, script func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { script(serial{t}) })
}

func (s serial) Verbose() bool { return testing.Verbose() }
