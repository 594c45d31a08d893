package schedule

import "math"

// ramp is a rate that changes in a straight line, seen from its low end. After
// t ns from there it has offered, in quanta,
//
//	low t + rise t^2 / length
//
// whether t runs forward in time (the rate grows) or backward (it falls).
// Solved for t that is a square root. Floating point finds t to within a few
// units in the last place, and integers of 192 bits decide which nanosecond it
// is: a floating-point result alone may be off by one where the root is whole, and
// is off by more in a long run (from 104 days, 2^53 ns, on it is no longer told
// to the nanosecond).
type ramp struct {
	low    amount // rate at the low end, quanta a nanosecond, times length
	rise   uint64 // half of what the rate gains over length, quanta a nanosecond; not 0
	length uint64 // ns
}

// newRamp makes a ramp between two rates in quanta a nanosecond, which differ
// by an even number.
func newRamp(low, high, length uint64) ramp {
	return ramp{low: product(low, length), rise: (high - low) / 2, length: length}
}

// all is what the whole ramp offers.
func (r *ramp) all() amount { return r.low.plus(product(r.rise, r.length)) }

// lastWithin returns the last t at which no more than x has been offered. x is
// less than all.
func (r *ramp) lastWithin(x amount) uint64 {
	t := r.near(x)
	for r.exceeds(t, x) { // never at t = 0, where nothing has been offered
		t--
	}
	for !r.exceeds(t+1, x) { // it does at t = length
		t++
	}
	return t
}

// firstReaching returns the first t at which x or more has been offered. x is
// at most all.
func (r *ramp) firstReaching(x amount) uint64 {
	t := r.near(x)
	for r.fallsShort(t, x) {
		t++
	}
	for t > 0 && !r.fallsShort(t-1, x) {
		t--
	}
	return t
}

// near returns t to within the precision of floating point. The root is
// written with its sum below the line: all its terms are positive, so that no
// digits cancel.
func (r *ramp) near(x amount) uint64 {
	if x == (amount{}) {
		return 0 // 0/0 where the low end is at rest
	}
	length := float64(r.length)
	low, offered := r.low.float()/length, x.float()
	t := 2 * offered / (low + math.Sqrt(low*low+4*float64(r.rise)/length*offered))
	return min(uint64(t), r.length)
}

// exceeds reports whether more than x has been offered at t.
func (r *ramp) exceeds(t uint64, x amount) bool {
	return x.times(r.length).less(r.offeredTimesLength(t))
}

// fallsShort reports whether less than x has been offered at t.
func (r *ramp) fallsShort(t uint64, x amount) bool {
	return r.offeredTimesLength(t).less(x.times(r.length))
}

// offeredTimesLength is what has been offered at t, times length, which makes
// it whole. With t and length below 2^63 it takes at most 177 bits.
func (r *ramp) offeredTimesLength(t uint64) wide {
	return r.low.plus(product(r.rise, t)).times(t)
}
