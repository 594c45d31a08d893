package schedule

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"time"
)

// Schedule is one worker's share of a run's intended times. It is owned by that
// worker and must not be copied. It needs memory for the steps of the rate, not
// for the requests.
type Schedule struct {
	kind    kind
	workers uint64

	index uint64     // of the next request of this worker, counted over all of them
	burst Burst      // of bursts
	sum   amount     // offered to this worker alone up to its last Poisson arrival, times workers
	gaps  *rand.Rand // between Poisson arrivals

	segments []segment // not of bursts
	current  int       // segment of the last time; len(segments) at the end
}

// kind is how a schedule goes from one request to the next.
type kind uint8

const (
	constant kind = iota
	poisson
	bursts
)

// New returns the share of one of workers workers, counted from 0. The spec is
// one in which Validate finds no fault; that of a closed loop has no times.
//
// Poisson arrivals are the same for the same spec, worker and number of workers,
// and independent between workers. (Two architectures may differ in the last
// bit of a logarithm, and so in a nanosecond.)
func New(spec Spec, worker, workers int) *Schedule {
	if err := errors.Join(spec.Validate()...); err != nil || worker < 0 || worker >= workers {
		panic(fmt.Sprintf("BUG: schedule of worker %d of %d: %v", worker, workers, err))
	}
	s := &Schedule{workers: uint64(workers), index: uint64(worker), burst: spec.Burst, segments: newSegments(spec.Rate)}
	switch {
	case spec.Burst != Burst{}:
		s.kind = bursts
	case spec.Arrival == Poisson:
		s.kind = poisson
		s.gaps = rand.New(newSource(spec.Seed, worker))
	}
	return s
}

// newSource returns a worker's own source of random numbers. Its state is drawn
// from a source for all workers, because states that differ by a small number, as
// a seed with the worker's number beside it would, are neighbours for a while.
func newSource(seed uint64, worker int) *rand.PCG {
	states := rand.NewPCG(seed, arrivalStream)
	for range worker {
		states.Uint64()
		states.Uint64()
	}
	return rand.NewPCG(states.Uint64(), states.Uint64())
}

// arrivalStream keeps arrivals independent of whatever else a run draws with the
// same seed: the name of what is drawn, in ASCII.
const arrivalStream = 0x6172_7269_7661_6c73 // "arrivals"

// Next returns the intended time of the worker's next request since the start
// of the run; the times of a worker never decrease. ok is false when there is
// none any more, and stays so. The answer does not depend on when it is asked
// for.
func (s *Schedule) Next() (at time.Duration, ok bool) {
	switch s.kind {
	case bursts:
		return s.nextInBurst()
	case poisson:
		// The rate is an n-th for each of n workers, so a gap of one request of
		// this worker is one of n requests of all. Gaps are added as integers:
		// the sum of a thousand million of them is as exact as the first.
		gap := min(s.gaps.ExpFloat64(), gapMax)
		s.sum = s.sum.plus(product(uint64(gap*quantaPerRequest), s.workers))
		return s.timeOf(s.sum)
	}
	x := product(s.index, quantaPerRequest)
	s.index += s.workers
	return s.timeOf(x)
}

// gapMax bounds a gap, in mean gaps. One in e^64 = 6e27 is longer, but the
// generator of gaps may take the logarithm of 0, and infinity is no integer.
const gapMax = 64

// timeOf inverts the integral of the rate. x never decreases from one call to
// the next, so that a segment once left is left for good. An amount that is
// reached exactly at the end of a segment is one of the next that offers
// anything: a step includes its beginning, not its end.
func (s *Schedule) timeOf(x amount) (time.Duration, bool) {
	for s.current < len(s.segments) {
		if g := &s.segments[s.current]; x.less(g.end) {
			return g.timeOf(x), true
		}
		s.current++
	}
	return 0, false
}

// nextInBurst finds the burst that the request is in.
func (s *Schedule) nextInBurst() (time.Duration, bool) {
	hi, at := bits.Mul64(s.index/uint64(s.burst.Requests), uint64(s.burst.Every))
	if hi != 0 || at > math.MaxInt64 {
		return 0, false
	}
	s.index += s.workers
	return time.Duration(at), true
}
