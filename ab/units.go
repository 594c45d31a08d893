package ab

import (
	"fmt"
	"math"
)

// waitingMax is how many pairs of one order may wait for the other. In A B B A it is
// one; where orders are drawn pair by pair, some.
const waitingMax = 64

// units are what pairs become, in the order of time: for each metric the differences of
// the units in which it was measured in both pairs.
type units struct {
	waiting []Pair // all of one order

	n                  int // units
	rps, p50, p99, cpu []float64
	a, b               []float64 // of each unit: what the two servers completed, in rps
}

// add puts a pair beside the oldest that waits for its order.
func (u *units) add(p Pair) error {
	if len(u.waiting) == 0 || u.waiting[0].AFirst == p.AFirst {
		if len(u.waiting) == waitingMax {
			return fmt.Errorf("%d pairs in the same order: it has to change", waitingMax+1)
		}
		u.waiting = append(u.waiting, p)
		return nil
	}
	q := u.waiting[0]
	u.waiting = append(u.waiting[:0], u.waiting[1:]...)
	u.join(q, p)
	return nil
}

func (u *units) join(p, q Pair) {
	u.n++
	u.rps = append(u.rps, (rateDifference(p.A.RPS, p.B.RPS)+rateDifference(q.A.RPS, q.B.RPS))/2)
	u.a, u.b = append(u.a, p.A.RPS+q.A.RPS), append(u.b, p.B.RPS+q.B.RPS)
	u.p50 = appendMeasured(u.p50, (difference(p.A.P50US, p.B.P50US)+difference(q.A.P50US, q.B.P50US))/2)
	u.p99 = appendMeasured(u.p99, (difference(p.A.P99US, p.B.P99US)+difference(q.A.P99US, q.B.P99US))/2)
	u.cpu = appendMeasured(u.cpu, (difference(p.A.CPUMicros, p.B.CPUMicros)+difference(q.A.CPUMicros, q.B.CPUMicros))/2)
}

// appendMeasured leaves out what is NaN: it was not measured.
func appendMeasured(all []float64, d float64) []float64 {
	if math.IsNaN(d) {
		return all
	}
	return append(all, d)
}
