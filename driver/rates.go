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
	"time"

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
	Of      string `json:"of,omitempty"` // session that has found some of them, whose rows are measured once more
	Rates   []Rate `json:"rates"`
}

// Rate is that of one row whose load is a share of what a server can do.
type Rate struct {
	Mode       string    `json:"mode,omitempty"`
	Scenario   string    `json:"scenario"`
	Variant    string    `json:"variant"`              // of which the capacity was measured
	Capacity   []float64 `json:"capacity_rps"`         // in a closed loop, each measurement
	Interfered int       `json:"interfered,omitempty"` // of these: others used the CPUs meanwhile, each time
	Frac       float64   `json:"frac"`
	Rate       string    `json:"rate"` // frac of the median
}

// rateOf returns the rate of a row among those found; false: it has none.
func rateOf(rates []Rate, row order.Scenario) (string, bool) {
	i := slices.IndexFunc(rates, func(one Rate) bool { return one.Mode == row.Mode && one.Scenario == row.Name })
	if i < 0 {
		return "", false
	}
	return rates[i].Rate, true
}

// findRates reads the session's rates, or measures what they are a share of. Killed in the
// middle, a resumed session measures them anew; there is no round yet.
func (s *sitting) findRates(ctx context.Context) error {
	if err := s.readRates(); err != nil {
		return err
	}
	if s.rates == nil && len(s.shares()) > 0 {
		return s.measureRates(ctx)
	}
	if left := s.sharesLeft(); len(left) > 0 {
		return fmt.Errorf("rate of %s: the session has found none, and it has begun", left[0].row)
	}
	return nil
}

// readRates reads what this session has found.
func (s *sitting) readRates() (err error) {
	if s.rates == nil {
		s.rates, err = ratesIn(s.session.Layout, s.session.Plan.Session)
	}
	return err
}

// ratesIn reads what a session has found; nil: nothing, yet.
func ratesIn(l session.Layout, id string) (*rates, error) {
	files, err := filepath.Glob(filepath.Join(l.SessionDir(), ratesPass+"-*", ratesFile))
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
	if found.Session != id {
		return nil, fmt.Errorf("%s: it is of session %q, expected %s", files[0], found.Session, id)
	}
	return &found, nil
}

// takeRates lets an order have the rates that a session has found; none when it has not.
func (o *Order) takeRates(l session.Layout, id string) error {
	found, err := ratesIn(l, id)
	if err == nil && found != nil {
		o.Rates, o.RatesOf = found.Rates, id
	}
	return err
}

// measureRates finds the rates in a pass of its own. A row that is measured again has the
// one that it had: at another it would be another row.
func (s *sitting) measureRates(ctx context.Context) error {
	pass, err := s.session.BeginPass(ratesPass)
	if err != nil {
		return err
	}
	found := &rates{Schema: ratesSchema, Session: s.session.Plan.Session}
	for _, one := range s.shares() {
		i := slices.IndexFunc(s.driver.order.Rates, func(r Rate) bool { return r.Mode == one.row.Mode && r.Scenario == one.row.Name })
		if i >= 0 {
			rate := s.driver.order.Rates[i]
			found.Of, found.Rates = s.driver.order.RatesOf, append(found.Rates, rate)
			s.observer().say(fmt.Sprintf("%s is loaded with %s requests a second, as in session %s", one.row, rate.Rate, found.Of))
			continue
		}
		rate, err := s.findRate(ctx, pass, one)
		if err != nil {
			return fmt.Errorf("rate of %s: %w", one.row, err)
		}
		found.Rates = append(found.Rates, rate)
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

// share is a row that is loaded with a share of what a variant can do.
type share struct {
	row      order.Scenario
	of       suite.Variant
	scenario suite.Scenario
}

// shares are all such rows that a variant has, in the order of the table.
func (s *sitting) shares() (shares []share) {
	for _, row := range order.Rows(s.suite.Variants, s.suite.Scenarios) {
		if v, sc, found := s.baseOf(row); found && sc.Load.CapacityFrac > 0 {
			shares = append(shares, share{row, v, sc})
		}
	}
	return shares
}

// sharesLeft are those whose rate is still to be found.
func (s *sitting) sharesLeft() []share {
	known := s.driver.order.Rates
	if s.rates != nil {
		known = s.rates.Rates
	}
	return slices.DeleteFunc(s.shares(), func(one share) bool {
		_, found := rateOf(known, one.row)
		return found
	})
}

// ratesTake is about how long it takes to find the rates that are left.
func (s *sitting) ratesTake() time.Duration {
	return order.Estimate(s.suite.Plan, make([]session.Key, ratesRuns*len(s.sharesLeft())))
}

// findRate measures what a row's rate is a share of, in a closed loop.
func (s *sitting) findRate(ctx context.Context, pass session.Pass, row share) (found Rate, err error) {
	v, sc := row.of, row.scenario
	found = Rate{Mode: row.row.Mode, Scenario: row.row.Name, Variant: v.Name, Frac: sc.Load.CapacityFrac}
	s.observer().say(fmt.Sprintf("measuring what %s can do in %s, of which the rate is a share", v.Name, row.row))
	sc.Load = suite.Load{} // a closed loop
	srv, err := s.measurer.start(ctx, v, []suite.Scenario{sc})
	if err != nil {
		return found, err
	}
	for n := 1; n <= ratesRuns && err == nil; n++ {
		var m measuredCapacity
		m, err = s.capacity(ctx, srv, sc)
		found.Capacity = append(found.Capacity, m.rps)
		if m.interfered != "" {
			found.Interfered++
			s.observer().say(fmt.Sprintf("what %s can do in %s was measured %d times, and is not undisturbed: %s", v.Name, row.row, ratesTries, m.interfered))
		}
		for _, f := range m.files {
			err = errors.Join(err, pass.Write(v.Name, row.row.Mode, row.row.Name, fmt.Sprintf("%d-%s", n, f.Name), f.Data))
		}
	}
	if _, stopErr := s.stop(ctx, srv); stopErr != nil {
		err = errors.Join(err, fmt.Errorf("stop variant %s: %w", v.Name, stopErr))
	}
	if err != nil {
		return found, err
	}
	median := slices.Sorted(slices.Values(found.Capacity))[ratesRuns/2]
	found.Rate = fmt.Sprintf("%.0f", max(1, math.Round(found.Frac*median)))
	s.observer().say(fmt.Sprintf("%s is loaded with %s requests a second, %.0f %% of %.0f", row.row, found.Rate, 100*found.Frac, median))
	return found, nil
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

// measuredCapacity is one measurement that is not of a round.
type measuredCapacity struct {
	rps        float64
	files      []measure.File
	interfered string // what disturbed it; "": nothing did
}

// capacity makes one, again where it is not valid or was disturbed, as those of rounds are.
// The last that is valid is taken as it is.
func (s *sitting) capacity(ctx context.Context, srv server, sc suite.Scenario) (last measuredCapacity, err error) {
	reason := ""
	for range ratesTries {
		if err := s.mayMeasure(ctx); err != nil {
			return last, err
		}
		row, evidence, err := srv.measure(ctx, sc)
		switch {
		case ctx.Err() != nil:
			return last, context.Cause(ctx)
		case err != nil:
			return last, err
		}
		reason = against(row, evidence)
		if row.State == record.Valid {
			rps, _ := row.RPS.Get()
			last = measuredCapacity{rps, evidence.Files, reason}
		} else if reason == "" { // the generator could do no more
			reason = row.Reason
		}
		if reason == "" {
			return last, nil
		}
	}
	if last.interfered == "" {
		return last, errors.New(reason)
	}
	return last, nil
}
