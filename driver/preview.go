package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Preview is what one suite of an order would measure.
type Preview struct {
	Suite           string
	StandIn         string // what is to be known of one that the embedded target plays; ""
	Rounds, Runs    int
	ShuffledBy      *uint64       // the seed by which the scenarios are shuffled in each round; nil: they are not
	Turns           bool          // both variants of a comparison are up, and two measurements made at a time
	MaxRounds       int           // as many while not all is decided; Rounds where that is not asked
	Warmup, Measure time.Duration // of each measurement
	Keys            []string      // of Rounds, in the order of measuring: round 1, run 1, el8, static-small
	Gaps            []string      // what is not measured, and why
	Capacities      int           // how often what a server can do is measured before the first round
	Syscalls        int           // how often system calls are counted after the rounds
	Profiles        int           // how often samples are taken after the rounds
	ProfilesMore    bool          // of rows that fail, which nobody knows yet
	Takes           time.Duration // all of it, but for rows that fail

	// What a gate would judge it by, as in the plan of its session.
	Variants []string // names
	Compare  []record.PlanComparison
	Gate     record.PlanGate
}

// Foresee says what an order would measure, in which order and for how long, without
// waiting for a quiet host. It starts nothing and needs no lock. Errors are those of
// [Run] before anything happens.
func Foresee(o Order, around Surroundings) ([]Preview, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	tasks, err := o.read(around.Files)
	if err != nil {
		return nil, err
	}
	var previews []Preview
	for _, t := range tasks {
		previews = append(previews, (&sitting{driver: &driver{order: o, around: around}, task: t}).preview())
	}
	return previews, nil
}

func (s *sitting) preview() Preview {
	plan := s.suite.Plan
	s.findGaps()
	p := Preview{Suite: s.suite.Name, Rounds: plan.Rounds, MaxRounds: s.order.mostRounds(s.suite), Runs: plan.Runs,
		Warmup: plan.Warmup, Measure: plan.Measure, Gate: gateOf(s.suite.Gate)}
	p.Turns = s.takesTurns()
	if s.driver.order.StandIn {
		p.StandIn = standInNote
	}
	for _, v := range s.suite.Variants {
		p.Variants = append(p.Variants, v.Name)
	}
	for _, c := range s.suite.Compare {
		p.Compare = append(p.Compare, record.PlanComparison(c))
	}
	if plan.Shuffle {
		p.ShuffledBy = &plan.Seed
	}
	for _, g := range s.gaps {
		if !g.OtherMode {
			p.Gaps = append(p.Gaps, gapText(g))
		}
	}
	p.Capacities, p.Takes = ratesRuns*len(s.sharesLeft()), s.ratesTake()
	for n := 1; n <= plan.Rounds; n++ {
		keys := s.keys(n)
		for _, k := range keys {
			p.Keys = append(p.Keys, k.String())
		}
		p.Takes += order.Estimate(plan, keys)
	}
	if s.driver.order.Syscalls {
		p.Syscalls = len(order.Without(s.syscallKeys(), s.gaps))
		p.Takes += s.syscallsTake()
	}
	switch s.suite.Profile.When {
	case suite.ProfileAlways:
		keys := s.profileKeys(order.Rows(s.suite.Variants, s.suite.Scenarios))
		p.Profiles = len(order.Without(keys, s.gaps))
		p.Takes += s.profilesTake(keys)
	case suite.ProfileOnFail:
		p.ProfilesMore = true
	}
	return p
}

// gapText says what is not measured, and why.
func gapText(g order.Gap) string {
	word := "N/A"
	if g.State == record.NotRun {
		word = "NOT RUN"
	}
	return fmt.Sprintf("%s, %s: %s, %s", g.Variant, g.Scenario, word, g.Reason)
}

// Examination is what a doctor says about the host.
type Examination struct {
	Fixed    map[string]string // facts that must be equal for rounds to form one gate
	Now      map[string]string // facts of the moment
	Findings []Finding
}

// Finding is what one check said.
type Finding struct {
	Check string
	Level string // ok, note, warn, refuse or n/a
	Text  string // a phrase
}

// Refused tells whether a finding forbids to measure.
func (e Examination) Refused() error {
	var reasons []string
	for _, f := range e.Findings {
		if f.Level == host.Refuse.String() {
			reasons = append(reasons, f.Check+": "+f.Text)
		}
	}
	if reasons == nil {
		return nil
	}
	return &RefusedError{reasons}
}

// Examine holds this host against what the suites of an order need, or, without one,
// says what the host is like. It takes a second for each.
func Examine(ctx context.Context, o Order, around Surroundings) (Examination, error) {
	clock, err := mono.NewClock()
	if err != nil {
		return Examination{}, fmt.Errorf("read the clock: %w", err)
	}
	files := host.NewFS(hostRoot)
	facts := files.Facts()
	e := Examination{Fixed: facts.Fixed, Now: facts.Now}
	needs := []host.Need{{}}
	if len(o.Suites) > 0 {
		if needs, err = o.needs(around); err != nil {
			return e, err
		}
	}
	for _, need := range needs {
		findings, err := files.Examine(ctx, need, host.NewClock(clock))
		if err != nil {
			return e, err
		}
		for _, f := range findings {
			e.Findings = append(e.Findings, Finding{f.Check, f.Level.String(), f.Text})
		}
	}
	return e, nil
}

// needs are those of each suite of an order.
func (o Order) needs(around Surroundings) ([]host.Need, error) {
	tasks, err := o.read(around.Files)
	if err != nil {
		return nil, err
	}
	var needs []host.Need
	for _, t := range tasks {
		m, err := newMeasurer(measureConfig(t, "doctor", around.Environ), "")
		if err != nil {
			return nil, err
		}
		sets, shared := m.sets()
		needs = append(needs, needOf(t.suite, sets, shared, o.results()))
		if err := m.close(); err != nil {
			return nil, err
		}
	}
	return needs, nil
}
