package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
)

// Slice is what one target did in one slice. What is not known is nil.
type Slice struct {
	OK     uint64 `json:"ok"`     // ended ok in the part that is counted
	Errors uint64 `json:"errors"` // ended otherwise in it
	// RPS is how many ended ok in a second, from the first that did to the last.
	RPS   float64  `json:"rps"`
	P50US *float64 `json:"p50_us,omitempty"` // response time
	P99US *float64 `json:"p99_us,omitempty"`
	// CPUPerRequestUS is the server's CPU time for each request, over the whole slice with
	// its beginning and its drain: for all that it did for them.
	CPUPerRequestUS *float64 `json:"cpu_us_per_request,omitempty"`
}

// Pair is one slice of each target, one directly after the other. Pairs come in twos,
// of which the second has the other order (ABBA), so that a drift cancels; a coin
// decides which of both orders comes first.
type Pair struct {
	A      Slice   `json:"a"`
	B      Slice   `json:"b"`
	BFirst bool    `json:"b_first,omitempty"`
	EndS   float64 `json:"end_s"` // when it ended, since the first slice began
}

// Lost says which target answered nothing any more, and since when.
type Lost struct {
	Target int     `json:"target"` // index of Plan.Targets
	AtS    float64 `json:"at_s"`   // since the first slice began
	Why    string  `json:"why"`
}

// Pairs is what came of two targets that took turns.
type Pairs struct {
	A, B    *Result
	Pairs   []Pair
	Slices  Slices        // as they were: they are longer than the plan's for slow servers
	Elapsed time.Duration // from the first slice to the end of the last
	Lost    *Lost         // nil: both answered to the end
}

// PairObserver is told how RunPairs goes. Fields may be nil.
type PairObserver struct {
	Warned  func(Warning)
	Placed  func(cpus cpuset.Set) // the workers' CPUs are chosen; no thread is pinned yet
	Started func(addressA, addressB string, workers int)
	// Pair is told of each pair, while neither target is loaded, and says whether to
	// stop.
	Pair func(Pair) (enough bool)
}

// RunPairs loads two targets in turns, with connections to both that stay: no request
// is out at one while the other is measured. It ends when the observer has enough, when
// the plan's Measure is over, when a target is lost, or when ctx is cancelled; a pair
// that was cut by that is in the results and in no pair. Errors are those of Run.
func RunPairs(ctx context.Context, plan Plan, observer PairObserver) (*Pairs, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	if !plan.Slices.On() {
		return nil, faultf("slices: want a length")
	}
	clock, err := mono.NewClock()
	if err != nil {
		return nil, err
	}
	d, err := newDuel(ctx, plan, clock)
	if err != nil {
		return nil, err
	}
	defer d.close()
	if observer.Placed != nil && !d.sides[0].plan.NoPin {
		observer.Placed(d.sides[0].plan.CPUs)
	}
	for _, s := range d.sides {
		for _, w := range s.placement.warnings {
			if observer.Warned != nil {
				observer.Warned(w)
			}
		}
		if err := s.open(ctx); err != nil {
			return nil, err
		}
		defer s.group.workers[0].control.stopOnCancel(ctx, clock)()
	}
	if observer.Started != nil {
		observer.Started(d.sides[0].server.address.String(), d.sides[1].server.address.String(), len(d.sides[0].group.workers))
	}
	if err := d.warmUp(); err != nil {
		return nil, err
	}
	if err := d.takeTurns(ctx, observer.Pair); err != nil {
		return nil, err
	}
	return d.conclude(ctx)
}

// duel is two targets that take turns. One goroutine owns it, and the workers while
// they do not measure.
type duel struct {
	plan   Plan
	clock  mono.Clock
	sides  [2]*side
	coin   *rand.Rand
	host   hostWatch
	began  mono.Time // of the first slice
	pairs  []Pair
	slices Slices
	lost   *Lost
}

// side is one target with the workers that load it.
type side struct {
	plan      Plan
	server    server
	placement placement
	group     *group
	clock     mono.Clock
	began     mono.Time

	usage    *usageWatch
	pids     []int // of the server; none: it is not known
	rows     []Window
	measured time.Duration // what was counted of all slices
	spent    spending      // of all slices, what is not counted of them too
	silent   int           // slices in a row in which nothing ended ok
}

