package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// duel is two targets that take turns. One goroutine owns it, and the workers while
// they do not measure.
type duel struct {
	plan   Plan
	clock  mono.Clock
	sides  [2]*side
	coin   *rand.Rand
	host   hostWatch
	began  mono.Time     // of the first slice
	spent  time.Duration // on connections that were renewed
	pairs  []Pair
	slices Slices
	lost   *Lost
}

// newDuel finds both targets and makes their workers.
func newDuel(ctx context.Context, plan Plan, clock mono.Clock) (*duel, error) {
	d := &duel{plan: plan, clock: clock, coin: rand.New(rand.NewPCG(plan.Seed, pairStream)), host: watchHost(clock), slices: plan.Slices}
	both := server{local: true}
	for i := range d.sides {
		s := &side{plan: plan, clock: clock, began: clock.Now()}
		s.plan.Targets = plan.Targets[i : i+1]
		var err error
		if s.server, err = resolve(ctx, s.plan, clock); err != nil {
			return nil, fmt.Errorf("target %s: %w", targetName(i), err)
		}
		both.cpus = both.cpus.Union(s.server.cpus)
		both.local = both.local && s.server.local
		d.sides[i] = s
	}
	if plan.Protocol != HTTP3 {
		if err := raiseFDLimit(2*plan.Connections + fdsBeside); err != nil {
			return nil, err
		}
	}
	placed, placement, err := place(plan, both) // on the same CPUs for both
	if err != nil {
		return nil, err
	}
	for i, s := range d.sides {
		s.plan.CPUs, s.plan.NoPin, s.placement = placed.CPUs, placed.NoPin, placement
		if i > 0 {
			s.placement.warnings = nil // they were told
		}
		_, workers, err := makeWorkers(s.plan, s.placement, s.server, clock, s.plan.quicConfig(nil, nil))
		if err != nil {
			d.close()
			return nil, err
		}
		s.group = &group{workers: workers, control: workers[0].control}
	}
	return d, nil
}

// pairStream tells the coins' random numbers from others of the same seed.
const pairStream = 0x7061697273

func targetName(i int) string { return string(rune('A' + i)) }

// warmUp loads each target for as long as the plan says, and finds out how long slices
// have to be so that requests end in them. A target that seems slow is looked at again, for
// as long as its slices would be: a host that stood still for a moment would make them long
// for good.
func (d *duel) warmUp() error {
	length := max(d.plan.WarmUp, d.slices.Length)
	for _, s := range d.sides {
		response, err := d.typical(s, length)
		if err != nil {
			return err
		}
		if again := d.lengthFor(response); again > d.slices.Length {
			second, err := d.typical(s, again)
			if err != nil {
				return err
			}
			if second > 0 {
				response = min(response, second)
			}
		}
		d.lengthen(d.lengthFor(response))
		s.forget()
	}
	return nil
}

// typical is the median response time of a target in a slice of that length; 0: nothing
// ended in it.
func (d *duel) typical(s *side, length time.Duration) (time.Duration, error) {
	slice, err := d.load(s, Slices{Length: length})
	if err != nil || slice.P50US == nil {
		return 0, err
	}
	return time.Duration(*slice.P50US * 1e3), nil
}

// lengthFor is how long slices have to be for such a response time.
func (d *duel) lengthFor(response time.Duration) time.Duration {
	return min(responsesInSlice*response, sliceMax, d.plan.Measure/(2*pairsLeast))
}

// responsesInSlice is how many a slot has to see in a slice: with fewer the beginning
// and the end, at which not all slots are busy, are too much of it.
const responsesInSlice = 20

// pairsLeast is how many pairs have to find room in the time of the plan, however slow the
// targets are: a few short slices tell more than one that is long enough.
const pairsLeast = 4

// lengthen makes slices longer, in the proportions of the plan.
func (d *duel) lengthen(least time.Duration) {
	if least > d.slices.Length {
		d.slices.Settle = time.Duration(float64(d.slices.Settle) / float64(d.slices.Length) * float64(least))
		d.slices.Length = least
	}
}

// announceAhead is how long before the first slice its beginning is announced: whoever
// reads it has to wake up and look at two servers.
const announceAhead = 20 * time.Millisecond

