package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// When several codes apply, the first of 130/143, 2, 1, 6, 7, 5, 3, 4, 0 counts.
func TestExitCode(t *testing.T) {
	usage, faults := usagef("-n 0"), suite.Faults{{File: "x.yaml", Line: 1, Column: 1, Text: "empty"}}
	invalidPlan := loadgen.Plan{}.Validate()
	for _, tt := range []struct {
		name   string
		err    error
		signal os.Signal
		want   int
	}{
		{"nothing", nil, nil, 0},
		{"interrupted", errInterrupted, os.Interrupt, 130},
		{"terminated", errInterrupted, syscall.SIGTERM, 143},
		{"the server ended with the signal", nil, syscall.SIGTERM, 143},
		{"a signal goes first", usage, os.Interrupt, 130},
		{"usage", usage, nil, 2},
		{"usage with a hint", hintedError{usage, "try"}, nil, 2},
		{"a plan", invalidPlan, nil, 2},
		{"a suite", faults, nil, 2},
		{"usage beside an unreadable file", errors.Join(fs.ErrNotExist, usage), nil, 2},
		{"an unreadable file", fmt.Errorf("-D x: %w", fs.ErrNotExist), nil, 1},
		{"unreachable", fmt.Errorf("%w: refused", loadgen.ErrUnreachable), nil, 1},
		{"nothing ok", fmt.Errorf("%w: reset", errNothingOK), nil, 1},
		{"invalid", fmt.Errorf("%w: suspended", errInvalid), nil, 5},
		{"suspect", fmt.Errorf("%w: short", errSuspect), nil, 5},
		{"busy", &driver.CopyError{}, nil, 6},
		{"busy in one suite, refused in another", errors.Join(fmt.Errorf("suite a: %w", driver.ErrBusy), &driver.RefusedError{Reasons: []string{"x"}}), nil, 6},
		{"refused", fmt.Errorf("suite a: %w", &driver.RefusedError{Reasons: []string{"x"}}), nil, 7},
		{"refused, and rows stay invalid", errors.Join(&driver.RefusedError{Reasons: []string{"x"}}, errInvalidRows), nil, 7},
		{"rows stay invalid", errInvalidRows, nil, 5},
		{"the lock was lost", fmt.Errorf("suite a: %w", driver.ErrLockLost), nil, 5},
		{"another program", fmt.Errorf("suite a: %w", driver.ErrAnother), nil, 5},
		{"out of time", hintedError{errUnfinished, "resume"}, nil, 4},
		{"out of time, and rows stay invalid", errors.Join(errUnfinished, errInvalidRows), nil, 5},
		{"an order", fmt.Errorf("%w: twice", driver.ErrOrder), nil, 2},
		{"results are there", driver.ErrTaken, nil, 1},
		{"invalid, and the server did not end well", errors.Join(errInvalid, errors.New("stop")), nil, 1},
	} {
		if got := exitCode(tt.err, tt.signal); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The sentence of a result without anything ok names the most frequent reason.
func TestMainFailure(t *testing.T) {
	for _, tt := range []struct {
		want string
		r    loadgen.Result
	}{
		{"reset, closed", loadgen.Result{
			Ledger:      loadgen.Ledger{Errors: map[string]loadgen.Split{"bad_status": {Sent: 1}, "reset": {Sent: 2}}},
			FirstErrors: map[string]string{"bad_status": "status 404, not 2xx", "reset": "closed"},
		}},
		{"no response before the drain ended", loadgen.Result{Ledger: loadgen.Ledger{Unfinished: 1, NeverSent: 1}}},
		{"none could be sent, for want of a connection", loadgen.Result{Ledger: loadgen.Ledger{NeverSent: 1}}},
		{"none was begun in the window", loadgen.Result{}},
	} {
		if got := mainFailure(&tt.r); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
