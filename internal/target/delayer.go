package target

import (
	"container/heap"
	"sync"

	"github.com/scalws/scalbench/internal/mono"
)

// delayer wakes requests at instants that they name: never before, and as late as
// the host takes to run two goroutines, which is some ten microseconds on a CPU
// that is free. While nobody waits, and until the first instant, it sleeps.
//
// Its waiters are any number of goroutines; loop is its own.
type delayer struct {
	clock mono.Clock
	alarm *alarm
	ended chan struct{} // closed when loop has returned
	spare sync.Pool     // of *waiter

	mu      sync.Mutex
	waiting waiters
	setTo   mono.Time // the alarm's instant, not after the first of waiting; 0: it is not set
	closed  bool      // the alarm's descriptor may be somebody else's
}

// waiter is one that waits. Its fields belong to the delayer's lock.
type waiter struct {
	at    mono.Time
	place int           // in waiters; -1: it is not there any more
	woken chan struct{} // of one, so that to wake never blocks
}

// newDelayer starts one, which close must end.
func newDelayer() (*delayer, error) {
	clock, err := mono.NewClock()
	if err != nil {
		return nil, err
	}
	alarm, err := newAlarm()
	if err != nil {
		return nil, err
	}
	d := &delayer{clock: clock, alarm: alarm, ended: make(chan struct{})}
	d.spare.New = func() any { return &waiter{woken: make(chan struct{}, 1)} }
	go d.loop()
	return d, nil
}

// wait returns true at an instant, and false when ending or gone is closed before;
// nil is never closed.
func (d *delayer) wait(at mono.Time, ending, gone <-chan struct{}) bool {
	w := d.spare.Get().(*waiter)
	d.add(w, at)
	defer d.remove(w)
	select {
	case <-w.woken:
		return true
	case <-ending:
	case <-gone:
	}
	return false
}

// add has a waiter woken at an instant.
func (d *delayer) add(w *waiter, at mono.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.at = at
	heap.Push(&d.waiting, w)
	if d.setTo == 0 || at < d.setTo {
		d.setAlarm()
	}
}

// setAlarm sets the alarm to the first instant that somebody waits for. It is
// moved forward by nobody but wake, which has heard it: so a ring that is
// forgotten in favour of an earlier instant is made up for at once.
func (d *delayer) setAlarm() {
	d.setTo = 0
	if len(d.waiting) > 0 && !d.closed {
		d.setTo = d.waiting[0].at
		d.alarm.set(d.setTo)
	}
}

// remove takes a waiter away that may have been woken in the meantime. The alarm
// stays: a ring for nobody costs less than to set it anew.
func (d *delayer) remove(w *waiter) {
	d.mu.Lock()
	if w.place >= 0 {
		heap.Remove(&d.waiting, w.place)
	}
	select {
	case <-w.woken:
	default:
	}
	d.mu.Unlock()
	d.spare.Put(w)
}

// loop wakes whose instant has come, until close.
func (d *delayer) loop() {
	defer close(d.ended)
	for d.alarm.sleep() == nil {
		d.wake(d.clock.Now())
	}
}

// wake wakes all whose instant has come by now, and sets the alarm to the next.
func (d *delayer) wake(now mono.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.waiting) > 0 && d.waiting[0].at <= now {
		w := heap.Pop(&d.waiting).(*waiter)
		w.woken <- struct{}{}
	}
	d.setAlarm()
}

// close ends the loop. Who still waits, or comes now, is woken by ending or gone
// alone.
func (d *delayer) close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	err := d.alarm.close()
	<-d.ended
	return err
}

// waiters is a heap (container/heap) with the earliest instant first.
type waiters []*waiter

func (ws waiters) Len() int           { return len(ws) }
func (ws waiters) Less(i, j int) bool { return ws[i].at < ws[j].at }

// Swap keeps the places of both.
func (ws waiters) Swap(i, j int) {
	ws[i], ws[j] = ws[j], ws[i]
	ws[i].place, ws[j].place = i, j
}

// Push appends a *waiter.
func (ws *waiters) Push(x any) {
	w := x.(*waiter)
	w.place = len(*ws)
	*ws = append(*ws, w)
}

// Pop takes the last one away.
func (ws *waiters) Pop() any {
	last := len(*ws) - 1
	w := (*ws)[last]
	w.place = -1
	(*ws)[last], *ws = nil, (*ws)[:last]
	return w
}
