package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/resulttest"
	"github.com/scalws/scalbench/loadgen"
)

// TestMain makes the test binary a server with a fault of its own when it is asked for one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fakeCommand {
		fmt.Fprintln(os.Stderr, serveFake(os.Args[2:]))
		os.Exit(1)
	}
	// No result of a test is kept among those of the user.
	state, err := os.MkdirTemp("", "scalbench-state-")
	if err = errors.Join(err, os.Setenv("XDG_STATE_HOME", state)); err != nil {
		panic(err)
	}
	code := leaktest.Main(withProgram{m})
	os.RemoveAll(state)
	os.Exit(code)
}

// withProgram removes the built program after the tests.
type withProgram struct{ *testing.M }

func (w withProgram) Run() int {
	code := w.M.Run()
	if built {
		if path, err := buildProgram(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
	}
	return code
}

// built says whether a test has asked for the program.
var built bool

// buildProgram builds the static binary once for all tests, without the profile
// for the compiler: it makes the program faster and the build much slower.
var buildProgram = sync.OnceValues(func() (path string, err error) {
	built = true
	dir, err := os.MkdirTemp("", "scalbench-*")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "scalbench")
	build := exec.Command("go", "build", "-pgo=off", "-o", path, "github.com/scalws/scalbench/cmd/scalbench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("%v: %w\n%s", build, err, text)
	}
	return path, nil
})

// program returns the path of the binary.
func program(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds the program")
	}
	path, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// exitInvalid is how the program ends when the host had no CPU for it. Its counts
// are right all the same, and counts are what is compared here.
const exitInvalid = 5

// exitBroken is how it ends when a threshold did not hold.
const exitBroken = 3

// exitNoVerdict and exitRefused are how a gate ends that cannot tell, and a session on a
// host that is not what it needs.
const (
	exitNoVerdict = 4
	exitRefused   = 7
)

// exitCode returns with which code a command has ended, whose Run, Wait or
// Output returned err.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// output runs a load and returns its standard output.
func output(t *testing.T, load *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	load.Stderr = &stderr
	text, err := load.Output()
	if code := exitCode(t, err); code != 0 && code != exitInvalid {
		t.Fatalf("%v: exit code %d\n%s", load, code, &stderr)
	}
	return text
}

// readResult reads and checks a result in JSON.
func readResult(t *testing.T, text []byte) *loadgen.Result {
	t.Helper()
	r := new(loadgen.Result)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	resulttest.Check(t, r)
	return r
}