// spending is what slices cost.
type spending struct {
	wall     time.Duration
	own      time.Duration // CPU time of this process
	server   time.Duration // of the server's
	requests uint64
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

// open brings the connections of a side up.
func (s *side) open(ctx context.Context) error {
	s.group = launch(s.group.workers)
	if err := s.group.meet(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.server.address, err)
	}
	s.hold()
	for _, w := range s.group.workers {
		w.recorder.window = newSliceWindow()
	}
	s.release()
	if len(s.server.processes.roots) > 0 {
		s.pids, _ = s.server.processes.list() // unknown is none
	}
	s.usage = watchUsage(ctx, s.server.processes, Timeline{From: s.clock.Now(), To: never}, s.clock)
	return nil
}

// warmUp loads each target for as long as the plan says, and finds out how long slices
// have to be so that requests end in them.
func (d *duel) warmUp() error {
	length := max(d.plan.WarmUp, d.slices.Length)
	for _, s := range d.sides {
		slice, err := d.load(s, Slices{Length: length})
		if err != nil {
			return err
		}
		if slice.P50US != nil {
			response := time.Duration(*slice.P50US * 1e3)
			d.lengthen(responsesInSlice * response)
		}
		s.forget()
	}
	return nil
}

// responsesInSlice is how many a slot has to see in a slice: with fewer the beginning
// and the end, at which not all slots are busy, are too much of it.
const responsesInSlice = 20

// lengthen makes slices longer, in the proportions of the plan.
func (d *duel) lengthen(least time.Duration) {
	if least = min(least, sliceMax); least > d.slices.Length {
		d.slices.Settle = time.Duration(float64(d.slices.Settle) / float64(d.slices.Length) * float64(least))
		d.slices.Length = least
	}
}

// takeTurns measures pair after pair.
func (d *duel) takeTurns(ctx context.Context, told func(Pair) bool) error {
	d.began = d.clock.Now()
	until := d.began.Add(d.plan.Measure)
	bFirst := false
	for n := 0; d.clock.Now() < until; n++ {
		if n%2 == 0 {
			bFirst = d.coin.IntN(2) == 1
		} else {
			bFirst = !bFirst
		}
		pair, whole, err := d.pair(ctx, bFirst)
		if err != nil || !whole {
			return err
		}
		d.pairs = append(d.pairs, pair)
		if told != nil && told(pair) {
			return nil
		}
	}
	return nil
}

