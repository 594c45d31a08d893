package suite

import (
	"time"

	"github.com/scalws/scalbench/internal/profile"
)

// Profile says whether samples of the server's CPUs are taken when the rounds of a session
// are over, and how.
type Profile struct {
	When     ProfileWhen
	Groups   []profile.Group // before those that are built in, which one of the same name replaces
	Hz       int             // samples a second of each CPU, 11 to 9973; 0: 997
	Measure  time.Duration   // how long for each row and variant, 1 s to 10 min; 0: as a round, but 5 s at least and 20 s at most
	KeepData bool            // perf.data stays beside what was made of it
}

// ProfileWhen is which rows are profiled.
type ProfileWhen uint8

const (
	ProfileNever  ProfileWhen = iota // none, the default
	ProfileOnFail                    // those that the gate fails
	ProfileAlways                    // all
)

// String returns the word of the file.
func (w ProfileWhen) String() string { return [...]string{"never", "on-fail", "always"}[w] }

// ParseProfileWhen reads that word; false: it is none.
func ParseProfileWhen(text string) (ProfileWhen, bool) {
	for _, w := range []ProfileWhen{ProfileNever, ProfileOnFail, ProfileAlways} {
		if w.String() == text {
			return w, true
		}
	}
	return ProfileNever, false
}

// Frequency is how often each CPU is sampled in a second.
func (p Profile) Frequency() int {
	if p.Hz == 0 {
		return profileHz
	}
	return p.Hz
}

// Span is how long samples are taken under a plan. A share of one in a hundred is known to a
// tenth of itself by 10 000 samples: ten seconds of one CPU.
func (p Profile) Span(plan Plan) time.Duration {
	if p.Measure > 0 {
		return p.Measure
	}
	return min(max(plan.Measure, profileLeast), profileMost)
}

const (
	profileLeast = 5 * time.Second
	profileMost  = 20 * time.Second

	// profileHz is a prime number, so that samples keep step with nothing that a server or
	// the kernel does so many times a second.
	profileHz = 997
)
