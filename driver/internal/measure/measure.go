package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// measurement is one that is being made.
type measurement struct {
	bench    *Bench
	running  *Running
	scenario suite.Scenario
	session  suite.Plan
	plan     loadgen.Plan

	generator *generator
	watch     *watch
	edges     *edges
	onlooker  onlooker // of a pass; nil: nothing, as in every measurement of a round

	// second is the other of two that one generator loads in turns, which the first leads;
	// nil: of a measurement by itself, and of the second.
	second *measurement
	turns  bool // it is one of two

	result   *loadgen.Result // nil: there is none
	seen     seen
	evidence Evidence
}

// both are all that one generator loads.
func (m *measurement) both() []*measurement {
	if m.second == nil {
		return []*measurement{m}
	}
	return []*measurement{m, m.second}
}

// onlooker is what looks at a server in the window, at a cost that nothing measured may have.
type onlooker interface {
	begin(ctx context.Context)
	finish(ctx context.Context)
}

// Measure makes one measurement of a scenario. Warm-up and window are the plan's. What is
// wrong with the variant is in the row, which is Invalid then; an error is ours, or the
// context's. The row lacks its place in the session (session, round, run, slot, variant,
// mode, scenario, attempt), which session.Attempt.Commit fills in. The evidence has what
// there is, also beside an error.
func (b *Bench) Measure(ctx context.Context, r *Running, sc suite.Scenario, plan suite.Plan) (record.Measurement, Evidence, error) {
	m := &measurement{bench: b, running: r, scenario: sc, session: plan}
	row, err := m.take(ctx)
	if err != nil {
		err = fmt.Errorf("measure %s of variant %s: %w", sc.Name, r.variant.Name, err)
	}
	return row, m.evidence, err
}

// take runs the measurement and makes its row and its evidence.
func (m *measurement) take(ctx context.Context) (record.Measurement, error) {
	began := m.bench.clock.Now()
	reason, err := m.run(ctx)
	row := m.row()
	if err == nil {
		err = m.judge(&row, reason)
	}
	if m.result != nil { // it had its load
		m.evidence.Overhead = m.overhead(began)
	}
	if filesErr := m.collect(); filesErr != nil && err == nil {
		err = filesErr
	}
	return row, err
}

// run is the story of a measurement. A reason says why it is invalid; more may be found in
// what was collected. Whatever it returns, the generator has ended and nobody looks any
// more.
func (m *measurement) run(ctx context.Context) (reason string, err error) {
	if err := m.makePlan(); err != nil {
		return "", err
	}
	if err := ask(ctx, m.plan); err != nil {
		return reasonOrError(err)
	}
	if m.generator, err = startGenerator(m.bench.config.Exe, m.bench.placement.Generator, m.plan); err != nil {
		return "", err
	}
	m.watch = m.bench.startWatch(m.running, nil, m.generator.pid())
	m.edges = m.bench.newEdges(m.running)
	reason, err = m.follow(ctx)
	m.seen = m.watch.stop(m.evidence.From, m.evidence.To)
	if reason != "" || err != nil {
		m.generator.end()
		return reason, err
	}
	if err := m.awaitEnd(ctx); err != nil {
		return reasonOrError(err)
	}
	if m.result, err = m.generator.read(); err != nil {
		return reasonOrError(err)
	}
	return "", nil
}

// reasonOrError tells a fault of the variant's from one of ours.
func reasonOrError(err error) (string, error) {
	if reason := reasonIn(err); reason != "" {
		return reason, nil
	}
	return "", err
}

// makePlan makes the generator's plan.
func (m *measurement) makePlan() error {
	var err error
	if m.plan, err = m.bench.Plan(m.running, m.scenario); err != nil {
		return err
	}
	m.plan.WarmUp, m.plan.Measure = m.session.Warmup, m.session.Measure
	m.plan.ServerPID = loadgen.ServerNone // what the server uses is looked at from here
	return nil
}

// Plan is how a scenario is put on a variant that runs, from the generator's CPUs.
func (b *Bench) Plan(r *Running, sc suite.Scenario) (loadgen.Plan, error) {
	url, err := r.url(sc)
	if err != nil {
		return loadgen.Plan{}, err
	}
	plan := loadplan.Of(sc, url)
	plan.CPUs, plan.Seed = b.placement.Generator, b.config.Seed
	plan.TLS.CAs, err = b.trusted(sc)
	return plan, err
}

// trusted are the authorities beside the system's: the session's own, where a server has
// its certificate, and the scenario's.
func (b *Bench) trusted(sc suite.Scenario) ([]byte, error) {
	var cas []byte
	if !sc.TLS.On {
		return nil, nil
	}
	if b.certs != nil && isPath(sc) {
		cas = append(cas, b.certs.CA...)
	}
	if sc.TLS.CA == "" {
		return cas, nil
	}
	file, known := b.config.Suite.Source(sc.TLS.CA)
	if !known {
		var err error
		if file, err = os.ReadFile(sc.TLS.CA); err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
	}
	return append(cas, file...), nil
}

// awaitEnd waits for the generator's end.
func (m *measurement) awaitEnd(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, m.plan.Drain+announceMax)
	defer cancel()
	select {
	case <-m.generator.ended:
	case <-limit.Done():
		m.generator.end()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return errors.New("the generator has not ended after its drain")
	}
	return nil
}

// overhead is what a measurement took beside its warm-up and window.
func (m *measurement) overhead(began mono.Time) time.Duration {
	return m.bench.clock.Now().Sub(began) - m.plan.WarmUp - m.plan.Measure
}
