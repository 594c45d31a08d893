package schedule

import (
	"math"
	"time"
)

// segment is one step of a rate in integers.
type segment struct {
	shape  shape
	start  time.Duration // since the start of the run
	length time.Duration
	before amount // offered by the segments before it
	end    amount // offered with it

	rate uint64 // when flat: quanta a nanosecond
	ramp ramp   // when rising or falling
}

// shape is how the rate goes.
type shape uint8

const (
	flat shape = iota
	rising
	falling
)

// newSegments turns the steps of a valid rate into segments. An open step, which
// is flat, lasts as long as a time.Duration can say: 292 years in all.
func newSegments(r Rate) []segment {
	segments := make([]segment, 0, len(r.Steps))
	var start time.Duration
	var before amount
	for _, s := range r.Steps {
		g := newSegment(s, start, before)
		start, before = start+g.length, g.end
		segments = append(segments, g)
	}
	return segments
}

// newSegment is one step with what is before it.
func newSegment(s Step, start time.Duration, before amount) segment {
	g := segment{start: start, length: s.Duration, before: before}
	if g.length == 0 {
		g.length = math.MaxInt64 - start
	}
	length := uint64(g.length)
	from, to := 2*millionths(s.From), 2*millionths(s.To)
	switch {
	case from < to:
		g.shape, g.ramp = rising, newRamp(from, to, length)
		g.end = before.plus(g.ramp.all())
	case from > to:
		g.shape, g.ramp = falling, newRamp(to, from, length)
		g.end = before.plus(g.ramp.all())
	default:
		g.rate = from
		g.end = before.plus(product(from, length))
	}
	return g
}

// timeOf returns the last nanosecond since the start of the run at which no
// more than x has been offered. x is at least before and less than end.
func (g *segment) timeOf(x amount) time.Duration {
	switch g.shape {
	case rising:
		return g.start + time.Duration(g.ramp.lastWithin(x.minus(g.before)))
	case falling:
		// The same, told from the end: what is still to come is no less than end - x.
		return g.start + g.length - time.Duration(g.ramp.firstReaching(g.end.minus(x)))
	}
	return g.start + time.Duration(x.minus(g.before).per(g.rate))
}
