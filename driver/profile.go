package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/profile"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// profilePass is what the directories of the pass are called.
const profilePass = "profile"

// takeProfiles samples the CPUs of the server under the load of every row that is asked for,
// of all variants, in a pass of its own: sampling costs a server time, so that nothing of a
// round is measured meanwhile. What cannot be sampled is n/a in the pass, with the reason;
// the error is ours, or the context's, and leaves a pass that was cut.
func (s *sitting) takeProfiles(ctx context.Context, outcome *SessionOutcome) error {
	rows, err := s.profiledRows()
	switch {
	case err != nil:
		return fmt.Errorf("find the rows to profile: %w", err)
	case len(rows) == 0:
		outcome.NoProfile = "no row fails"
		s.observer().say("no profile is taken: " + outcome.NoProfile)
		return nil
	}
	keys := s.profileKeys(rows)
	if until := s.order.Until; !until.IsZero() && s.rig.wall().Add(s.profilesTake(keys)).After(until) {
		outcome.NoProfile = fmt.Sprintf("until %s no time was left; scalbench resume %s --profile takes it", clockText(until), s.session.SessionDir())
		s.observer().say("no profile is taken: " + outcome.NoProfile)
		return nil
	}
	pass, err := s.session.BeginPass(profilePass)
	if err != nil {
		return err
	}
	taken := &record.Profile{Session: s.session.Plan.Session, StandIn: s.session.Plan.StandIn, StartedUTC: s.rig.wall().UTC(),
		Compare: s.session.Plan.Compare, When: s.suite.Profile.When.String(), Rows: []record.ProfileRow{}}
	if err := s.profileWith(ctx, pass, keys, taken); err != nil {
		return fmt.Errorf("take profiles: %w", err)
	}
	rounds, err := readRounds(s.files().Rounds)
	if err != nil {
		return fmt.Errorf("take profiles: %w", err)
	}
	var file, text bytes.Buffer
	err = errors.Join(record.WriteProfileText(&text, taken, rounds), record.WriteProfile(&file, taken))
	if err == nil {
		err = pass.Finish(record.ProfileTextFile, text.Bytes())
	}
	if err == nil {
		err = pass.Finish(record.ProfileFile, file.Bytes())
	}
	if err != nil {
		return fmt.Errorf("take profiles: %w", err)
	}
	outcome.ProfileText, outcome.ProfileDir = text.String(), pass.Dir
	return nil
}

// readRounds reads the rounds in directories.
func readRounds(dirs []string) (rounds []*record.Round, err error) {
	for _, dir := range dirs {
		r, err := record.ReadRound(os.DirFS(filepath.Dir(dir)), filepath.Base(dir))
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, r)
	}
	return rounds, nil
}

// profiledRows are all, or those that the gate fails.
func (s *sitting) profiledRows() ([]order.Scenario, error) {
	rows := order.Rows(s.suite.Variants, s.suite.Scenarios)
	if s.suite.Profile.When != suite.ProfileOnFail {
		return rows, nil
	}
	if s.around.Failed == nil {
		return nil, nil // nobody judges
	}
	failed, err := s.around.Failed(s.files())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(row order.Scenario) bool { return !slices.Contains(failed, Row{row.Mode, row.Name}) }), nil
}

// profileKeys are what is profiled, in the order of the table: a row of all variants of its
// mode, then the next. What is not measured is among them.
func (s *sitting) profileKeys(rows []order.Scenario) []session.Key {
	var keys []session.Key
	for _, row := range rows {
		for _, v := range s.suite.Variants {
			k := session.Key{Variant: v.Name, Mode: row.Mode, Scenario: row.Name}
			if gap, is := s.gapOf(k); !is || !gap.OtherMode {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// profilesTake is about how long the pass takes: as many measurements.
func (s *sitting) profilesTake(keys []session.Key) time.Duration {
	return s.aloneTakes(keys, s.suite.Profile.Span(s.suite.Plan))
}

// profileWith finds perf and fills in the rows, or why there are none.
func (s *sitting) profileWith(ctx context.Context, pass session.Pass, keys []session.Key, taken *record.Profile) error {
	groups, err := profile.Compile(s.suite.Profile.Groups)
	if err != nil {
		return err
	}
	sets, _ := s.measurer.sets()
	sampler, err := s.rig.sampler(ctx, sets[0].CPUs.String(), s.suite.Profile.Frequency())
	var unavailable *perf.Unavailable
	if errors.As(err, &unavailable) {
		taken.NA = record.OneLine(unavailable.Reason)
		s.observer().say("no profile is taken: " + taken.NA)
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.findRates(ctx); err != nil {
		return err
	}
	how := measure.Profiling{Sampler: sampler, Groups: groups, Span: s.suite.Profile.Span(s.suite.Plan), KeepData: s.suite.Profile.KeepData}
	taken.Groups = groups.Table()
	s.observer().say(fmt.Sprintf("taking profiles, %d of %v, about %v", len(order.Without(keys, s.gaps)), how.Span, s.profilesTake(keys).Round(time.Second)))
	for _, k := range keys {
		row, err := s.profileRow(ctx, pass, k, how)
		if err != nil {
			return err
		}
		row.Variant, row.Mode, row.Scenario = k.Variant, k.Mode, k.Scenario
		taken.Rows = append(taken.Rows, row)
	}
	return nil
}

// profileRow starts a variant and samples it under one scenario.
func (s *sitting) profileRow(ctx context.Context, pass session.Pass, k session.Key, how measure.Profiling) (row record.ProfileRow, err error) {
	na, err := s.alone(ctx, pass, k, func(srv server, sc suite.Scenario) (files []measure.File, err error) {
		for range countTries {
			if row, files, err = srv.profile(ctx, sc, how); err != nil || row.NA == "" {
				break
			}
		}
		return files, err
	})
	if na != "" {
		row.NA = na
	}
	return row, err
}
