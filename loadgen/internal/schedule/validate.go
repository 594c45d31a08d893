package schedule

import (
	"fmt"
	"time"
)

// Bounds of what can be asked for.
const (
	rpsMax        = 1e9                  // one a nanosecond
	rpsMin        = 1e-6                 // the resolution of a rate, but for 0
	stepsMax      = 1000                 // Next looks at one at a time; this bounds what is kept
	lengthMax     = 365 * 24 * time.Hour // of all steps together, and between two bursts
	burstRequests = 1 << 20              // a burst waits in memory until it is sent
)

// Validate reports everything that keeps New from making a schedule of the
// spec; nothing when it can be made. Of a rate it tells what [Rate.Validate]
// does, and that a ramp has no end.
func (s Spec) Validate() []error {
	faults := s.Rate.Validate()
	hasBurst := s.Burst != Burst{}
	if hasBurst {
		faults = append(faults, s.Burst.Validate()...)
	}
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	if _, open := s.Rate.Length(); open {
		last := s.Rate.Steps[len(s.Rate.Steps)-1]
		check(last.From == last.To, "rate: the ramp %v has no end: want a duration, of it or of the run", last)
	}
	check(!hasBurst || len(s.Rate.Steps) == 0, "burst: %d every %v, and a rate of %v: want one of them", s.Burst.Requests, s.Burst.Every, s.Rate)
	check(s.Arrival <= Poisson, "arrival: %d, want constant or poisson", s.Arrival)
	check(!hasBurst || s.Arrival == Constant, "arrival: %v, but bursts come at fixed times", s.Arrival)
	return faults
}

// Validate reports everything that is wrong with the burst.
func (b Burst) Validate() (faults []error) {
	if b.Requests < 1 || b.Requests > burstRequests {
		faults = append(faults, fmt.Errorf("burst: %d requests, want 1 to %d", b.Requests, burstRequests))
	}
	if b.Every <= 0 || b.Every > lengthMax {
		faults = append(faults, fmt.Errorf("burst: every %v, want more than 0 and at most %v", b.Every, lengthMax))
	}
	return faults
}

// Validate reports everything that is wrong with the rate; nothing when it can
// be offered in a run that is long enough to close its open step, if it has one.
func (r Rate) Validate() []error {
	faults := r.faults()
	for i := range faults {
		faults[i] = fmt.Errorf("rate: %w", faults[i])
	}
	return faults
}

// faults are those of Validate without saying that they are about a rate.
func (r Rate) faults() (faults []error) {
	if n := len(r.Steps); n > stepsMax {
		return append(faults, fmt.Errorf("%d steps, want at most %d", n, stepsMax))
	}
	offers := len(r.Steps) == 0
	for i, s := range r.Steps {
		faults = append(faults, s.faults(i == len(r.Steps)-1)...)
		offers = offers || s.From != 0 || s.To != 0
	}
	if !offers {
		faults = append(faults, fmt.Errorf("no step offers a request"))
	}
	if r.isTooLong() {
		faults = append(faults, fmt.Errorf("the steps last more than %v together", lengthMax))
	}
	return faults
}

// isTooLong subtracts from what is left: adding up could overflow.
func (r Rate) isTooLong() bool {
	left := lengthMax
	for _, s := range r.Steps {
		if left -= max(s.Duration, 0); left < 0 {
			return true
		}
	}
	return false
}

// faults are those of one step.
func (s Step) faults(isLast bool) (faults []error) {
	ends := []float64{s.From, s.To}
	if s.From == s.To {
		ends = ends[:1]
	}
	for _, rps := range ends {
		// Written so that what is no number fails too.
		if !(rps == 0 || rps >= rpsMin && rps <= rpsMax) {
			faults = append(faults, fmt.Errorf("step %v: %v requests a second, want 0, or 0.000001 to 1000000000", s, rps))
		}
	}
	if s.Duration < 0 {
		faults = append(faults, fmt.Errorf("step %v: lasts %v, want more than 0", s, s.Duration))
	}
	if s.Duration == 0 && !isLast {
		faults = append(faults, fmt.Errorf("step %v: has no duration (%v@10s), which only the last step may do without", s, s))
	}
	return faults
}
