package loadgen

import (
	"sync"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// bellPatience is how long a sleep may last that should have been ended. Closing
// the bell ends it then, and the test fails instead of hanging.
const bellPatience = 10 * time.Second

// alarm is a bell whose sleeps all end.
type alarm struct {
	*bell
	t     *testing.T
	clock mono.Clock
}

func newAlarm(t *testing.T) alarm {
	t.Helper()
	b, err := newBell()
	if err != nil {
		t.Fatal(err)
	}
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return alarm{b, t, clock}
}

// sleeps waits for the bell and returns when its sleep was over.
func (a alarm) sleeps() mono.Time {
	a.t.Helper()
	lost := time.AfterFunc(bellPatience, a.close)
	a.sleep()
	if !lost.Stop() {
		a.t.Fatalf("slept for %v: the bell was not heard", bellPatience)
	}
	return a.clock.Now()
}

// farAhead is an instant that no test lives to see.
func (a alarm) farAhead() mono.Time { return a.clock.Now().Add(time.Hour) }

// A sleep ends at its instant and not before; one that has passed is no sleep.
func TestBellAtAnInstant(t *testing.T) {
	a := newAlarm(t)
	for _, ahead := range []time.Duration{5 * time.Millisecond, 300 * time.Microsecond, 0, -time.Second} {
		until := a.clock.Now().Add(ahead)
		a.set(until)
		if a.until != until {
			t.Errorf("%v ahead: until %d, want %d", ahead, a.until, until)
		}
		if woke := a.sleeps(); woke < until {
			t.Errorf("%v ahead: woke %v too early", ahead, until.Sub(woke))
		}
	}
	a.set(0) // to a timerfd 0 is no instant
	a.sleeps()
}

// A ring before the sleep is as good as one in it, and several are one.
func TestBellRungBeforeTheSleep(t *testing.T) {
	a := newAlarm(t)
	a.set(a.farAhead())
	a.ring()
	a.ring()
	a.sleeps()
	until := a.clock.Now().Add(2 * time.Millisecond)
	a.set(until)
	if woke := a.sleeps(); woke < until {
		t.Errorf("woke %v too early: an old ring was heard", until.Sub(woke))
	}
}

// A ring that nobody slept through does not end the sleep that is set after it: its
// owner has looked since.
func TestBellForgetsWhatWasBeforeItWasSet(t *testing.T) {
	a := newAlarm(t)
	a.ring()
	until := a.clock.Now().Add(2 * time.Millisecond)
	a.set(until)
	if woke := a.sleeps(); woke < until {
		t.Errorf("woke %v too early", until.Sub(woke))
	}
}

// No ring is lost, wherever it falls between set and sleep. As in a worker, both
// sides hold a lock but for the sleep, and whoever finds the owner about to sleep
// rings, once. The sleeps are an hour long.
func TestNoRingIsLost(t *testing.T) {
	const sleeps = 2000
	a := newAlarm(t)
	var mu sync.Mutex
	rung := 0
	something := make(chan struct{}, 4) // has ended, which is told twice for each sleep, so that some are told too late
	var ringers sync.WaitGroup
	for range 2 {
		ringers.Go(func() {
			for range something {
				mu.Lock()
				if a.until != 0 {
					a.until = 0
					a.ring()
					rung++
				}
				mu.Unlock()
			}
		})
	}
	for range sleeps {
		mu.Lock()
		a.set(a.farAhead())
		mu.Unlock()
		something <- struct{}{}
		something <- struct{}{}
		a.sleeps()
	}
	close(something)
	ringers.Wait()
	if rung != sleeps {
		t.Errorf("%d rings for %d sleeps", rung, sleeps)
	}
}

// A worker is woken when there is something to do for it before it would wake, and
// once.
func TestWorkerRings(t *testing.T) {
	const until = mono.Time(1000)
	for name, tt := range map[string]struct {
		w    worker
		want bool
	}{
		"nothing to do":             {worker{quota: -1, outstanding: 3, timers: timers{next: never}}, false},
		"a timer after it wakes":    {worker{quota: -1, outstanding: 3, timers: timers{next: 1001}}, false},
		"a timer when it wakes":     {worker{quota: -1, outstanding: 3, timers: timers{next: 1000}}, false},
		"a timer before it wakes":   {worker{quota: -1, outstanding: 3, timers: timers{next: 999}}, true},
		"a connection is wanted":    {worker{quota: -1, outstanding: 3, timers: timers{next: never}, connectQueue: []int32{2}}, true},
		"a request before it wakes": {worker{quota: -1, outstanding: 3, timers: timers{next: never}, open: &openLoop{next: 900, pumped: 100}}, true},
		"one that waits for room":   {worker{quota: -1, outstanding: 3, timers: timers{next: never}, open: &openLoop{next: 900, pumped: 950}}, false},
		"the last one has ended":    {worker{quota: 0, outstanding: 0, timers: timers{next: never}}, true},
		"all have begun, some out":  {worker{quota: 0, outstanding: 1, timers: timers{next: never}}, false},
		"none out, more to come":    {worker{quota: 5, outstanding: 0, timers: timers{next: never}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAlarm(t)
			tt.w.bell = a.bell
			instant := a.farAhead()
			if !tt.want {
				instant = a.clock.Now().Add(2 * time.Millisecond)
			}
			a.set(instant)
			a.until = until // what ring compares with
			tt.w.ring()
			if rang := a.until == 0; rang != tt.want {
				t.Errorf("rings %v, want %v", rang, tt.want)
			}
			if woke := a.sleeps(); !tt.want && woke < instant {
				t.Errorf("woken %v before its instant", instant.Sub(woke))
			}
		})
	}
}

// One that is awake looks by itself, and a ring would cost a system call.
func TestWorkerDoesNotRingForOneThatIsAwake(t *testing.T) {
	a := newAlarm(t)
	w := worker{quota: 0, timers: timers{next: 1}, connectQueue: []int32{0}, bell: a.bell}
	instant := a.clock.Now().Add(2 * time.Millisecond)
	a.set(instant)
	a.until = 0
	w.ring()
	if woke := a.sleeps(); woke < instant {
		t.Errorf("rung: woken %v before the instant", instant.Sub(woke))
	}
}
