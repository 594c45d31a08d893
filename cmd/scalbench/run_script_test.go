package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/scalws/scalbench/internal/record"
)

// measureTries is how often a session is measured of which the host let nothing be valid.
const measureTries = 4

// measures PROGRAM ARGS... runs a session. It wants the exit code 0 and all rows valid;
// or that of measurements which stay invalid, if their generator says that it had no CPU,
// as it may on a host that others use, in windows of a tenth of a second. At least
// one row is valid: a session of which none is, is measured again.
func measures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: measures PROGRAM ARGS...")
	}
	for try := 1; ; try++ {
		err := ts.Exec(args[0], args[1:]...)
		var exit *exec.ExitError
		invalid := errors.As(err, &exit) && exit.ExitCode() == exitInvalid
		if !invalid {
			ts.Check(err)
		}
		said := ts.ReadFile("stdout")
		rounds := roundsSaid(said)
		valid := countValid(ts, rounds)
		switch {
		case valid > 0 && invalid == strings.Contains(said, " INVALID"):
			return
		case valid > 0 || len(rounds) == 0 || try == measureTries:
			ts.Fatalf("%d rows are valid, exit code %d", valid, exit.ExitCode())
		}
		ts.Logf("no row is valid: once more")
		for _, dir := range append(rounds, sessionSaid(said)) {
			ts.Check(os.RemoveAll(ts.MkAbs(dir)))
		}
	}
}

var (
	roundsLine  = regexp.MustCompile(`(?m)^rounds +(.*)$`)
	sessionLine = regexp.MustCompile(`(?m)^session +(.*)$`)
)

// roundsSaid are the directories of rounds that a session says it has, and sessionSaid is
// its own.
func roundsSaid(said string) (dirs []string) {
	for _, line := range roundsLine.FindAllStringSubmatch(said, -1) {
		dirs = append(dirs, strings.Fields(line[1])...)
	}
	return dirs
}

func sessionSaid(said string) string {
	if line := sessionLine.FindStringSubmatch(said); line != nil {
		return line[1]
	}
	return "no-session"
}

// hostsFault is what a generator that had no CPU says of itself.
var hostsFault = regexp.MustCompile(`^([a-z]+: )?(the generator's result is invalid: |not one request ended in the window)|^[0-9]+ pairs of slices in the window, `)

// countValid reads rounds, and wants everything that is invalid to be so for want of CPU.
func countValid(ts *testscript.TestScript, rounds []string) (valid int) {
	for _, dir := range rounds {
		path := ts.MkAbs(dir)
		r, err := record.ReadRound(os.DirFS(filepath.Dir(path)), filepath.Base(path))
		ts.Check(err)
		for _, m := range r.Measurements {
			switch {
			case m.State == record.Valid:
				valid++
			case m.State == record.Invalid && !hostsFault.MatchString(m.Reason):
				ts.Fatalf("run %d, %s, %s is invalid: %s", m.Run, m.Variant, m.Scenario, m.Reason)
			}
		}
	}
	return valid
}

// nobodyID is that of the user nobody and of its group, who own nothing.
const nobodyID = 65534

// nobody makes $NOBODY, a directory of an ordinary user, goes there and has the program
// called as-nobody run as that user, without capabilities: as nobody where the tests run
// as root, else as who runs them.
func nobody(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: nobody")
	}
	top, err := os.MkdirTemp("/tmp", "scalbench-nobody-") // $WORK is root's alone
	ts.Check(err)
	ts.Defer(func() { ts.Check(os.RemoveAll(top)) })
	bin, home := filepath.Join(top, "bin"), filepath.Join(top, "home")
	ts.Check(errors.Join(os.Chmod(top, 0o755), os.Mkdir(bin, 0o755), os.Mkdir(home, 0o755)))
	exe, err := os.Executable()
	ts.Check(err)
	program, err := os.ReadFile(exe)
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(bin, "scalbench"), program, 0o755))
	as := ""
	if os.Geteuid() == 0 {
		ts.Check(os.Chown(home, nobodyID, nobodyID))
		as = fmt.Sprintf("setpriv --reuid %[1]d --regid %[1]d --clear-groups --bounding-set -all --inh-caps -all ", nobodyID)
	}
	shell := fmt.Sprintf("#!/bin/sh\nexec %s%s/scalbench \"$@\"\n", as, bin)
	ts.Check(os.WriteFile(filepath.Join(bin, "as-nobody"), []byte(shell), 0o755))
	ts.Setenv("NOBODY", home)
	ts.Setenv("HOME", home)
	ts.Setenv("TMPDIR", home)
	ts.Setenv("PATH", bin+string(filepath.ListSeparator)+ts.Getenv("PATH"))
	ts.Check(ts.Chdir(home))
}
