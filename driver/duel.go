package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// takesTurns tells whether both variants of a comparison are up and take turns.
func (t task) takesTurns() bool { return t.suite.Plan.Interleave == suite.Sliced }

// checkTurns refuses what an order makes of a suite whose variants take turns, beside what
// the suite says itself.
func (o Order) checkTurns(s *suite.Suite) error {
	switch {
	case s.Plan.Interleave != suite.Sliced:
		return nil
	case o.Attach != "":
		return fmt.Errorf("interleave: %s takes two servers, and one is attached to", suite.Sliced)
	case o.Twin != nil:
		return fmt.Errorf("interleave: %s has no calibration: both variants are up, and the burden beside one would burden the other; calibrate a suite of interleave: variant", suite.Sliced)
	case len(s.Compare) == 0:
		return fmt.Errorf("interleave: %s, and nothing is compared", suite.Sliced)
	}
	return nil
}

// firstDuel is what one start of two variants serves: the measurements of their comparison
// in a run, or only the first pair where each has fresh servers.
func (s *sitting) firstDuel(keys []session.Key) []session.Key {
	pair, _ := order.Of(order.PairsOf(s.suite.Compare), keys[0].Variant) // each is in one
	var scenarios []suite.Scenario
	for n, k := range keys {
		if n > 1 && k.Row() != keys[n-1].Row() && s.suite.Plan.Restart == suite.EachMeasurement {
			return keys[:n]
		}
		scenarios = append(scenarios, s.scenario(k))
		if k.Variant != pair.Base && k.Variant != pair.New || !s.measurer.together(scenarios) {
			return keys[:n]
		}
	}
	return keys
}

// duelOf is the pair that a half of it is of. The other half is missing too: both are
// begun together, and given up together.
func (s *sitting) duelOf(k session.Key) (base, new session.Key) {
	pair, _ := order.Of(order.PairsOf(s.suite.Compare), k.Variant)
	base, new = k, k
	base.Variant, new.Variant = pair.Base, pair.New
	return base, new
}

// takeDuel starts both variants, in the order of the keys, and makes the measurements, two
// by two. It ends early after a pair that is invalid: such servers are not trusted with the
// next.
func (s *sitting) takeDuel(ctx context.Context, keys []session.Key) error {
	if err := s.mayMeasure(ctx); err != nil {
		return err
	}
	d := &duel{sitting: s, running: map[string]server{}}
	defer d.abandon(ctx)
	if both, err := d.start(ctx, keys); err != nil || !both {
		return err
	}
	var done []session.Key // their bases
	for i, k := range keys {
		base, new := s.duelOf(k)
		if slices.Contains(done, base) {
			continue
		}
		done = append(done, base)
		if err := s.mayMeasure(ctx); err != nil {
			return err
		}
		halves, err := d.take(ctx, base, new)
		if err != nil {
			return err
		}
		rest := slices.ContainsFunc(keys[i:], func(k session.Key) bool { b, _ := s.duelOf(k); return b != base })
		last := !rest || halves[0].row.State != record.Valid
		if last {
			err = d.end(ctx, halves)
		}
		for _, m := range halves { // what was measured is kept, as what it is worth
			err = errors.Join(err, s.keep(m))
		}
		if err != nil || last {
			return err
		}
	}
	return nil
}

// duel is two variants that run, to be measured in turns.
type duel struct {
	*sitting
	names   []string // in the order of their starts
	running map[string]server
}

// start starts both variants; false when one did not start, and the measurements are
// invalid for it.
func (d *duel) start(ctx context.Context, keys []session.Key) (both bool, err error) {
	var scenarios []suite.Scenario // the same of both
	for _, k := range keys {
		base, new := d.duelOf(k)
		for _, name := range []string{k.Variant, base.Variant, new.Variant} {
			if !slices.Contains(d.names, name) {
				d.names = append(d.names, name)
			}
		}
		scenarios = append(scenarios, d.scenario(base))
	}
	for _, name := range d.names {
		srv, err := d.measurer.start(ctx, d.variant(name), scenarios)
		if err != nil {
			return false, d.notStarted(ctx, name, keys, err)
		}
		d.running[name] = srv
	}
	return true, nil
}

// take makes one measurement of both. The attempts are begun together, so that a kill cuts
// both.
func (d *duel) take(ctx context.Context, base, new session.Key) (halves [2]*made, err error) {
	var attempts [2]*session.Attempt
	for i, k := range []session.Key{base, new} {
		if attempts[i], err = d.session.Begin(k); err != nil {
			return halves, err
		}
	}
	d.tell()
	rows, evidence, err := d.running[base.Variant].takeTurns(ctx, d.running[new.Variant], d.scenario(base), d.pairID(base, new))
	if ctx.Err() != nil {
		return halves, context.Cause(ctx) // cut: the attempts are not committed
	}
	held := d.lock.Held() // else another may have measured at the same time
	for i := range halves {
		halves[i] = d.madeOf(attempts[i], rows[i], evidence[i], err, held)
	}
	return halves, nil
}

// pairID is what the lines of both halves have in common, and no other line of the session:
// the instant is after those of all attempts before.
func (d *duel) pairID(base, new session.Key) string {
	_, now := d.rig.now()
	return fmt.Sprintf("%s+%s@%d", base.Variant, new.Variant, now)
}

// end stops both, the last that was started first. What had ended by itself makes both
// halves of the last pair invalid.
func (d *duel) end(ctx context.Context, halves [2]*made) error {
	var errs []error
	for _, name := range slices.Backward(d.names) {
		srv := d.running[name]
		delete(d.running, name)
		reason, err := d.stop(ctx, srv)
		if err != nil {
			err = fmt.Errorf("stop variant %s: %w", name, err)
			errs, reason = append(errs, err), err.Error()
		} else if reason != "" {
			reason = name + ": " + reason
		}
		for _, m := range halves {
			m.refuse(reason)
		}
	}
	return errors.Join(errs...)
}

// abandon stops what still runs, beside another error, which is returned.
func (d *duel) abandon(ctx context.Context) {
	for _, name := range slices.Backward(d.names) {
		srv, runs := d.running[name]
		if !runs {
			continue
		}
		delete(d.running, name)
		if _, err := d.stop(ctx, srv); err != nil {
			d.observer().say(fmt.Sprintf("stop variant %s: %v", name, err))
		}
	}
}
