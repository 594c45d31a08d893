package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// countTries is how often a row is counted when something is in the way.
const countTries = 3

// syscallsPass is what the directories of the pass are called.
const syscallsPass = "syscalls"

// countSyscalls counts the system calls of every variant and row, in a pass of its own:
// counting costs a server time, so that nothing of a round is measured meanwhile. What
// cannot be counted is n/a in the pass, with the reason; the error is ours, or the
// context's, and leaves a pass that was cut.
func (s *sitting) countSyscalls(ctx context.Context, outcome *SessionOutcome) error {
	if until := s.order.Until; !until.IsZero() && s.rig.wall().Add(s.syscallsTake()).After(until) {
		s.observer().say(fmt.Sprintf("until %s no time is left to count system calls; scalbench resume %s --syscalls does it", clockText(until), s.session.SessionDir()))
		return nil
	}
	pass, err := s.session.BeginPass(syscallsPass)
	if err != nil {
		return err
	}
	counted := &record.Syscalls{Session: s.session.Plan.Session, StandIn: s.session.Plan.StandIn, StartedUTC: s.rig.wall().UTC(), Compare: s.session.Plan.Compare}
	if err := s.countWith(ctx, pass, counted); err != nil {
		return fmt.Errorf("count system calls: %w", err)
	}
	var file, text bytes.Buffer
	err = errors.Join(record.WriteSyscallsText(&text, counted), record.WriteSyscalls(&file, counted))
	if err == nil {
		err = pass.Finish(record.SyscallsTextFile, text.Bytes())
	}
	if err == nil {
		err = pass.Finish(record.SyscallsFile, file.Bytes())
	}
	if err != nil {
		return fmt.Errorf("count system calls: %w", err)
	}
	outcome.Syscalls, outcome.SyscallsDir = counted, pass.Dir
	return nil
}

// countWith finds perf and fills in the rows, or why there are none.
func (s *sitting) countWith(ctx context.Context, pass session.Pass, counted *record.Syscalls) (err error) {
	program, release, err := s.rig.perf(ctx)
	var unavailable *perf.Unavailable
	if errors.As(err, &unavailable) {
		counted.NA = record.OneLine(unavailable.Reason)
		s.observer().say("system calls are not counted: " + counted.NA)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := s.findRates(ctx); err != nil {
		return err
	}
	keys := s.syscallKeys()
	s.observer().say(fmt.Sprintf("counting system calls, %d times, about %v", len(keys), s.syscallsTake().Round(time.Second)))
	for _, k := range keys {
		row, err := s.countRow(ctx, pass, k, program)
		if err != nil {
			return err
		}
		row.Variant, row.Mode, row.Scenario = k.Variant, k.Mode, k.Scenario
		counted.Rows = append(counted.Rows, row)
	}
	return nil
}

// syscallKeys are what is counted, in the order of the table: a row of all variants, then
// the next. What is not measured is among them.
func (s *sitting) syscallKeys() []session.Key {
	var keys []session.Key
	for _, row := range order.Rows(s.suite.Variants, s.suite.Scenarios) {
		for _, v := range s.suite.Variants {
			keys = append(keys, session.Key{Variant: v.Name, Mode: row.Mode, Scenario: row.Name})
		}
	}
	return keys
}

// syscallsTake is about how long the pass takes: as many measurements.
func (s *sitting) syscallsTake() time.Duration {
	return s.aloneTakes(s.syscallKeys(), min(s.suite.Plan.Measure, measure.CountMax))
}

// countRow starts a variant and counts what it does for one scenario.
func (s *sitting) countRow(ctx context.Context, pass session.Pass, k session.Key, program perf.Program) (row record.SyscallRow, err error) {
	na, err := s.alone(ctx, pass, k, func(srv server, sc suite.Scenario) (files []measure.File, err error) {
		row, files, err = countTried(ctx, srv, sc, program)
		return files, err
	})
	if na != "" {
		row.NA = na
	}
	return row, err
}

// countTried counts a row, again where something is in the way; the last time in one number,
// which perf begins and ends at once, where hundreds of events take it their time.
func countTried(ctx context.Context, srv server, sc suite.Scenario, program perf.Program) (row record.SyscallRow, files []measure.File, err error) {
	for range countTries - 1 {
		if row, files, err = srv.countSyscalls(ctx, sc, program); err != nil || row.NA == "" {
			return row, files, err
		}
	}
	byName := program.Events == perf.ByName
	program.Events = perf.InAll
	last, lastFiles, err := srv.countSyscalls(ctx, sc, program)
	if err == nil && byName && last.NA != "" {
		return row, files, nil // in one number it is no better, and maybe not even permitted
	}
	if err == nil && byName {
		last.Note = "counted in one number: " + row.NA
	}
	return last, lastFiles, err
}
