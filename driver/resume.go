package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Resume goes on with the session in a directory, NAME.session or that of one of its
// rounds, which was stopped or killed. Of the order it takes what is about this
// sitting: the lock, the times, Reap and the command; what is measured was said when
// the session began. Errors are those of [Run], and [ErrFinished].
//
// Suites, programs and host must be what they were: what they have become would be
// measured under the name of what they have been.
func Resume(ctx context.Context, dir string, o Order, around Surroundings) (Outcome, error) {
	return resumeWith(ctx, dir, o, around, around.hostRig)
}

// resumeWith is Resume with a rig of one's own.
func resumeWith(ctx context.Context, dir string, o Order, around Surroundings, rigFor func(Order) (*rig, error)) (outcome Outcome, err error) {
	if err := o.checkProfile(); err != nil {
		return Outcome{}, err
	}
	layout, err := layoutOf(dir)
	if err != nil {
		return Outcome{}, err
	}
	_, state, err := session.Read(layout)
	if err != nil {
		return Outcome{}, err
	}
	profiled := o.Profile != "" && o.Profile != suite.ProfileNever.String()
	if state.Done && !o.Syscalls && !profiled {
		return Outcome{}, fmt.Errorf("%s: %w", layout.SessionDir(), ErrFinished)
	}
	kept, err := keptOrder(layout)
	if err != nil {
		return Outcome{}, err
	}
	kept = kept.sitting(o, layout)
	if state.Done { // it had its passes, and has now what is asked for
		kept.Syscalls, kept.Profile = o.Syscalls, o.Profile
		if !profiled {
			kept.Profile = suite.ProfileNever.String()
		}
	}
	tasks, err := kept.read(around.Files)
	if err != nil {
		return Outcome{}, err
	}
	if len(tasks) != 1 {
		return Outcome{}, fmt.Errorf("resume %s: its suite has nothing to measure any more", layout.SessionDir())
	}
	r, err := rigFor(kept)
	if err != nil {
		return Outcome{}, err
	}
	d := &driver{order: kept, around: around, rig: r}
	if err := d.awaitStart(ctx); err != nil {
		return Outcome{}, err
	}
	if err := d.takeLock(ctx, tasks); err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, d.lock.Release()) }()
	done, err := d.resumeSuite(ctx, tasks[0], layout)
	if done != nil {
		outcome.Sessions = append(outcome.Sessions, *done)
	}
	return outcome, err
}

// layoutOf is that of a session's directory, or of the directory of a round of it.
func layoutOf(dir string) (session.Layout, error) {
	layout, err := session.LayoutOf(dir)
	if err == nil {
		return layout, nil
	}
	of, roundErr := record.SessionDirOf(filepath.Clean(dir))
	if roundErr != nil {
		return session.Layout{}, orderFault{err}
	}
	return session.LayoutOf(of)
}

// keptOrder reads the order of a session.
func keptOrder(l session.Layout) (Order, error) {
	path := filepath.Join(l.SessionDir(), orderFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Order{}, err
	}
	var o Order
	if err := json.Unmarshal(text, &o); err != nil {
		return Order{}, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

// sitting is the order of a session with what another says about one sitting.
func (o Order) sitting(by Order, l session.Layout) Order {
	o.Results, o.Name = l.Results, l.Table
	o.LockPath, o.LockSocket, o.Wait, o.Reap = by.LockPath, by.LockSocket, by.Wait, by.Reap
	o.StartAt, o.Until, o.Command = by.StartAt, by.Until, by.Command
	o.Syscalls = o.Syscalls || by.Syscalls
	if by.Profile != "" {
		o.Profile = by.Profile
	}
	return o
}

// resumeSuite goes on with a session, when everything is as it was.
func (d *driver) resumeSuite(ctx context.Context, t task, layout session.Layout) (outcome *SessionOutcome, err error) {
	// Read again now that nobody else can write.
	on, state, err := session.Read(layout)
	if err != nil {
		return nil, err
	}
	facts := d.rig.facts()
	if differ := hostOf(facts).Differences(on.Host); len(differ) > 0 {
		return nil, &RefusedError{hostReasons(differ)}
	}
	plan, err := planOf(t.suite, d.order, facts.Name)
	if err != nil {
		return nil, err
	}
	if text := planDifference(on.Plan, plan); text != "" {
		return nil, fmt.Errorf("resume %s: %s", layout.SessionDir(), text)
	}
	if err := keepCutLogs(layout, t.suite, on.Plan.Session); err != nil {
		return nil, err
	}
	s, err := d.prepare(ctx, t, on.Plan.Session)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.measurer.close()) }()
	if err := s.keepGaps(layout); err != nil {
		return nil, err
	}
	if state.Done {
		return s.passesAlone(ctx, layout)
	}
	var recovery session.Recovery
	if s.session, recovery, err = session.Resume(layout, d.rig.boot, d.rig.now); err != nil {
		return nil, err
	}
	s.tellRecovery(recovery)
	if err := s.readRates(); err != nil {
		return nil, err
	}
	return s.measureAll(ctx, true)
}

// hostReasons says in what a host is another than it was.
func hostReasons(differ []record.Difference) []string {
	var reasons []string
	for _, d := range differ {
		reasons = append(reasons, fmt.Sprintf("%s is %s, and was %s when the session began", d.What, d.Base, d.New))
	}
	return reasons
}

// tellRecovery tells what the last sitting has left.
func (s *sitting) tellRecovery(r session.Recovery) {
	for _, n := range r.Aborted {
		s.observer().say(fmt.Sprintf("round %d is measured again from its beginning: a round does not go on after a restart of the host", n))
	}
	if n := len(r.Voided); n > 0 {
		k := r.Voided[0]
		s.observer().say(fmt.Sprintf("measuring again %d of round %d, run %d, in the middle of which the session ended: the two halves of a pair lie in one window", n, k.Round, k.Run))
	}
}

// Repeat is the order that measures rows of a session again: with the same suite and
// changes, in one round (noninferior: in as many as before), into directories of its own. scenarios are as in Order.Only;
// none: all. runs is how often, 0: as often as in a round of the session. Of o it takes
// what [Resume] takes, the controls and the name.
func Repeat(dir string, scenarios []string, runs int, o Order) (Order, error) {
	layout, err := layoutOf(dir)
	if err != nil {
		return Order{}, err
	}
	on, _, err := session.Read(layout)
	if err != nil {
		return Order{}, err
	}
	kept, err := keptOrder(layout)
	if err != nil {
		return Order{}, err
	}
	again := kept.sitting(o, layout)
	again.RepeatOf, again.UntilDecided, again.Syscalls, again.Profile = on.Plan.Session, false, false, suite.ProfileNever.String()
	if err := again.takeRates(layout, on.Plan.Session); err != nil {
		return Order{}, err
	}
	if len(scenarios) > 0 {
		again.Only = slices.Concat(scenarios, o.Controls)
	}
	again.Controls = slices.Concat(kept.Controls, o.Controls)
	if on.Plan.Gate.Policy != suite.NonInferior.String() { // which wants as many again as before
		one := 1
		again.Edit.Rounds = &one
	}
	if runs > 0 {
		again.Edit.Runs = &runs
	}
	again.Name = o.Name
	if again.Name == "" {
		again.Name, err = freshName(layout.Results, layout.Table)
	}
	return again, err
}
