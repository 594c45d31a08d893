package driver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// sitting is one session under way in this process: from its beginning, or from where
// an earlier sitting left it. One goroutine owns it.
type sitting struct {
	*driver
	task
	measurer measurer
	session  *session.Session
	gaps     []order.Gap // what is not measured, and why
	first    []Row       // what the next round measures first

	flags []string // of the host, for every row
	noisy bool     // the host did not become quiet before this round, or this part of it

	rates *rates // of loads that are a share of what the base can do; nil: not looked for yet

	measured    map[string]bool // variants of which something was measured in this sitting
	loaded      int             // measurements of this turn that had all of their load
	overheadMax time.Duration
	ownCPUMax   float64

	untold bool // it was said that others cannot be told what goes on
}

// orderFile keeps the order of a session beside its plan, so that it can be resumed.
const orderFile = "order.json"

// measureConfig is what a session says of all its measurements. What is started is not
// told, for what was measured is, a line each. What the seed is for (ports, lengths of
// environments) is another in each session of a plan: a host's ports are shared with
// whoever else uses it, and a bias must not be the same in a repeat.
func measureConfig(t task, id string, environ []string) measure.Config {
	hash := fnv.New64a()
	hash.Write([]byte(id)) // it never fails
	return measure.Config{Session: id, Suite: t.suite, Seed: t.suite.Plan.Seed ^ hash.Sum64(), Twins: t.twins, Environ: environ}
}

// errUntil ends a sitting that has no time for another run.
var errUntil = errors.New("no time is left for another run")

// measureAll measures what is missing of a session and leaves it, done or stopped.
func (s *sitting) measureAll(ctx context.Context, resumed bool) (*SessionOutcome, error) {
	s.measured = map[string]bool{}
	s.tell()
	s.observer().began(Began{Suite: s.suite.Name, Dir: s.session.SessionDir(), Resumed: resumed, Progress: s.progress()})
	if note := s.session.Plan.StandIn; note != "" {
		s.observer().say(note)
	}
	err := s.rounds(ctx)
	outcome := &SessionOutcome{Suite: s.suite.Name, StandIn: s.session.Plan.StandIn, OverheadMax: s.overheadMax, OwnCPUFracMax: s.ownCPUMax}
	switch {
	case err == nil:
		outcome.Decided = s.decidedText()
		err = s.session.Finish()
	case errors.Is(err, errUntil):
		outcome.Stopped, outcome.OutOfTime = err.Error(), true
		err = s.session.Stop(outcome.Stopped)
	default:
		outcome.Stopped = record.OneLine(stopReason(ctx, err))
		err = errors.Join(err, s.session.Stop(outcome.Stopped))
	}
	if err == nil && !outcome.OutOfTime {
		err = s.passes(ctx, outcome)
	}
	return outcome, errors.Join(err, s.count(outcome))
}

// stopReason says why a session stops: the signal, where that is the cause of all.
func stopReason(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return context.Cause(ctx).Error()
	}
	return err.Error()
}

