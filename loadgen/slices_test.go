package loadgen

import (
	"testing"

	"github.com/scalws/scalbench/internal/mono"
)

// Whatever is down is opened for the next slice, also what backed off while nothing needed
// it: its time may have come then, and nobody would open it again.
func TestSliceOpensWhatIsDown(t *testing.T) {
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{clock: clock, conns: make([]conn, 4), timers: newTimers(4, 1), connectingNow: connectingMax} // they wait for a place
	for i, s := range []connState{open, absent, backingOff, leaving} {
		w.conns[i].state = s
	}
	w.beginSlice(false)
	for i, want := range []connState{open, queued, queued, leaving} {
		if got := w.conns[i].state; got != want {
			t.Errorf("connection %d: state %d, want %d", i, got, want)
		}
	}
	if len(w.connectQueue) != 2 {
		t.Errorf("%v wait for a place", w.connectQueue)
	}
}

// A slice's rate runs from one answer to another, around the part that counts, so that
// whole batches and silences at its edges are in it.
func TestSliceRate(t *testing.T) {
	const ms = mono.Time(1e6)
	line := Timeline{Start: 1000 * ms, From: 1010 * ms, To: 1050 * ms, DrainTo: 2050 * ms}
	every := func(step mono.Time, from, to mono.Time) (at []mono.Time) {
		for ; from <= to; from += step {
			at = append(at, from)
		}
		return at
	}
	for name, tt := range map[string]struct {
		at    []mono.Time
		ended mono.Time
		want  float64
	}{
		// From 1009 to 1051 there are 21 of them, in 42 ms.
		"one every 2 ms": {every(2*ms, 1001*ms, 1059*ms), 1060 * ms, 500},
		// Batches of 64 every 8 ms: after 1008 those of 1016 to 1056, 6 x 64 in 48 ms.
		"batches": {func() (at []mono.Time) {
			for _, when := range every(8*ms, 1000*ms, 1056*ms) {
				for range 64 {
					at = append(at, when)
				}
			}
			return at
		}(), 1057 * ms, 8000},
		// A silence from 1005 to 1030, over the first edge: 1030 to 1050, 11 in 45 ms.
		"silent at first": {append(every(ms, 1000*ms, 1005*ms), every(2*ms, 1030*ms, 1051*ms-1)...), 1052 * ms, 11 / 0.045},
		// A silence from 1020 to 1090, over the last edge: 1010 to 1020 and the first after, 12 in 81 ms.
		"silent in the end": {append(every(ms, 1000*ms, 1020*ms), every(ms, 1090*ms, 1095*ms)...), 1096 * ms, 12 / 0.081},
		// Nothing after the window's end, when nothing was out any more.
		"none after it": {every(ms, 1000*ms, 1049*ms), 1050 * ms, 40 / 0.041},
		// Given up 1 s later, with what never came.
		"given up":       {every(ms, 1000*ms, 1049*ms), 2050 * ms, 40 / 1.041},
		"none before it": {every(ms, 1012*ms, 1051*ms), 1052 * ms, 39 / 0.040}, // to 1050
		"none at all":    {nil, 2050 * ms, 0},
	} {
		var s sliceRate
		for _, at := range tt.at {
			s.done(at, line)
		}
		if got := s.perSecond(line, tt.ended); got < tt.want*0.999999 || got > tt.want*1.000001 {
			t.Errorf("%s: %v a second, want %v", name, got, tt.want)
		}
	}
}