// begin announces the turns, where somebody wants to know, and waits for their beginning.
func (d *duel) begin(ctx context.Context, told func(Timeline)) {
	d.began = d.clock.Now()
	if told == nil {
		return
	}
	d.began = d.began.Add(announceAhead)
	to := d.began.Add(d.plan.Measure)
	told(Timeline{Start: d.sides[0].start, From: d.began, To: to, DrainTo: to.Add(d.plan.Drain)})
	timer := time.NewTimer(d.began.Sub(d.clock.Now()))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// takeTurns measures pair after pair.
func (d *duel) takeTurns(ctx context.Context, observer PairObserver) error {
	d.begin(ctx, observer.Timeline)
	until := d.began.Add(d.plan.Measure)
	bFirst := false
	for n := 0; d.clock.Now() < until; n++ {
		if n%2 == 0 {
			bFirst = d.coin.IntN(2) == 1
			if err := d.renew(bFirst); err != nil {
				return err
			}
		} else {
			bFirst = !bFirst
		}
		pair, whole, err := d.pair(ctx, bFirst)
		if err != nil || !whole {
			return err
		}
		d.pairs = append(d.pairs, pair)
		if observer.Pair != nil && observer.Pair(pair) {
			return nil
		}
	}
	return nil
}

// inOrder are the targets, the first of a pair first.
func inOrder(bFirst bool) [2]int {
	if bFirst {
		return [2]int{1, 0}
	}
	return [2]int{0, 1}
}

// pair measures one slice of each target. It is not whole when something ended it.
func (d *duel) pair(ctx context.Context, bFirst bool) (p Pair, whole bool, err error) {
	p.BFirst = bFirst
	for _, i := range inOrder(bFirst) {
		slice, err := d.load(d.sides[i], d.slices)
		if err != nil || ctx.Err() != nil {
			return p, false, err
		}
		if d.lost = d.losing(i, slice); d.lost != nil {
			return p, false, nil
		}
		if i == 0 {
			p.A = slice
		} else {
			p.B = slice
		}
	}
	p.EndS = d.clock.Now().Sub(d.began).Seconds()
	return p, true, nil
}

const (
	// renewShare of the time may go into new connections.
	renewShare = 0.1
	// renewLoad is how long new connections are loaded before anything is measured on them;
	// each is used once at least, however long that takes.
	renewLoad = 5 * time.Millisecond
)

// renew opens the connections of both anew, where the time for it is there. A connection
// for each request is new in any case.
func (d *duel) renew(bFirst bool) error {
	began := d.clock.Now()
	if d.slices.Keep || len(d.pairs) == 0 || d.plan.RequestsPerConn == 1 || float64(d.spent) > renewShare*float64(began.Sub(d.began)) {
		return nil
	}
	for _, i := range inOrder(bFirst) {
		s := d.sides[i]
		if d.slices.Freeze {
			s.thaw()
		}
		start := d.clock.Now().Add(sliceAhead)
		to := start.Add(renewLoad)
		err := s.put(Timeline{Start: start, From: to, To: to, DrainTo: to.Add(d.plan.Drain), renewed: true})
		if d.slices.Freeze {
			s.freeze()
		}
		if err != nil {
			return err
		}
		s.hold()
		for _, w := range s.group.workers {
			w.recorder.window.reset(0)
		}
		s.release()
	}
	d.spent += d.clock.Now().Sub(began)
	return nil
}

// silentMax is how many slices in a row a target that is there may answer nothing in, nor
// in their drains: the host may stand still. One that is slower than it was answers late.
const silentMax = 3

// losing tells that a target is gone, and why; nil: it is there, also where nothing
// ended in this slice.
func (d *duel) losing(i int, slice Slice) *Lost {
	s := d.sides[i]
	s.hold()
	defer s.release()
	if s.answered {
		s.silent = 0
		return nil
	}
	up := 0
	for _, w := range s.group.workers {
		up += w.up()
	}
	if s.silent++; s.silent < silentMax && slice.Errors == 0 && up > 0 {
		return nil
	}
	l := &Lost{Target: i, AtS: d.clock.Now().Sub(d.began).Seconds()}
	for _, w := range d.sides[i].group.workers {
		if why := reasonText(w.lastConnectError); why != "" {
			l.Why = why
		}
		for _, x := range w.recorder.firstErrors {
			if l.Why == "" && x.Outcome.IsError() {
				l.Why = errorText(&x, &w.plan.Targets[0])
			}
		}
	}
	if l.Why == "" {
		l.Why = fmt.Sprintf("it answered nothing in %d slices", s.silent)
	}
	return l
}

// sliceAhead is how long before a slice the workers are told of it: as long as it takes
// to wake a thread, also on a virtual machine.
const sliceAhead = 200 * time.Microsecond

// load loads one target for a slice and returns when nothing is out any more.
func (d *duel) load(s *side, slices Slices) (Slice, error) {
	if slices.Freeze {
		s.thaw()
		defer s.freeze()
	}
	s.hold()
	before := s.spending()
	s.release()
	start := d.clock.Now().Add(sliceAhead)
	t := Timeline{Start: start, From: start.Add(slices.Settle), To: start.Add(slices.Length)}
	t.DrainTo = t.To.Add(d.plan.Drain)
	if s.start == 0 {
		s.start = start
	}
	if err := s.put(t); err != nil {
		return Slice{}, err
	}
	s.hold()
	defer s.release()
	spent := s.spending().minus(before)
	s.spent = s.spent.plus(spent)
	t = s.group.workers[0].timeline // which may have been cut
	s.measured += t.To.Sub(t.From)
	slice, row := s.read(spent)
	row.StartS = t.From.Sub(d.began).Seconds()
	s.rows = append(s.rows, row)
	return slice, nil
}

// close lets go of everything.
func (d *duel) close() {
	for _, s := range d.sides {
		if s == nil || s.group == nil {
			continue
		}
		if d.plan.Slices.Freeze {
			s.thaw()
		}
		_ = s.group.end() // told before, if it matters
		s.stopUsage()
		closeAll(s.group.workers)
	}
}

// conclude sends the workers home and makes the results.
func (d *duel) conclude(ctx context.Context) (*Pairs, error) {
	p := &Pairs{Schema: PairsSchema, Pairs: append([]Pair{}, d.pairs...), Slices: d.slices, Elapsed: d.clock.Now().Sub(d.began), Lost: d.lost}
	var errs []error
	for _, s := range d.sides {
		errs = append(errs, s.group.end())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(d.pairs) == 0 && d.lost == nil {
		return nil, ErrInterrupted
	}
	host := d.host.stop()
	for i, s := range d.sides {
		r, err := s.result(ctx, host)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.A = r
		} else {
			p.B = r
		}
	}
	return p, nil
}