// rounds measures every round that is not done, as long as there is a row that needs it.
func (s *sitting) rounds(ctx context.Context) error {
	for n := 1; n <= s.session.Plan.Rounds; n++ {
		if s.session.State().Rounds[n].Done {
			continue
		}
		if over, err := s.look(n); err != nil || over {
			return err
		}
		if err := s.round(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// round measures what is missing of one round.
func (s *sitting) round(ctx context.Context, n int) error {
	begun := s.session.State().Rounds[n].Begun
	if !begun || s.lacksAny(n) {
		if !s.fits(n, 1) {
			return fmt.Errorf("until %s: %w", clockText(s.driver.order.Until), errUntil)
		}
		if err := s.awaitQuiet(ctx, n); err != nil {
			return err
		}
	}
	if err := s.findRates(ctx); err != nil {
		return err
	}
	if !begun {
		keys := s.keys(n)
		if err := s.session.StartRound(n, keys, strings.Join(s.rowFlags(), " ")); err != nil {
			return err
		}
	}
	if err := s.voidOld(n); err != nil {
		return err
	}
	for run := 1; run <= s.session.Plan.Runs; run++ {
		if err := s.run(ctx, n, run); err != nil {
			return err
		}
	}
	identity, err := s.identityOf(n)
	if err != nil {
		return err
	}
	if identity.LogErrors, err = s.complaints(n); err != nil {
		return err
	}
	s.tellComplaints(n, identity.LogErrors)
	if err := s.session.FinishRound(n, identity); err != nil {
		return err
	}
	s.tell()
	return nil
}

// voidOld gives up the halves of pairs that are too old for their other half, which is
// measured next. It comes after all waiting: also a host that takes an hour to become quiet
// makes them old.
func (s *sitting) voidOld(round int) error {
	voided, err := s.session.VoidOld(round)
	if len(voided) > 0 {
		k := voided[0]
		s.observer().say(fmt.Sprintf("measuring again %d of round %d, run %d, which were measured too long before the other halves of their pairs", len(voided), k.Round, k.Run))
	}
	return err
}

// lacksAny tells whether anything of a round that has begun is to be measured.
func (s *sitting) lacksAny(round int) bool {
	state := s.session.State()
	return slices.ContainsFunc(state.Keys(round), func(k session.Key) bool { return state.Missing(k) })
}

// keys are the measurements of a round in the order of measuring, without gaps and
// without the rows that are decided.
func (s *sitting) keys(round int) []session.Key {
	var names []string
	for _, v := range s.suite.Variants {
		names = append(names, v.Name)
	}
	keys := order.Round(s.suite.Plan, names, s.rows(round), round)
	if s.takesTurns() {
		keys = order.RoundOfPairs(s.suite.Plan, order.PairsOf(s.suite.Compare), s.rows(round), round)
	}
	return order.Without(keys, s.gaps)
}

// fits tells whether a run, and what comes before it, would be over when the order says
// that all must be.
func (s *sitting) fits(round, run int) bool {
	until := s.driver.order.Until
	if until.IsZero() {
		return true
	}
	ofRun := slices.DeleteFunc(s.keys(round), func(k session.Key) bool { return k.Run != run })
	return !s.rig.wall().Add(s.ratesTake() + order.Estimate(s.suite.Plan, ofRun)).After(until)
}

// measurable refuses a session that would measure nothing at all.
func (s *sitting) measurable() error {
	s.findGaps()
	switch notRun := func(g order.Gap) bool { return g.State == record.NotRun }; {
	case len(s.keys(1)) > 0:
		return nil
	case slices.ContainsFunc(s.gaps, notRun):
		return fmt.Errorf("%w: %s", ErrLacks, gapsText(s.gaps))
	}
	return fmt.Errorf("nothing can be measured: %s", gapsText(s.gaps))
}

// gapsText tells every reason once.
func gapsText(gaps []order.Gap) string {
	var reasons []string
	for _, g := range gaps {
		if text := g.Variant + ": " + g.Reason; !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	return strings.Join(reasons, "; ")
}

// variant returns one by its name.
func (s *sitting) variant(name string) suite.Variant {
	i := slices.IndexFunc(s.suite.Variants, func(v suite.Variant) bool { return v.Name == name })
	return s.suite.Variants[i]
}

// scenario returns the one that a measurement is of.
func (s *sitting) scenario(k session.Key) suite.Scenario {
	row := order.Scenario{Mode: k.Mode, Name: k.Scenario}
	v := s.variant(k.Variant)
	i := slices.IndexFunc(s.suite.Scenarios, func(sc suite.Scenario) bool { return order.RowOf(v, sc) == row })
	sc := s.suite.Scenarios[i]
	if sc.Load.CapacityFrac > 0 { // found before the first round
		sc.Load.Rate, _ = rateOf(s.rates.Rates, row)
	}
	return sc
}

// observer is told what goes on.
func (s *sitting) observer() Observer { return s.around.Observer }
