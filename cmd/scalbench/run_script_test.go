package main

import (
	"errors"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"
)

// measures PROGRAM ARGS... runs a session. It wants the exit code 0, or that of
// measurements which stay invalid: on a host that others use, a generator may not get
// its CPU for a part of a window of a tenth of a second.
func measures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: measures PROGRAM ARGS...")
	}
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitInvalid {
		return
	}
	ts.Check(err)
}
