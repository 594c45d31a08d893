package loadgen

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// Slices has two targets take turns, for tens of milliseconds each, so that whatever
// disturbs the host disturbs both. The zero value is a run of one target.
type Slices struct {
	Length time.Duration `json:"length_ns"` // of a slice; 0: there are none
	Settle time.Duration `json:"settle_ns"` // its beginning, which is not counted
	// Keep has connections stay for the whole run. Without it those of both targets are
	// opened anew between units of two pairs, for at most a tenth of the time: where the
	// memory of a connection lies, in the server and in the kernel, makes a set of them
	// faster or slower than another by a percent, which would be taken for a difference
	// of the servers.
	Keep bool `json:"keep,omitempty"`
	// Freeze stops the target that is not loaded (SIGSTOP), where it is on this host
	// and ours to stop, so that what it does in the background is not in the other's
	// slices.
	Freeze bool `json:"freeze,omitempty"`
}

const (
	// SliceDefault is long against what a server needs to get up to its rate, and short
	// against most of what disturbs a host.
	SliceDefault = 50 * time.Millisecond
	// SettleShare of a slice is not counted, unless something else is said.
	SettleShare = 0.2

	sliceMin = time.Millisecond
	sliceMax = 10 * time.Second
)

// SlicesOf are slices of a length with the usual part left out.
func SlicesOf(length time.Duration) Slices {
	return Slices{Length: length, Settle: time.Duration(SettleShare * float64(length))}
}

// On reports whether there are any.
func (s Slices) On() bool { return s.Length != 0 }

// validateSlices returns the faults of what is about the number of targets.
func (p Plan) validateSlices() []error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, faultf(format, args...))
		}
	}
	if !p.Slices.On() {
		check(len(p.Targets) == 1, "targets: %d given, want exactly 1", len(p.Targets))
		check(p.Slices == (Slices{}), "slices: they have no length")
		return faults
	}
	s := p.Slices
	check(len(p.Targets) == 2, "targets: %d given, want the 2 that take turns", len(p.Targets))
	check(s.Length >= sliceMin && s.Length <= sliceMax, "slice: %v, want %v to %v", s.Length, sliceMin, sliceMax)
	check(s.Settle >= 0 && s.Settle < max(s.Length, 1), "slice: %v are not counted of %v", s.Settle, s.Length)
	check(!p.IsOpen(), "slices: a rate is not offered in slices, want a closed loop")
	check(p.Requests == 0, "slices: they last for a time, not for %d requests", p.Requests)
	check(!p.TLS.ZeroRTT, "slices: connections are kept, which 0-RTT is not about")
	return faults
}

// sliceRate is how fast one worker's exchanges ended ok in a slice. It is counted from one
// answer to another: over the length of a slice whole batches would count or not, since
// a server with 64 requests in hand answers them in one go. And it is counted from the last
// answer before the part that counts to the first one after it, so that a silence at
// either edge is in it: from the first answer inside to the last, a server that stops now
// and then would seem to answer all along.
type sliceRate struct {
	before  mono.Time // when the last ended before the window; 0: none did
	after   mono.Time // when the first ended at its end or later; 0: none did
	counted uint64    // how many ended in between, those at after among them
}

// done takes when one ended.
func (s *sliceRate) done(at mono.Time, t Timeline) {
	switch {
	case at < t.From:
		s.before = max(s.before, at)
	case s.after == 0 && at >= t.To:
		s.after = at
		s.counted++
	case s.after == 0 || at <= s.after:
		s.counted++
	}
}

// any tells whether any ended, in whichever part of the slice.
func (s *sliceRate) any() bool { return s.before != 0 || s.after != 0 || s.counted > 0 }

// perSecond is the rate. ended is when nothing was out any more, or was given up.
func (s *sliceRate) perSecond(t Timeline, ended mono.Time) float64 {
	from, to := t.From, s.after
	if s.before != 0 {
		from = s.before
	}
	if to == 0 {
		to = max(ended, t.To)
	}
	return perSecond(s.counted, to.Sub(from).Seconds())
}

// beginSlice makes a worker as it was before its first window, but for what it has
// counted and for its connections, unless these are renewed. Those that are down come up
// again in the part that is not counted.
func (w *worker) beginSlice(renewed bool) {
	if w.edges.from.at != 0 {
		w.lateFrom = max(w.lateFrom, w.edges.from.at-w.timeline.From)
	}
	w.spent, w.edges = w.used(), edges{}
	w.measuring, w.ending = false, false
	now := w.clock.Now()
	w.lastDone, w.lastTurn, w.lastOut = now, now, now
	for i := range w.conns {
		if renewed && w.conns[i].state == open {
			w.letGo(int32(i), now, true) // with a reset: hundreds a second would wait in TIME_WAIT
		}
		// One that backs off may have come to its time while nothing needed it.
		if s := w.conns[i].state; s == absent || s == backingOff {
			w.want(int32(i), now)
		}
	}
	w.connectQueued(now)
}
