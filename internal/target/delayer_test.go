package target

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// startDelayer starts one that ends with the test.
func startDelayer(t *testing.T) *delayer {
	t.Helper()
	d, err := newDelayer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// lateMost is how late a wake-up may be in the middle of many: several times what
// it is on a CPU that is free, and a fraction of the millisecond by which a timer
// of the runtime is late in a process that is idle, as this one is.
const lateMost = 200 * time.Microsecond

// checkLate wants no instant missed and the middle one in time. The others are the
// host's own.
func checkLate(t *testing.T, late []time.Duration) {
	t.Helper()
	slices.Sort(late)
	if late[0] < 0 {
		t.Errorf("woken %v too early", -late[0])
	}
	if middle := late[len(late)/2]; middle > lateMost {
		t.Errorf("the middle one of %d is %v late, want at most %v; the last %v", len(late), middle, lateMost, late[len(late)-1])
	}
}

// Delays that are no whole milliseconds, one after the other: while one is waited
// for, nothing else happens in this process.
func TestDelayerIsPrecise(t *testing.T) {
	d := startDelayer(t)
	var late []time.Duration
	for i := range 200 {
		at := d.clock.Now().Add(300*time.Microsecond + time.Duration(i)*7*time.Microsecond)
		if !d.wait(at, nil, nil) {
			t.Fatal("ended by nobody")
		}
		late = append(late, d.clock.Now().Sub(at))
	}
	checkLate(t, late)
}

// Many wait at the same time, and what comes in last is due first: each is woken
// at its own instant.
func TestDelayerWakesEachInItsTurn(t *testing.T) {
	d := startDelayer(t)
	const n = 100
	late := make([]time.Duration, n)
	start := d.clock.Now().Add(20 * time.Millisecond) // all are there before
	var all sync.WaitGroup
	for i := range n {
		at := start.Add(time.Duration(n-i) * 200 * time.Microsecond)
		all.Go(func() {
			d.wait(at, nil, nil)
			late[i] = d.clock.Now().Sub(at)
		})
	}
	all.Wait()
	checkLate(t, late)
}

// Who is gone is forgotten, and the others are woken as if it had never been
// there, whether it was the first or not.
func TestDelayerForgetsTheGone(t *testing.T) {
	d := startDelayer(t)
	gone := make(chan struct{})
	now := d.clock.Now()
	var all sync.WaitGroup
	for i := range 10 { // even ones would wait for an hour
		at, until := now.Add(30*time.Millisecond), chan struct{}(nil)
		if i%2 == 0 {
			at, until = now.Add(time.Hour), gone
		}
		all.Go(func() {
			if woken := d.wait(at, nil, until); woken != (i%2 == 1) {
				t.Errorf("%d: woken %v", i, woken)
			}
		})
	}
	close(gone)
	all.Wait()
	if d.mu.Lock(); len(d.waiting) != 0 {
		t.Errorf("%d are still waited for", len(d.waiting))
	}
	d.mu.Unlock()
	ending := make(chan struct{})
	close(ending)
	if d.wait(d.clock.Now().Add(time.Hour), ending, nil) {
		t.Error("woken an hour early")
	}
}

// A waiter is used again: a ring that came too late for its last user is not the
// next one's.
func TestDelayerRemovesALateRing(t *testing.T) {
	d := startDelayer(t)
	w := d.spare.New().(*waiter)
	d.add(w, 1) // long past
	for deadline := d.clock.Now().Add(5 * time.Second); len(w.woken) == 0; {
		if d.clock.Now() > deadline {
			t.Fatal("not woken")
		}
		time.Sleep(time.Millisecond) // what is polled for is the loop's turn
	}
	d.remove(w)
	if len(w.woken) != 0 || w.place != -1 {
		t.Errorf("%d rings left, place %d", len(w.woken), w.place)
	}
}

// Instants come out of the heap in order, also when some are taken from its middle.
func TestWaiters(t *testing.T) {
	d := &delayer{closed: true} // without an alarm: nothing is set
	ws := make([]*waiter, 100)
	for i := range ws {
		ws[i] = &waiter{woken: make(chan struct{}, 1)}
		d.add(ws[i], mono.Time(1+i*37%100)) // 37 and 100 have no common factor: 1 to 100, each once
	}
	for _, w := range ws[:50] {
		d.remove(w)
	}
	d.wake(60)
	for i, w := range ws {
		if want := i >= 50 && w.at <= 60; (len(w.woken) == 1) != want {
			t.Errorf("waiter %d, due at %d: woken %v at 60, want %v", i, w.at, len(w.woken) == 1, want)
		}
	}
	if first := d.waiting[0].at; first <= 60 {
		t.Errorf("the next is due at %d", first)
	}
}

// The whole way: what a client waits for is the delay and no millisecond more.
func TestDelayIsPrecise(t *testing.T) {
	target := start(t, Config{})
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	const delay = 2100 * time.Microsecond
	url := fmt.Sprintf("%s/delay/%v", target.url, delay)
	get(t, "GET", url, nil) // opens the connection
	var over []time.Duration
	for range 100 {
		before := clock.Now()
		resp, _ := get(t, "GET", url, nil)
		over = append(over, clock.Now().Sub(before)-delay)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
	}
	slices.Sort(over)
	// The way through two HTTP implementations beside it: some 200 us.
	if middle := over[len(over)/2]; over[0] < 0 || middle > lateMost+500*time.Microsecond {
		t.Errorf("over %v by %v to %v, in the middle %v", delay, over[0], over[len(over)-1], middle)
	}
}
