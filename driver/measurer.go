package driver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// measurer starts the variants of one suite and measures them. The real one is a
// [measure.Bench]; that of tests starts nothing.
type measurer interface {
	// sets are the CPUs by their use; shared: the generator has some of the server's.
	sets() (sets []host.Set, shared bool)
	// start starts a variant for scenarios, with the helpers that they need. It fails
	// with a [measure.InvalidError] when that is the variant's fault.
	start(ctx context.Context, v suite.Variant, scenarios []suite.Scenario) (server, error)
	// together reports whether one start of a variant can serve all of the scenarios.
	together(scenarios []suite.Scenario) bool
	// moveAside keeps this process off the sets until it is closed; false: there is no
	// other CPU.
	moveAside() (bool, error)
	close() error
}

// server is a variant that runs.
type server interface {
	measure(ctx context.Context, sc suite.Scenario) (record.Measurement, measure.Evidence, error)
	// takeTurns measures a scenario of this one, the base, and of another that runs too, in
	// slices of time.
	takeTurns(ctx context.Context, new server, sc suite.Scenario, pair string) ([2]record.Measurement, [2]measure.Evidence, error)
	// countSyscalls loads it and counts its system calls, which is no measurement.
	countSyscalls(ctx context.Context, sc suite.Scenario, program perf.Program) (record.SyscallRow, []measure.File, error)
	// profile loads it and samples what its CPUs do, which is no measurement.
	profile(ctx context.Context, sc suite.Scenario, how measure.Profiling) (record.ProfileRow, []measure.File, error)
	// stop ends it. The reason, "" mostly, says why the last measurement is invalid
	// after all.
	stop(ctx context.Context) (reason string, err error)
}

// processes measures servers that are processes of this host.
type processes struct {
	bench *measure.Bench
	suite *suite.Suite
	url   string // of a server that runs already; "": variants are started
	work  string
}

// newMeasurer is the real one. It makes a directory for what servers need while they
// run, which close removes; that of a sitting of the same session that was killed is
// removed now.
func newMeasurer(c measure.Config, url string) (measurer, error) {
	var err error
	if c.Exe, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if c.Work, err = makeWork(c.Session); err != nil {
		return nil, fmt.Errorf("make a directory for servers: %w", err)
	}
	b, err := measure.NewBench(c)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.Work))
	}
	return &processes{b, c.Suite, url, c.Work}, nil
}

// makeWork makes the directory of the servers of a session, and no other one stays.
func makeWork(session string) (string, error) {
	left, err := workDirs(session)
	if err != nil {
		return "", err
	}
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp("", workPrefix(session))
}

func (p *processes) sets() ([]host.Set, bool) {
	placement := p.bench.Placement()
	return placement.Sets(), placement.Shared
}

func (p *processes) start(ctx context.Context, v suite.Variant, scenarios []suite.Scenario) (server, error) {
	var running *measure.Running
	helpers, err := measure.Helpers(p.suite, scenarios)
	switch {
	case err != nil:
	case p.url != "":
		running, err = p.bench.Attach(ctx, v, p.url)
	default:
		running, err = p.bench.StartVariant(ctx, v, helpers)
	}
	if err != nil {
		return nil, err
	}
	return &process{p, running}, nil
}

func (p *processes) together(scenarios []suite.Scenario) bool {
	_, err := measure.Helpers(p.suite, scenarios)
	return err == nil
}

func (p *processes) moveAside() (bool, error) { return p.bench.MoveAside() }

func (p *processes) close() error { return errors.Join(p.bench.MoveBack(), os.RemoveAll(p.work)) }

// process is one of them.
type process struct {
	of      *processes
	running *measure.Running
}

func (p *process) measure(ctx context.Context, sc suite.Scenario) (record.Measurement, measure.Evidence, error) {
	return p.of.bench.Measure(ctx, p.running, sc, p.of.suite.Plan)
}

func (p *process) takeTurns(ctx context.Context, new server, sc suite.Scenario, pair string) ([2]record.Measurement, [2]measure.Evidence, error) {
	return p.of.bench.MeasureTurns(ctx, [2]*measure.Running{p.running, new.(*process).running}, sc, p.of.suite.Plan, pair)
}

func (p *process) countSyscalls(ctx context.Context, sc suite.Scenario, program perf.Program) (record.SyscallRow, []measure.File, error) {
	return p.of.bench.CountSyscalls(ctx, p.running, sc, p.of.suite.Plan, program)
}

func (p *process) profile(ctx context.Context, sc suite.Scenario, how measure.Profiling) (record.ProfileRow, []measure.File, error) {
	return p.of.bench.Profile(ctx, p.running, sc, p.of.suite.Plan, how)
}

func (p *process) stop(ctx context.Context) (reason string, err error) { return p.running.Stop(ctx) }
