package ab

import (
	"errors"
	"fmt"
	"time"
)

// What a rule says where it says nothing. Two processes of the same program differ by
// some tenths of a percent, by where their memory happens to lie; a margin of 1 % is
// above that, and noisy hosts can decide it within a minute. It is also that of
// package gate.
const (
	DefaultMargin = 0.01
	DefaultAlpha  = 0.05
	DefaultMax    = time.Minute
)

// Rule is what is asked: plain data. The zero value asks with the defaults.
type Rule struct {
	// Margin is the difference that is none, as a fraction; 0 is DefaultMargin.
	Margin float64

	// MaxLoss asks whether B loses more than this fraction of A's rps; 0: it is not
	// asked.
	MaxLoss float64

	// Alpha is the probability that an interval is ever wrong, on either side, from
	// 0.001 to 0.2; 0 is DefaultAlpha.
	Alpha float64

	// Max is when the measurement ends at the latest; 0 is DefaultMax. It is fixed
	// beforehand, for Alpha is spread out over it: with a longer one the interval is
	// wider at any time before its end.
	Max time.Duration
}

// complete fills in the defaults.
func (r Rule) complete() Rule {
	if r.Margin == 0 {
		r.Margin = DefaultMargin
	}
	if r.Alpha == 0 {
		r.Alpha = DefaultAlpha
	}
	if r.Max == 0 {
		r.Max = DefaultMax
	}
	return r
}

// Validate reports everything that is wrong with the rule as one joined error; nil
// when it can be asked.
func (r Rule) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(r.Margin >= 0 && r.Margin < 0.5, "margin %v, want a fraction above 0 and below 0.5", r.Margin)
	check(r.MaxLoss >= 0 && r.MaxLoss < 1, "greatest loss %v, want a fraction from 0 to below 1", r.MaxLoss)
	check(r.Alpha == 0 || r.Alpha >= 0.001 && r.Alpha <= 0.2, "alpha %v, want a probability from 0.001 to 0.2", r.Alpha)
	check(r.Max >= 0, "at most %v, want a time above 0", r.Max)
	return errors.Join(faults...)
}
