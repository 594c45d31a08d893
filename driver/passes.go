package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// passes do what the order wants beside the rounds of a session, which are over.
func (s *sitting) passes(ctx context.Context, outcome *SessionOutcome) error {
	if s.order.Syscalls {
		if err := s.countSyscalls(ctx, outcome); err != nil {
			return err
		}
	}
	if s.suite.Profile.When != suite.ProfileNever {
		return s.takeProfiles(ctx, outcome)
	}
	return nil
}

// passesAlone does that with a session that is done.
func (s *sitting) passesAlone(ctx context.Context, layout session.Layout) (outcome *SessionOutcome, err error) {
	if s.session, err = session.Finished(layout); err != nil {
		return nil, err
	}
	outcome = &SessionOutcome{Suite: s.suite.Name, StandIn: s.session.Plan.StandIn}
	err = s.passes(ctx, outcome)
	return outcome, errors.Join(err, s.count(outcome))
}

// aloneTakes is about how long a pass takes: as many measurements of that length. Variants
// that take turns in rounds are loaded by themselves here.
func (s *sitting) aloneTakes(keys []session.Key, length time.Duration) time.Duration {
	plan := s.suite.Plan
	plan.Measure, plan.Interleave = length, suite.ByVariant
	return order.Estimate(plan, order.Without(keys, s.gaps))
}

// gapOf is why something is not measured, and whether that is so.
func (s *sitting) gapOf(k session.Key) (gap order.Gap, is bool) {
	i := slices.IndexFunc(s.gaps, func(g order.Gap) bool {
		return g.Variant == k.Variant && g.Scenario == order.Scenario{Mode: k.Mode, Name: k.Scenario}
	})
	if i < 0 {
		return order.Gap{}, false
	}
	return s.gaps[i], true
}

// alone starts a variant, has something done to it under one scenario, stops it, and keeps
// the files that came of it. na is why it could not be started at all; the error is ours, or
// the context's.
func (s *sitting) alone(ctx context.Context, pass session.Pass, k session.Key, do func(server, suite.Scenario) ([]measure.File, error)) (na string, err error) {
	if gap, is := s.gapOf(k); is {
		return gap.Reason, nil
	}
	if err := s.mayMeasure(ctx); err != nil {
		return "", err
	}
	sc := s.scenario(k)
	srv, err := s.measurer.start(ctx, s.variant(k.Variant), []suite.Scenario{sc})
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return record.OneLine(err.Error()), nil
	}
	files, err := do(srv, sc)
	if _, stopErr := s.stop(ctx, srv); stopErr != nil {
		err = errors.Join(err, fmt.Errorf("stop variant %s: %w", k.Variant, stopErr))
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if err := pass.Write(k.Variant, k.Mode, k.Scenario, f.Name, f.Data); err != nil {
			return "", err
		}
	}
	return "", nil
}
