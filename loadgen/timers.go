package loadgen

import "github.com/scalws/scalbench/internal/mono"

// timers holds one due instant for each connection (zero: none) and says when
// the next may be due. All timeouts of a run are equal, so an instant that is
// set later is nearly always due later; the earliest one is therefore only
// searched for when the last search's answer has been reached, which in a
// healthy run is about once per timeout. A heap was rejected: it costs a
// reordering for every exchange.
type timers struct {
	due  []mono.Time
	next mono.Time // no instant of due is before it
	gap  mono.Time // least time between two searches, which bounds their cost
}

func newTimers(connections int, gap mono.Time) timers {
	return timers{due: make([]mono.Time, connections), next: never, gap: gap}
}

// set makes connection i due at an instant; zero takes its timer away.
func (t *timers) set(i int, at mono.Time) {
	t.due[i] = at
	if at != 0 && at < t.next {
		t.next = at
	}
}

// search is called when next has been reached. It appends the connections that
// are due by now to expired, takes their timers away, and finds the next
// instant anew. A connection is served at most gap late.
func (t *timers) search(now mono.Time, expired []int32) []int32 {
	next := never
	for i, at := range t.due {
		switch {
		case at == 0:
		case at <= now:
			t.due[i] = 0
			expired = append(expired, int32(i))
		case at < next:
			next = at
		}
	}
	if next != never {
		next = max(next, now+t.gap)
	}
	t.next = next
	return expired
}
