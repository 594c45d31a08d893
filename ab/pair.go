package ab

import (
	"fmt"
	"math"
	"time"
)

// Slice is what was measured of one server in one slice. NaN and 0 are "not measured",
// but for RPS, of which 0 is a server that answered nothing.
type Slice struct {
	RPS       float64 // requests completed a second
	P50US     float64 // response time, in microseconds, to three digits or better
	P99US     float64
	CPUMicros float64 // CPU time of the server for a request, in microseconds
}

// Pair is a slice of each server, one right after the other.
type Pair struct {
	A, B   Slice
	AFirst bool
	At     time.Duration // its end, since the beginning
}

// check refuses what was not measured or is no time.
func (p Pair) check(before time.Duration) error {
	for _, side := range []struct {
		name string
		rps  float64
	}{{"A", p.A.RPS}, {"B", p.B.RPS}} {
		if !(side.rps >= 0) || math.IsInf(side.rps, 1) {
			return fmt.Errorf("slice of %s: %v requests a second", side.name, side.rps)
		}
	}
	if p.At < before {
		return fmt.Errorf("pair at %v, after one at %v", p.At, before)
	}
	return nil
}

// answeredNothing is the difference of a pair of which one slice has no answer at all: one
// in a thousand says all that a rank needs to know.
const answeredNothing = 6.9 // ln 1000

// difference returns ln b − ln a; NaN where one of them was not measured.
func difference(a, b float64) float64 {
	if !(a > 0 && b > 0) || math.IsInf(a, 1) || math.IsInf(b, 1) {
		return math.NaN()
	}
	if ratio := b / a; ratio > 0 && !math.IsInf(ratio, 1) {
		return math.Log(ratio)
	}
	return math.Log(b) - math.Log(a)
}

// rateDifference is that of rates, which may be 0.
func rateDifference(a, b float64) float64 {
	switch {
	case a == 0 && b == 0:
		return 0
	case a == 0:
		return answeredNothing
	case b == 0:
		return -answeredNothing
	}
	return difference(a, b)
}
