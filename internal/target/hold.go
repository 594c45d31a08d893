package target

import (
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/valyala/fasthttp"
)

const (
	// maxHold bounds every wait: a client that is gone is not noticed before
	// its wait is over.
	maxHold = 60 * time.Second

	// maxEvery bounds the period of /stall, only to catch wrong units.
	maxEvery = time.Hour
)

// delay answers after the time the path names, counted from here: the head has
// been parsed. Never earlier; later by what the runtime's timers cost, up to
// about 1 ms on an idle host.
func (s *server) delay(ctx *fasthttp.RequestCtx, spec []byte) {
	d, err := parseDelay(string(spec))
	if err != nil {
		ctx.Error(err.Error()+"\n", fasthttp.StatusBadRequest)
		return
	}
	s.answerAfter(ctx, d)
}

// stall answers at once, or at the end of the stall that is on now.
func (s *server) stall(ctx *fasthttp.RequestCtx) {
	args := ctx.QueryArgs()
	every, hold, err := parseStall(string(args.Peek("every")), string(args.Peek("for")))
	if err != nil {
		ctx.Error(err.Error()+"\n", fasthttp.StatusBadRequest)
		return
	}
	s.answerAfter(ctx, stallLeft(s.clock.Now(), s.start, every, hold))
}

// answerAfter answers "ok" after d; with 503 at once when the server ends
// first, since an early "ok" would be a wrong number in somebody's histogram.
func (s *server) answerAfter(ctx *fasthttp.RequestCtx, d time.Duration) {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.ending:
			s.refuse(ctx)
			return
		}
	}
	ok(ctx)
}

// refuse answers a request that the server's end has overtaken.
func (s *server) refuse(ctx *fasthttp.RequestCtx) {
	ctx.Error("the target is ending\n", fasthttp.StatusServiceUnavailable)
	ctx.SetConnectionClose()
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
