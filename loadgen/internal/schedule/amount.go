package schedule

import "math/bits"

// amount is an amount of offered load: a whole number of quanta, in 128 bits.
//
// A quantum is half of what a millionth of a request a second offers in one
// nanosecond, 5e-16 requests. Half, because a ramp offers its length times the
// mean of two rates, which then is whole too. At a rate of R millionths a
// second 2R quanta are offered each nanosecond. The largest rate for the longest
// time is 2e15 x 2^63 < 2^114.
type amount struct{ hi, lo uint64 }

// quantaPerRequest is one request: 1 / 5e-16.
const quantaPerRequest = 2_000_000_000_000_000

// product is a times b.
func product(a, b uint64) amount {
	hi, lo := bits.Mul64(a, b)
	return amount{hi, lo}
}

func (a amount) plus(b amount) amount {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return amount{hi, lo}
}

// minus is a - b, for b that is not more.
func (a amount) minus(b amount) amount {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return amount{hi, lo}
}

// less reports whether a < b.
func (a amount) less(b amount) bool {
	_, borrow := bits.Sub64(a.lo, b.lo, 0)
	_, borrow = bits.Sub64(a.hi, b.hi, borrow)
	return borrow != 0
}

// per is a / b rounded down, for a quotient below 2^64.
func (a amount) per(b uint64) uint64 {
	quotient, _ := bits.Div64(a.hi, a.lo, b)
	return quotient
}

// float is a to 53 bits.
func (a amount) float() float64 { return float64(a.hi)*(1<<64) + float64(a.lo) }

// times is a x b in 192 bits.
func (a amount) times(b uint64) wide {
	carried, low := bits.Mul64(a.lo, b)
	high, mid := bits.Mul64(a.hi, b)
	mid, carry := bits.Add64(mid, carried, 0)
	return wide{high + carry, mid, low}
}

// wide is an amount multiplied once more: both sides of a ramp's equation.
type wide struct{ hi, mid, lo uint64 }

// less reports whether a < b.
func (a wide) less(b wide) bool {
	_, borrow := bits.Sub64(a.lo, b.lo, 0)
	_, borrow = bits.Sub64(a.mid, b.mid, borrow)
	_, borrow = bits.Sub64(a.hi, b.hi, borrow)
	return borrow != 0
}