// pair measures one slice of each target. It is not whole when something ended it.
func (d *duel) pair(ctx context.Context, bFirst bool) (p Pair, whole bool, err error) {
	order := [2]int{0, 1}
	if bFirst {
		order = [2]int{1, 0}
	}
	p.BFirst = bFirst
	for _, i := range order {
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

// silentMax is how many slices in a row a target that is there may answer nothing in: it
// may be slower than it was, or the host stand still.
const silentMax = 3

// losing tells that a target is gone, and why; nil: it is there, also where nothing
// ended in this slice.
func (d *duel) losing(i int, slice Slice) *Lost {
	s := d.sides[i]
	s.hold()
	defer s.release()
	if slice.OK > 0 {
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
	s.group.start(t)
	for _, w := range s.group.workers {
		if _, ok := <-w.ended; !ok {
			return Slice{}, s.group.end()
		}
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

// hold keeps the goroutines that work for a side on HTTP/3 out of its workers, which
// belong to whoever holds their lock, while they are looked at.
func (s *side) hold() {
	for _, w := range s.group.workers {
		if w.quic != nil {
			w.quic.Lock()
		}
	}
}

func (s *side) release() {
	for _, w := range s.group.workers {
		if w.quic != nil {
			w.quic.Unlock()
		}
	}
}

// end sends the workers home and returns why one of them has failed.
func (g *group) end() error {
	g.sendHome()
	return g.wait()
}

// read takes what the workers of a side saw in the slice that has ended.
func (s *side) read(spent spending) (Slice, Window) {
	var slice Slice
	merged := s.group.workers[0].recorder.window
	for i, w := range s.group.workers {
		slice.RPS += w.recorder.window.rate(w.timeline.To.Sub(w.timeline.From))
		if i > 0 {
			merged.merge(w.recorder.window)
		}
	}
	slice.OK, slice.Errors = merged.ok, merged.errors
	row := merged.public(0)
	slice.P50US, slice.P99US = row.P50US, row.P99US
	if len(s.pids) > 0 && spent.server > 0 && spent.requests > 0 {
		slice.CPUPerRequestUS = perRequestUS(spent.server.Seconds(), spent.requests)
	}
	for _, w := range s.group.workers {
		w.recorder.window.reset(0)
	}
	return slice, row
}

// spending reads what has been spent so far. Nobody is at work.
func (s *side) spending() spending {
	var now spending
	now.wall = time.Duration(s.clock.Now())
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		now.own = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	for _, pid := range s.pids {
		used, err := s.server.processes.fs.CPUTime(pid)
		if err != nil { // it has ended, and took what it used with it
			s.pids = nil
			break
		}
		now.server += used
	}
	for _, w := range s.group.workers {
		now.requests += w.recorder.sentInAllPhases
	}
	return now
}

func (s spending) minus(o spending) spending {
	return spending{s.wall - o.wall, s.own - o.own, s.server - o.server, s.requests - o.requests}
}

func (s spending) plus(o spending) spending {
	return spending{s.wall + o.wall, s.own + o.own, s.server + o.server, s.requests + o.requests}
}

// forget lets what was measured until now not count.
func (s *side) forget() {
	s.hold()
	defer s.release()
	s.rows, s.measured, s.spent = nil, 0, spending{}
	for _, w := range s.group.workers {
		feed, window := w.recorder.feed, w.recorder.window
		opened, sent := w.recorder.connectionsOpened, w.recorder.sentInAllPhases
		connect, tls, quic := w.recorder.connect, w.recorder.tls, w.recorder.quic
		*w.recorder = *newRecorder(feed)
		w.recorder.window, w.recorder.connectionsOpened, w.recorder.sentInAllPhases = window, opened, sent
		w.recorder.connect, w.recorder.tls, w.recorder.quic = connect, tls, quic
		w.spent, w.edges, w.lateFrom, w.longestStill, w.longestTurn = threadUse{}, edges{}, 0, 0, 0
		for i := range w.conns {
			w.conns[i].served = 0
		}
	}
}

// freeze stops the processes of a side's server, and thaw lets them go on. A process
// that may not be stopped goes on.
func (s *side) freeze() { s.signal(syscall.SIGSTOP) }
func (s *side) thaw()   { s.signal(syscall.SIGCONT) }

func (s *side) signal(sig syscall.Signal) {
	for _, pid := range s.pids {
		_ = syscall.Kill(pid, sig)
	}
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
		closeAll(s.group.workers)
	}
}

// conclude sends the workers home and makes the results.
func (d *duel) conclude(ctx context.Context) (*Pairs, error) {
	p := &Pairs{Pairs: d.pairs, Slices: d.slices, Elapsed: d.clock.Now().Sub(d.began), Lost: d.lost}
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

// result is what was measured of one target in all slices.
func (s *side) result(ctx context.Context, host hostEvents) (*Result, error) {
	f := finished{
		plan: s.plan, server: s.server, placement: s.placement, workers: s.group.workers, clock: s.clock, began: s.began,
		series: s.rows, usage: s.usage.stop(), host: host, interrupted: ctx.Err() != nil, sliced: true, slices: s.measured,
	}
	r, err := conclude(f)
	if err != nil {
		return nil, err
	}
	// What the process and the server used between the slices is the other target's.
	wall := s.spent.wall.Seconds()
	r.Generator.CPUPerRequestUS = perRequestUS(s.spent.own.Seconds(), s.spent.requests)
	if wall > 0 {
		r.Generator.CPUS = s.spent.own.Seconds() / wall * r.MeasuredS
		r.Generator.Busy = ptr(s.spent.own.Seconds() / wall / float64(len(s.group.workers)))
	}
	if r.Server != nil && wall > 0 {
		r.Server.CPUPerRequestUS = perRequestUS(s.spent.server.Seconds(), s.spent.requests)
		r.Server.CoresUsed = s.spent.server.Seconds() / wall
		r.Server.Busy = r.Server.CoresUsed / float64(max(r.Server.CoresAllowed, 1))
		r.Server.CPUsBusy = nil // of both
	}
	return r, nil
}
