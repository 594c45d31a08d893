package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

const (
	// outMax is how many probes may be out at once. At ten a second and the
	// default timeout of 30 s a server that answers nothing has 300; the bound is
	// for higher rates and for no timeout at all, and half of the usual limit of
	// open files.
	outMax = 512

	// drainMax is how long probes may go on when the run is interrupted, as in a
	// load test: one that is out at that moment is mostly about to end well.
	drainMax = time.Second

	rowEvery = time.Second
)

// Observer is told what happens while it happens. All calls come from Run's own
// goroutine. Both may be nil.
type Observer struct {
	Probe func(*Probe) // one has ended or was missed; in the order in which they end
	Row   func(Row)    // once a second, unless there was nothing to tell
}

// ErrEnd is the cause with which to end the context of a run that has neither
// count nor duration: its Summary is then not interrupted, for this is how it was
// meant to end.
var ErrEnd = errors.New("the end of the probes")

// Run probes until the count or the duration of c is reached and every probe has
// ended, or ctx has; then those that are out have a second left. It returns an
// error only when it could not begin: what the server does is in the Summary.
func Run(ctx context.Context, c Config, o Observer) (*Summary, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	clock, err := mono.NewClock()
	if err != nil {
		return nil, err
	}
	prober, err := newProber(c, clock)
	if err != nil {
		return nil, err
	}
	defer prober.close()
	defer keepStamping().release()
	r := newRun(c, o, clock, prober)
	r.loop(ctx)
	return r.tally.summary(c, clock.Wall(r.schedule.start), clock.Now().Sub(r.schedule.start), r.interrupted), nil
}

// run is the state of Run's goroutine, which owns everything in it.
type run struct {
	observer    Observer
	clock       mono.Clock
	prober      *prober
	schedule    schedule
	next        int64               // the first probe that is not due yet
	out         map[int64]mono.Time // probes that are out, with when they were intended
	ended       chan *Probe
	tally       *tally
	rows        *rows
	unsent      int64 // the first of those missed since the last one ended; -1: none
	interrupted bool
}

func newRun(c Config, o Observer, clock mono.Clock, p *prober) *run {
	start := clock.Now()
	return &run{
		observer: o, clock: clock, prober: p, schedule: newSchedule(start, c),
		out: map[int64]mono.Time{}, ended: make(chan *Probe), tally: newTally(), rows: newRows(start), unsent: -1,
	}
}

// loop begins what is due and takes what has ended, until there is neither.
func (r *run) loop(ctx context.Context) {
	probing, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	due := time.NewTimer(0)
	defer due.Stop()
	row := time.NewTicker(rowEvery)
	defer row.Stop()
	interrupt := ctx.Done()
	var drained <-chan time.Time
	for r.next < r.schedule.count || len(r.out) > 0 {
		select {
		case <-due.C:
			r.beginDue(probing)
			if r.next < r.schedule.count {
				due.Reset(r.schedule.intended(r.next).Sub(r.clock.Now()))
			}
		case p := <-r.ended:
			r.settle(p)
		case <-row.C:
			r.tell()
		case <-interrupt:
			interrupt = nil
			r.interrupted = !errors.Is(context.Cause(ctx), ErrEnd)
			r.schedule.count = r.next
			drained = time.After(drainMax)
		case <-drained:
			end(errEnded)
		}
	}
}

// beginDue begins every probe whose time has come, or misses it.
func (r *run) beginDue(ctx context.Context) {
	for ; r.next < r.schedule.count; r.next++ {
		intended := r.schedule.intended(r.next)
		if intended > r.clock.Now() {
			return
		}
		p := &Probe{Seq: r.next, Intended: intended, At: r.clock.Wall(intended)}
		if len(r.out) >= outMax {
			r.miss(p)
			continue
		}
		r.out[p.Seq] = intended
		go r.probeLoop(ctx, p)
	}
}

// probeLoop is the goroutine of one probe.
func (r *run) probeLoop(ctx context.Context, p *Probe) {
	r.prober.probe(ctx, p)
	r.ended <- p
}

// miss is for a probe that is due while too many are out. It is not sent later:
// a server that comes back would get all of them at once.
func (r *run) miss(p *Probe) {
	p.Outcome, p.Done = Missed, p.Intended
	p.Error = fmt.Sprintf("%d probes were out already", outMax)
	if r.unsent < 0 {
		r.unsent = p.Seq
	}
	r.count(p)
}

// settle takes a probe that has ended. Those that were missed for want of its
// place have waited until now, and response time has them at that age.
func (r *run) settle(p *Probe) {
	delete(r.out, p.Seq)
	if r.unsent >= 0 {
		now := r.clock.Now()
		for ; r.unsent < r.next; r.unsent++ {
			r.tally.recordMissed(now.Sub(r.schedule.intended(r.unsent)))
		}
		r.unsent = -1
	}
	r.count(p)
}

func (r *run) count(p *Probe) {
	r.tally.record(p)
	r.rows.record(p)
	if r.observer.Probe != nil {
		r.observer.Probe(p)
	}
}

// tell hands out the row of the second that is over.
func (r *run) tell() {
	oldest := mono.Time(0)
	for _, intended := range r.out {
		if oldest == 0 || intended < oldest {
			oldest = intended
		}
	}
	row := r.rows.take(r.clock.Now(), len(r.out), oldest)
	if r.observer.Row != nil && (row.Ended() > 0 || row.Out > 0) {
		r.observer.Row(row)
	}
}
