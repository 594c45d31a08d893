package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// run measures one run of all variants until nothing is missing and no evidence asks for
// another try, and seals it.
func (s *sitting) run(ctx context.Context, round, run int) error {
	sealed, err := s.sealed(round, run)
	if err != nil || sealed {
		return err
	}
	if !s.fits(round, run) {
		return fmt.Errorf("until %s: %w", clockText(s.driver.order.Until), errUntil)
	}
	for {
		for missing := s.missing(round, run); len(missing) > 0; missing = s.missing(round, run) {
			if s.takesTurns() {
				missing = s.firstDuel(missing)
			} else {
				missing = s.firstTurn(missing)
			}
			if err := s.turn(ctx, missing); err != nil {
				return err
			}
		}
		again, err := s.redo(round, run)
		if err != nil {
			return err
		}
		if !again {
			break
		}
	}
	var others []record.Measurement
	for _, g := range s.gaps {
		others = append(others, g.Row())
	}
	return s.session.SealRun(round, run, others)
}

// sealed tells whether every variant of a run has its summary.
func (s *sitting) sealed(round, run int) (bool, error) {
	for _, v := range s.suite.Variants {
		_, err := os.Lstat(s.session.SummaryPath(round, run, v.Name))
		if os.IsNotExist(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// missing are the measurements of a run that are to be made, in their order.
func (s *sitting) missing(round, run int) []session.Key {
	state := s.session.State()
	return slices.DeleteFunc(state.Keys(round), func(k session.Key) bool { return k.Run != run || !state.Missing(k) })
}

// firstTurn is what one start of a variant serves: the measurements up to the next
// variant, or only the first where each has a fresh server.
func (s *sitting) firstTurn(keys []session.Key) []session.Key {
	if s.suite.Plan.Restart == suite.EachMeasurement {
		return keys[:1]
	}
	scenarios := []suite.Scenario{s.scenario(keys[0])}
	for n := 1; n < len(keys); n++ {
		scenarios = append(scenarios, s.scenario(keys[n]))
		if keys[n].Variant != keys[0].Variant || !s.measurer.together(scenarios) {
			return keys[:n]
		}
	}
	return keys
}

// turn starts a variant once and makes measurements with it, and notes what that took
// beside their load.
func (s *sitting) turn(ctx context.Context, keys []session.Key) error {
	_, began := s.rig.now()
	s.loaded = 0
	take := s.takeAll
	if s.takesTurns() {
		take = s.takeDuel
	}
	if err := take(ctx, keys); err != nil || s.loaded == 0 {
		return err
	}
	_, ended := s.rig.now()
	s.overheadMax = max(s.overheadMax, ended.Sub(began)/time.Duration(s.loaded)-s.suite.Plan.Load())
	return nil
}

// takeAll starts the variant and makes the measurements. It ends early after one that is
// invalid: such a server is not trusted with the next.
func (s *sitting) takeAll(ctx context.Context, keys []session.Key) error {
	if err := s.mayMeasure(ctx); err != nil {
		return err
	}
	var scenarios []suite.Scenario
	for _, k := range keys {
		scenarios = append(scenarios, s.scenario(k))
	}
	name := keys[0].Variant
	srv, err := s.measurer.start(ctx, s.variant(name), scenarios)
	if err != nil {
		return s.notStarted(ctx, name, keys, err)
	}
	stopped := false
	defer func() {
		if stopped {
			return
		}
		if _, err := s.stop(ctx, srv); err != nil { // beside another error, which is returned
			s.observer().say(fmt.Sprintf("stop variant %s: %v", name, err))
		}
	}()
	for i, k := range keys {
		if err := s.mayMeasure(ctx); err != nil {
			return err
		}
		made, err := s.take(ctx, srv, k)
		if err != nil {
			return err
		}
		last := i == len(keys)-1 || made.row.State != record.Valid
		if last {
			stopped = true
			reason, err := s.stop(ctx, srv)
			if err != nil { // what was measured is kept, as what it is worth
				err = fmt.Errorf("stop variant %s: %w", name, err)
				made.refuse(err.Error())
				return errors.Join(err, s.keep(made))
			}
			made.refuse(reason)
		}
		if err := s.keep(made); err != nil || last {
			return err
		}
	}
	return nil
}

// mayMeasure holds the lock and the context.
func (s *sitting) mayMeasure(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.lock.Held()
}

// stopMax is how long stopping a variant may take before it is killed.
const stopMax = 30 * time.Second

// stop ends a variant, also when the session is being stopped.
func (s *sitting) stop(ctx context.Context, srv server) (reason string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopMax)
	defer cancel()
	return srv.stop(ctx)
}

// made is a measurement that was made and is not committed.
type made struct {
	attempt *session.Attempt
	row     record.Measurement
	files   []measure.File
}

// refuse makes a measurement invalid for a reason; "": it stays as it is.
func (m *made) refuse(reason string) {
	if reason == "" || m.row.State == record.Invalid {
		return
	}
	m.row.State, m.row.Reason = record.Invalid, record.OneLine(reason)
}

// take makes one measurement. An error that is not the context's is a reason why it is
// invalid: the next may succeed.
func (s *sitting) take(ctx context.Context, srv server, k session.Key) (*made, error) {
	attempt, err := s.session.Begin(k)
	if err != nil {
		return nil, err
	}
	s.tell()
	row, evidence, err := srv.measure(ctx, s.scenario(k))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // cut: the attempt is not committed
	}
	held := s.lock.Held() // else another may have measured at the same time
	return s.madeOf(attempt, row, evidence, err, held), nil
}

// madeOf is a measurement with what is known of it beside its numbers. Errors are reasons
// why it is invalid; nil: there are none.
func (s *sitting) madeOf(attempt *session.Attempt, row record.Measurement, evidence measure.Evidence, errs ...error) *made {
	m := &made{attempt, row, evidence.Files}
	for _, err := range errs {
		if err != nil {
			m.refuse(err.Error())
		}
	}
	m.row.Flags = append(m.row.Flags, s.rowFlags()...)
	if evidence.Overhead > 0 { // it had all of its load
		s.loaded++
	}
	if frac, known := evidence.OwnCPUFrac.Get(); known {
		s.ownCPUMax = max(s.ownCPUMax, frac)
	}
	return m
}

// keep commits a measurement and tells it.
func (s *sitting) keep(m *made) error {
	for _, f := range m.files {
		if err := m.attempt.Write(f.Name, f.Data); err != nil {
			return err
		}
	}
	if err := m.attempt.Commit(m.row); err != nil {
		return err
	}
	s.measured[m.attempt.Key.Variant] = s.measured[m.attempt.Key.Variant] || m.row.State == record.Valid
	s.tell()
	s.observer().measured(s.toldOf(m))
	return nil
}

// notStarted decides what a variant is that did not start. One of which nothing was
// measured yet is a mistake of the suite or of the host, which no repetition cures:
// the session stops and says so. So it does whenever somebody has the variant's port,
// who would have it the next time too. Else it is an accident, and the measurements that
// it was started for are invalid.
func (s *sitting) notStarted(ctx context.Context, variant string, keys []session.Key, cause error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !s.measured[variant] || errors.Is(cause, serverproc.ErrPortTaken) {
		first := slices.IndexFunc(keys, func(k session.Key) bool { return k.Variant == variant })
		return fmt.Errorf("%s: %w", keys[max(first, 0)], cause)
	}
	reason, files := cause.Error(), []measure.File(nil)
	var invalid *measure.InvalidError
	if errors.As(cause, &invalid) {
		reason, files = invalid.Reason, invalid.Files
	}
	for _, k := range keys {
		attempt, err := s.session.Begin(k)
		if err != nil {
			return err
		}
		m := &made{attempt: attempt}
		if k.Variant == variant {
			m.files = files
			m.refuse(reason)
		}
		m.refuse(variant + ", with which it takes turns: " + reason) // there is no other
		m.row.Flags = s.rowFlags()
		if err := s.keep(m); err != nil {
			return err
		}
	}
	return nil
}
