package driver

import (
	"context"
	"errors"

	"github.com/scalws/scalbench/driver/internal/session"
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
