package loadgen

import (
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// A worker sleeps until shortly before its next request, stays awake for the last
// stretch, and has nothing to wake for where none is due or what is due has no room.
func TestWakeFor(t *testing.T) {
	const (
		now    = mono.Time(time.Second)
		us     = mono.Time(time.Microsecond)
		until  = now + 10_000*us // something else is due then
		pumped = now - 20*us     // what was due then has begun, or has found no room
	)
	for name, tt := range map[string]struct {
		next  mono.Time
		until mono.Time
		want  mono.Time
		spins bool
	}{
		"the schedule is over":         {never, until, until, false},
		"next is after something else": {until + 1, until, until, false},
		"next is with something else":  {until, until, until - 60*us, false}, // 60 us earlier: spinMax
		"far away":                     {now + 1000*us, until, now + 940*us, false},
		"a moment before the spin":     {now + 60*us + 1, until, now + 1, false},
		"where the spin begins":        {now + 60*us, until, now, true},
		"in a moment":                  {now + 1, until, now, true},
		"something else in the spin":   {now + 30*us, now + 20*us, now + 20*us, false},
		"due since the last look":      {now - 1, until, now, true}, // there may be room
		"due at the last look":         {pumped, until, until, false},
		"backlog":                      {pumped - 5000*us, until, until, false}, // it waits for room, which an answer makes
	} {
		o := &openLoop{next: tt.next, pumped: pumped}
		if got, spins := o.wakeFor(now, tt.until); got != tt.want || spins != tt.spins {
			t.Errorf("%s: sleeps for %v, spins %v, want %v, %v", name, got.Sub(now), spins, tt.want.Sub(now), tt.spins)
		}
	}
	if got, spins := (*openLoop)(nil).wakeFor(now, until); got != until || spins {
		t.Errorf("a closed loop: sleeps for %v, spins %v, want %v", got.Sub(now), spins, until.Sub(now))
	}
}

// A sleep is too long when a request is due in it, or so soon after it that the
// worker has to be awake. For what found no room it cannot be too long.
func TestSleepsOverItsNextRequest(t *testing.T) {
	const pumped, until = mono.Time(1_000_000), mono.Time(2_000_000)
	for name, tt := range map[string]struct {
		next mono.Time
		want bool
	}{
		"due in it":                 {1_500_000, true},
		"just within the spin":      {until + 59_999, true},  // 60 us: spinMax
		"awake soon enough":         {until + 60_000, false}, // it wakes where the spin begins
		"due since the last look":   {pumped + 1, true},
		"no room at the last look":  {pumped, false},
		"the schedule is over":      {never, false},
		"backlog, without any room": {1000, false},
	} {
		o := &openLoop{next: tt.next, pumped: pumped}
		if got := o.before(until); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if (*openLoop)(nil).before(until) {
		t.Error("a closed loop has a next request")
	}
}

// Only what is due and part of the run is a backlog.
func TestBacklog(t *testing.T) {
	for name, tt := range map[string]struct {
		next  mono.Time
		quota int64
		want  bool
	}{
		"not due yet":                    {1501, -1, false},
		"due now":                        {1500, -1, true},
		"due since the warm-up":          {900, -1, true},
		"after the window":               {2000, -1, false}, // the first instant that is not in it
		"of the window, all have begun":  {1400, 0, false},
		"of the warm-up, all have begun": {900, 0, true}, // which -n does not count
		"no more":                        {never, -1, false},
	} {
		w := &worker{open: &openLoop{next: tt.next}, quota: tt.quota, timeline: Timeline{Start: 500, From: 1000, To: 2000, DrainTo: 3000}}
		now := mono.Time(1500)
		if tt.next == 2000 {
			now = 2500
		}
		if got := w.backlog(now); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if (&worker{}).backlog(1500) {
		t.Error("a closed loop has a backlog")
	}
}
