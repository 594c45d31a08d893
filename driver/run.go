package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/record"
)

// Outcome is what became of an order.
type Outcome struct {
	Sessions []SessionOutcome // of the suites that were begun, in order
}

// SessionOutcome is what became of one session.
type SessionOutcome struct {
	Suite    string
	StandIn  string // as in [Preview]
	Files    Files
	Variants []string // names

	// Of the rounds that are finished.
	Valid         int // measurements
	Invalid       int // that were measured again as often as they may be, and stay invalid
	Interfered    int // of Valid: others used the CPUs meanwhile, each time
	NotRun        int // that this host lacks something for
	NotApplicable int // that a variant cannot
	// Identity tells of each variant in how many samples it was the one that was meant.
	Identity []string

	// Stopped says why the session ended before its end, by itself or as the order says;
	// "": it is done. It can be resumed.
	Stopped   string
	OutOfTime bool // that was the time at which the order says that all must be over

	// Decided says after which round the session was done because every row was decided;
	// "": it is not done, or had all its rounds.
	Decided string

	// Syscalls are the system calls that were counted beside the rounds, and SyscallsDir
	// where that lies; nil: nobody asked, or it did not come to that.
	Syscalls    *record.Syscalls
	SyscallsDir string

	// ProfileText is what the profiles that were taken beside the rounds say, and ProfileDir
	// where they lie; "": none was asked for, or NoProfile says why there is none.
	ProfileText string
	ProfileDir  string
	NoProfile   string

	// OverheadMax is the most that a measurement took beside its load, with its share of
	// starting and stopping the server, and OwnCPUFracMax
	// the most that this process used of a CPU during a window; of what was measured now.
	OverheadMax   time.Duration
	OwnCPUFracMax float64
}

// What a session may cost: more disturbs what it measures, or makes nights of hours.
const (
	OverheadBound   = 3 * time.Second // of SessionOutcome.OverheadMax
	OwnCPUFracBound = 0.01            // of SessionOutcome.OwnCPUFracMax
)

// Invalid tells whether any session has measurements that stay invalid.
func (o Outcome) Invalid() bool {
	for _, s := range o.Sessions {
		if s.Invalid > 0 {
			return true
		}
	}
	return false
}

// Run does what an order says: it measures suite after suite under one lock of the
// host, and leaves their sessions on disk. What was measured before an error, or before
// the context was cancelled, stays there and can be resumed.
//
// The error is nil although measurements are invalid: the outcome tells. It wraps
// [ErrOrder] and errors of the suites before anything happens, [ErrBusy],
// [ErrRefused], [ErrLockLost], [ErrTaken], [ErrAnother], or the context's cause. When
// one suite fails the next is measured all the same, unless the lock or the context is
// lost.
func Run(ctx context.Context, o Order, around Surroundings) (Outcome, error) {
	return runWith(ctx, o, around, around.hostRig)
}

// runWith is Run with a rig of one's own.
func runWith(ctx context.Context, o Order, around Surroundings, rigFor func(Order) (*rig, error)) (Outcome, error) {
	if err := o.Validate(); err != nil {
		return Outcome{}, err
	}
	tasks, err := o.read(around.Files)
	if err != nil {
		return Outcome{}, err
	}
	r, err := rigFor(o)
	if err != nil {
		return Outcome{}, err
	}
	return (&driver{order: o, around: around, rig: r}).run(ctx, tasks)
}

// driver is an order under way.
type driver struct {
	order  Order
	around Surroundings
	rig    *rig
	lock   *session.Lock
}

func (d *driver) run(ctx context.Context, tasks []task) (outcome Outcome, err error) {
	if len(tasks) == 0 {
		return outcome, faultf("only %q leaves nothing to measure", d.order.Only)
	}
	if err := d.awaitStart(ctx); err != nil {
		return outcome, err
	}
	if err := d.takeLock(ctx, tasks); err != nil {
		return outcome, err
	}
	defer func() { err = errors.Join(err, d.lock.Release()) }()
	var errs []error
	for _, t := range tasks {
		done, err := d.measureSuite(ctx, t)
		if done != nil {
			outcome.Sessions = append(outcome.Sessions, *done)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("suite %s: %w", t.suite.Name, err))
		}
		if ctx.Err() != nil || errors.Is(err, ErrLockLost) {
			break
		}
	}
	return outcome, errors.Join(errs...)
}

// awaitStart waits for the time at which the order begins. The host is free until then.
func (d *driver) awaitStart(ctx context.Context) error {
	wait := d.order.StartAt.Sub(d.rig.wall())
	if d.order.StartAt.IsZero() || wait <= 0 {
		return nil
	}
	d.around.Observer.say(fmt.Sprintf("beginning at %s, in %v", clockText(d.order.StartAt), wait.Round(time.Second)))
	return d.rig.pause(ctx, wait)
}

// measureSuite measures one suite from its beginning. The outcome is nil when it has no
// session.
func (d *driver) measureSuite(ctx context.Context, t task) (outcome *SessionOutcome, err error) {
	facts := d.rig.facts()
	plan, err := planOf(t.suite, d.order, facts.Name)
	if err != nil {
		return nil, err
	}
	plan.CreatedUTC = d.rig.wall().UTC()
	if plan.Session, err = session.NewID(plan.CreatedUTC, d.rig.random); err != nil {
		return nil, err
	}
	s, err := d.prepare(ctx, t, plan.Session)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.measurer.close()) }()
	if err := s.measurable(); err != nil {
		return nil, err
	}
	layout, err := d.layout(plan)
	if err != nil {
		return nil, err
	}
	if err := s.claim(layout, plan, d.withTools(ctx, facts, t.suite)); err != nil {
		return nil, err
	}
	return s.measureAll(ctx, false)
}

// layout is where a new session goes.
func (d *driver) layout(plan *record.Plan) (session.Layout, error) {
	results, name := d.order.results(), d.order.Name
	if d.order.Twin != nil && name == "" {
		var err error
		if results, err = freshCalibration(results, plan); err != nil {
			return session.Layout{}, err
		}
		name = twinSession
	}
	layout, err := session.NewLayout(results, plan, name)
	if err != nil {
		return layout, orderFault{err}
	}
	return layout, nil
}

// claim begins the session, with its order and its gaps beside its plan.
func (s *sitting) claim(layout session.Layout, plan *record.Plan, facts host.Facts) error {
	order, err := s.order.kept(s.name)
	if err != nil {
		return err
	}
	text, err := order.text()
	if err != nil {
		return err
	}
	gaps, err := gapsFileOf(s.gaps)
	if err != nil {
		return err
	}
	s.session, err = session.Claim(layout, plan, hostOf(facts), s.rig.boot, s.rig.now, session.File{Name: orderFile, Data: text}, gaps)
	var copied *session.CopyError
	if errors.As(err, &copied) {
		return &CopyError{copied.SessionDir, err}
	}
	return err
}
