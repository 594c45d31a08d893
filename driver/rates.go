package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

const (
	ratesPass   = "capacity" // what the directory of the pass is called
	ratesFile   = "rates.json"
	ratesSchema = "scalbench.rates/v1"
	ratesRuns   = 3 // measurements, of which the median is taken
	ratesTries  = 3 // for each of them
)

// rates are those of open loads that are a share of what a server can do. They are found
// once for a session, before its first round, and are the same for all variants and rounds.
type rates struct {
	Schema  string `json:"schema"`
	Session string `json:"session"`
	Rates   []rate `json:"rates"`
}

// rate is that of one row.
type rate struct {
	Mode     string    `json:"mode,omitempty"`
	Scenario string    `json:"scenario"`
	Variant  string    `json:"variant"`      // of which the capacity was measured
	Capacity []float64 `json:"capacity_rps"` // in a closed loop, each measurement
	Frac     float64   `json:"frac"`
	Rate     string    `json:"rate"` // frac of the median
}

// of returns the rate of a row; every row that needs one has one.
func (r *rates) of(row order.Scenario) string {
	i := slices.IndexFunc(r.Rates, func(one rate) bool { return one.Mode == row.Mode && one.Scenario == row.Name })
	return r.Rates[i].Rate
}

// findRates reads the session's rates, or measures what they are a share of. Killed in the
// middle, a resumed session measures them anew; there is no round yet.
func (s *sitting) findRates(ctx context.Context) error {
	if s.rates != nil || !slices.ContainsFunc(s.suite.Scenarios, func(sc suite.Scenario) bool { return sc.Load.CapacityFrac > 0 }) {
		return nil
	}
	var err error
	if s.rates, err = readRates(s.session); err != nil || s.rates != nil {
		return err
	}
	pass, err := s.session.BeginPass(ratesPass)
	if err != nil {
		return err
	}
	found := &rates{Schema: ratesSchema, Session: s.session.Plan.Session}
	for _, row := range order.Rows(s.suite.Variants, s.suite.Scenarios) {
		one, needed, err := s.findRate(ctx, pass, row)
		if err != nil {
			return fmt.Errorf("rate of %s: %w", row.Name, err)
		}
		if needed {
			found.Rates = append(found.Rates, one)
		}
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err == nil {
		err = pass.Finish(ratesFile, append(text, '\n'))
	}
	if err != nil {
		return err
	}
	s.rates = found
	return nil
}

// readRates reads what was found; nil: nothing was, yet.
func readRates(on *session.Session) (*rates, error) {
	files, err := filepath.Glob(filepath.Join(on.SessionDir(), ratesPass+"-*", ratesFile))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	var found rates
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	return &found, sameSession(on, found.Session)
}

// findRate measures the base of a row in a closed loop. A row that needs no rate, or that no
// variant has, is left out.
func (s *sitting) findRate(ctx context.Context, pass session.Pass, row order.Scenario) (one rate, needed bool, err error) {
	v, sc, found := s.baseOf(row)
	if !found || sc.Load.CapacityFrac == 0 {
		return one, false, nil
	}
	one = rate{Mode: row.Mode, Scenario: row.Name, Variant: v.Name, Frac: sc.Load.CapacityFrac}
	s.observer().say(fmt.Sprintf("measuring what %s can do in %s, of which the rate is a share", v.Name, row.Name))
	sc.Load = suite.Load{} // a closed loop
	srv, err := s.measurer.start(ctx, v, []suite.Scenario{sc})
	if err != nil {
		return one, false, err
	}
	for n := 1; n <= ratesRuns && err == nil; n++ {
		var rps float64
		var files []measure.File
		rps, files, err = s.capacity(ctx, srv, sc)
		one.Capacity = append(one.Capacity, rps)
		for _, f := range files {
			err = errors.Join(err, pass.Write(v.Name, row.Mode, row.Name, fmt.Sprintf("%d-%s", n, f.Name), f.Data))
		}
	}
	if _, stopErr := s.stop(ctx, srv); stopErr != nil {
		err = errors.Join(err, fmt.Errorf("stop variant %s: %w", v.Name, stopErr))
	}
	if err != nil {
		return one, false, err
	}
	median := slices.Sorted(slices.Values(one.Capacity))[ratesRuns/2]
	one.Rate = fmt.Sprintf("%.0f", max(1, math.Round(one.Frac*median)))
	s.observer().say(fmt.Sprintf("%s is loaded with %s requests a second, %.0f %% of %.0f", row.Name, one.Rate, 100*one.Frac, median))
	return one, true, nil
}

// baseOf is the variant by whose capacity a row is loaded: the base of the first comparison
// that has the row, or else the first variant that has it.
func (s *sitting) baseOf(row order.Scenario) (suite.Variant, suite.Scenario, bool) {
	var names []string
	for _, c := range s.suite.Compare {
		names = append(names, c.Base)
	}
	for _, v := range s.suite.Variants {
		names = append(names, v.Name)
	}
	for _, name := range names {
		v := s.variant(name)
		gap := slices.ContainsFunc(s.gaps, func(g order.Gap) bool { return g.Variant == name && g.Scenario == row })
		i := slices.IndexFunc(s.suite.Scenarios, func(sc suite.Scenario) bool { return order.RowOf(v, sc) == row })
		if !gap && i >= 0 {
			return v, s.suite.Scenarios[i], true
		}
	}
	return suite.Variant{}, suite.Scenario{}, false
}

// capacity makes one measurement that is not of a round.
func (s *sitting) capacity(ctx context.Context, srv server, sc suite.Scenario) (rps float64, files []measure.File, err error) {
	reason := ""
	for range ratesTries {
		if err := s.mayMeasure(ctx); err != nil {
			return 0, nil, err
		}
		row, evidence, err := srv.measure(ctx, sc)
		switch {
		case ctx.Err() != nil:
			return 0, nil, context.Cause(ctx)
		case err != nil:
			return 0, nil, err
		case row.State == record.Valid:
			rps, _ := row.RPS.Get()
			return rps, evidence.Files, nil
		}
		reason = row.Reason
	}
	return 0, nil, errors.New(reason)
}
