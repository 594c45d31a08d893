package schedule

import (
	"fmt"
	"time"
)

// Spec says when the requests of a whole run are intended, all workers
// together. The zero value intends none: a closed loop.
type Spec struct {
	Rate    Rate
	Burst   Burst   // instead of a rate
	Arrival Arrival // of a rate; bursts are constant
	Seed    uint64  // of Poisson arrivals
}

// IsOpen reports whether the spec is of an open loop.
func (s Spec) IsOpen() bool { return len(s.Rate.Steps) > 0 || s.Burst != Burst{} }

// Offered returns how many requests are offered in the first d of the run: what
// is intended then, of Poisson arrivals on average. It is 0 for a closed loop.
func (s Spec) Offered(d time.Duration) float64 {
	if (s.Burst != Burst{}) {
		return s.Burst.Offered(d)
	}
	return s.Rate.Offered(d)
}

// Burst is Requests at once every Every, the first at the start of the run.
//
// oha lets one Every pass before its first burst. Here a run of n times Every
// offers n bursts, as a run of n seconds at one request a second offers n
// requests, the first of which is at the start too.
type Burst struct {
	Requests int           `json:"requests"` // of all workers together
	Every    time.Duration `json:"every_ns"`
}

// Offered returns how many requests are intended in the first d.
func (b Burst) Offered(d time.Duration) float64 {
	if b.Every <= 0 || d <= 0 {
		return 0
	}
	bursts := 1 + (d-1)/b.Every // those at 0, Every, 2 Every, ... before d
	return float64(b.Requests) * float64(bursts)
}

// Arrival is how requests lie in time at a rate.
type Arrival uint8

// The arrivals there are; see the package comment.
const (
	Constant Arrival = iota
	Poisson
)

// String returns the name used on the command line and in results.
func (a Arrival) String() string {
	switch a {
	case Constant:
		return "constant"
	case Poisson:
		return "poisson"
	}
	return "unknown"
}

// MarshalText writes the name.
func (a Arrival) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the name; no name is Constant. On an error the arrival
// keeps its value.
func (a *Arrival) UnmarshalText(text []byte) error {
	switch string(text) {
	case "constant", "":
		*a = Constant
	case "poisson":
		*a = Poisson
	default:
		return fmt.Errorf("arrival %q: want constant or poisson", text)
	}
	return nil
}
