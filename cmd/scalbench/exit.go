package main

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// Exit codes, the same for every command.
const (
	exitOK          = 0
	exitFailed      = 1 // could not be done, or not one request ended ok
	exitUsage       = 2
	exitBroken      = 3 // a threshold did not hold, or a gate failed
	exitNoVerdict   = 4 // the evidence allows neither PASS nor FAIL
	exitInvalid     = 5
	exitBusy        = 6 // another session holds the host
	exitRefused     = 7 // the host is not what a session needs
	exitInterrupted = 130
	exitTerminated  = 143
)

// usageError is wrong usage or configuration: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Verdicts over a result that was written: there is nothing left to say but the
// exit code and one sentence.
var (
	errNothingOK   = errors.New("not one request ended ok")
	errInvalid     = errors.New("the result is invalid")
	errSuspect     = errors.New("the result is suspect, and --strict was given")
	errNoVerdict   = errors.New("there is no verdict")
	errInterrupted = errors.New("interrupted: the result is of the time until then")
)

// exitCode maps how a command ended to its code. When several apply the first
// of 130/143, 2, 1, 6, 7, 5, 3, 4 counts.
func exitCode(err error, received os.Signal) int {
	var usage usageError
	var faults suite.Faults
	switch {
	case received == syscall.SIGTERM:
		return exitTerminated
	case received != nil:
		return exitInterrupted
	case err == nil:
		return exitOK
	case errors.As(err, &usage), errors.Is(err, loadgen.ErrPlan), errors.Is(err, driver.ErrOrder), errors.As(err, &faults):
		return exitUsage
	}
	// From the least to the first that counts: each stands for those before it.
	var verdicts []error
	for _, level := range []struct {
		code     int
		verdicts []error
	}{
		{exitNoVerdict, []error{errNoVerdict, driver.ErrLacks}},
		{exitBroken, []error{errBroken, errIncomplete}},
		{exitInvalid, []error{errInvalid, errSuspect, driver.ErrLockLost, driver.ErrAnother}},
		{exitRefused, []error{driver.ErrRefused}},
		{exitBusy, []error{driver.ErrBusy}},
	} {
		if verdicts = append(verdicts, level.verdicts...); onlyFrom(err, verdicts...) {
			return level.code
		}
	}
	return exitFailed
}

// onlyFrom reports whether nothing went wrong but what some verdicts say.
func onlyFrom(err error, verdicts ...error) bool {
	for _, one := range flatten(err) {
		if !slices.ContainsFunc(verdicts, func(v error) bool { return errors.Is(one, v) }) {
			return false
		}
	}
	return true
}
