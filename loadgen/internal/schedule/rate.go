package schedule

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Rate says how many requests a second are offered over time, by all workers
// together. It is plain data. The zero value is no rate: a closed loop. After
// the last step nothing is offered any more.
type Rate struct {
	Steps []Step `json:"steps,omitempty"`
}

// Step is one stretch of a Rate, in which it is constant or a ramp: a straight
// line. Rates are taken to the nearest millionth of a request a second.
type Step struct {
	From     float64       `json:"from_rps"`    // at its beginning
	To       float64       `json:"to_rps"`      // at its end
	Duration time.Duration `json:"duration_ns"` // 0, in the last step alone: to the end of the run
}

// Length returns how long the steps last that have a duration, and whether the
// last one is open.
func (r Rate) Length() (length time.Duration, open bool) {
	for _, s := range r.Steps {
		length += s.Duration
	}
	return length, len(r.Steps) > 0 && r.Steps[len(r.Steps)-1].Duration == 0
}

// Over returns the rate of a run of length window: an open step is given what
// the others leave of it, and left out where they leave nothing (what remains
// may then offer no request, which Validate tells). A rate without an open step,
// and one whose window is not known (0), is returned as it is.
func (r Rate) Over(window time.Duration) Rate {
	length, open := r.Length()
	if !open || window <= 0 {
		return r
	}
	steps := slices.Clone(r.Steps)
	last := len(steps) - 1
	if window <= length {
		return Rate{Steps: steps[:last]}
	}
	steps[last].Duration = window - length
	return Rate{Steps: steps}
}

// After returns the rate with a warm-up in front of it, in which the rate that
// it begins with is offered. Nothing is put in front of no rate.
func (r Rate) After(warmUp time.Duration) Rate {
	if len(r.Steps) == 0 || warmUp <= 0 {
		return r
	}
	first := r.Steps[0].From
	return Rate{Steps: slices.Concat([]Step{{From: first, To: first, Duration: warmUp}}, r.Steps)}
}

// Offered returns how many requests are offered in the first d: the integral of
// the rate. An open ramp is taken to end at d.
func (r Rate) Offered(d time.Duration) float64 {
	sum := 0.0
	for _, s := range r.Over(d).Steps {
		if d <= 0 {
			break
		}
		sum += s.offered(min(d, s.Duration))
		d -= s.Duration
	}
	return sum
}

// offered is the integral over the first d of a step that is not open: d times
// the mean of the rate at its beginning and the rate at d.
func (s Step) offered(d time.Duration) float64 {
	from, to := float64(millionths(s.From)), float64(millionths(s.To))
	atD := from + (to-from)*(float64(d)/float64(s.Duration))
	return (from + atD) / 2 * d.Seconds() / 1e6
}

// millionths is a valid rate in millionths of a request a second.
func millionths(rps float64) uint64 { return uint64(math.Round(rps * 1e6)) }

// Plus is what two generators offer together, when their steps are as long: the
// rates added. It is an error when they are not.
func (r Rate) Plus(o Rate) (Rate, error) {
	if len(r.Steps) != len(o.Steps) {
		return Rate{}, fmt.Errorf("rates %s and %s: want as many steps", r, o)
	}
	var sum Rate
	for i, s := range r.Steps {
		t := o.Steps[i]
		if s.Duration != t.Duration {
			return Rate{}, fmt.Errorf("rates %s and %s: want steps of the same length", r, o)
		}
		sum.Steps = append(sum.Steps, Step{From: s.From + t.From, To: s.To + t.To, Duration: s.Duration})
	}
	return sum, nil
}
