package target

import (
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

const (
	// maxHold bounds every wait: in cleartext a client that is gone is not
	// noticed before its wait is over.
	maxHold = 60 * time.Second

	// maxEvery bounds the period of /stall, only to catch wrong units.
	maxEvery = time.Hour
)

// endingText is the body of the 503 for a request that the server's end has
// overtaken: an early "ok" would be a wrong number in somebody's histogram.
const endingText = "the target is ending\n"

// wait holds a request for d, counted from here: its head has been parsed. Never
// shorter, and longer by what [delayer] says. It is false when the server's end
// came first, or gone, nil where nobody tells when the client goes away.
func (s *server) wait(d time.Duration, gone <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	return s.delays.wait(s.delays.clock.Now().Add(d), s.ending, gone)
}

// parseDelay reads the last segment of /delay/{duration}.
func parseDelay(spec string) (time.Duration, error) {
	d, err := time.ParseDuration(spec)
	if err != nil || d < 0 || d > maxHold {
		return 0, fmt.Errorf("delay %q: expected a duration from 0s to %s such as /delay/2ms", spec, maxHold)
	}
	return d, nil
}

// parseStall reads the parameters of /stall.
func parseStall(everySpec, holdSpec string) (every, hold time.Duration, err error) {
	every, everyErr := time.ParseDuration(everySpec)
	hold, holdErr := time.ParseDuration(holdSpec)
	switch {
	case everyErr != nil || every <= 0 || every > maxEvery:
		return 0, 0, fmt.Errorf("stall every=%q: expected a duration above 0s, up to %s such as /stall?every=1s&for=200ms", everySpec, maxEvery)
	case holdErr != nil || hold < 0 || hold > maxHold:
		return 0, 0, fmt.Errorf("stall for=%q: expected a duration from 0s to %s such as /stall?every=1s&for=200ms", holdSpec, maxHold)
	case hold >= every:
		return 0, 0, fmt.Errorf("stall every=%s&for=%s: for must be shorter than every, or nothing is ever answered", every, hold)
	}
	return every, hold, nil
}

// stallLeft returns how long a request that is here at now must wait: nothing
// outside a stall, else the time to its end. Periods of length every begin at
// start; the first hold of each is a stall. now is not before start, and
// 0 <= hold < every.
func stallLeft(now, start mono.Time, every, hold time.Duration) time.Duration {
	return max(0, hold-now.Sub(start)%every)
}
