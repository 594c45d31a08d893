package measure

import (
	"context"
	"errors"
	"time"
)

const (
	// stopGrace is how long a process may take to end when it is asked to.
	stopGrace = 5 * time.Second
	// stopGraceFailed is the same of one that is not what was meant: nobody waits for its
	// files, and a wrapper that did not exec passes no signal on.
	stopGraceFailed = 500 * time.Millisecond
)

// Stop ends the variant and then its helpers, and waits until nothing is left and the ports
// are free. The reason, "" mostly, says why the last measurement is invalid after all: a
// process had ended by itself. Stopping again returns the same.
//
// A context that has ended takes the grace away, and nothing else.
func (r *Running) Stop(ctx context.Context) (reason string, err error) {
	return r.stop(ctx, stopGrace)
}

func (r *Running) stop(ctx context.Context, grace time.Duration) (reason string, err error) {
	if r.stopped {
		return r.stopReason, r.stopErr
	}
	r.stopped = true
	r.stopReason = r.ended()
	var errs []error
	// The first instance names the ports that have to be free then, so it is the last.
	for n := len(r.instances) - 1; n >= 0; n-- {
		if server := r.instances[n].server; server != nil {
			_, err := server.Stop(ctx, grace)
			errs = append(errs, err)
		}
	}
	for n := len(r.helpers) - 1; n >= 0; n-- {
		_, err := r.helpers[n].server.Stop(ctx, grace)
		errs = append(errs, err)
	}
	r.stopErr = errors.Join(append(errs, r.removeDir())...)
	return r.stopReason, r.stopErr
}
