package loadgen

import "time"

// rest is how a worker decides to stay away from its sockets for a moment
// instead of sleeping until the next response comes.
//
// On the server's host each wake-up of a sleeping worker is paid for by the
// server, inside its send: an interrupt to another CPU, which on virtual machines
// leaves the guest. A generator that is faster than its server sleeps after every
// response, and so the cheaper it is, the more it disturbs what it measures:
// nginx with ten streams a connection answered 93 000 requests a second to a
// worker that slept and was woken, and 153 000 to one that rested. Network cards
// moderate their interrupts for the same reason.
//
// While a server is saturated, a response that is found later has only waited on
// this side instead of in the server's queue. Where it is not, resting would show
// in the latency: so a worker rests only where responses come so densely that a
// rest gathers several, never for more than a tenth of a service time, and for
// more than 50 us only while that is less than a fiftieth of one.
type rest struct {
	max      time.Duration // 0: never
	slots    time.Duration // exchanges that are out at a time, in a closed loop
	service  time.Duration // moving average of what ended ok
	duration time.Duration // of the next rest
	longest  time.Duration // there was
}

const (
	// restMaxDefault is as long as a server that has some hundred requests to
	// answer takes to notice that nobody asks.
	restMaxDefault = 500 * time.Microsecond
	// restFree is about what network cards wait for more to come.
	restFree = 50 * time.Microsecond
	// restMin is the shortest rest that saves more than its timer costs.
	restMin = 25 * time.Microsecond
	// restShare is the part of a service time that a rest may last.
	restShare = 10
	// restShareLong is the part that one longer than restFree may last.
	restShareLong = 50
	// restGathers is how many responses have to be expected in a rest.
	restGathers = 3
)

// served takes a service time and decides on the next rest.
func (r *rest) served(service time.Duration) {
	if r.max == 0 {
		return
	}
	r.service += (service - r.service) / 64
	r.duration = min(r.max, r.service/restShare, max(restFree, r.service/restShareLong))
	// By Little's law slots / service responses come a second.
	if r.duration < restMin || r.duration*r.slots < restGathers*r.service {
		r.duration = 0
	}
	r.longest = max(r.longest, r.duration)
}
