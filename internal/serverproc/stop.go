package serverproc

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

const (
	// supervisorMax is how long a supervisor may take after the end of its input:
	// [killMax] and something for its own end.
	supervisorMax = 7 * time.Second
	// portsMax is how long a port may stay taken after the last process has ended.
	portsMax = 2 * time.Second
)

// Stopped is how a server came to its end.
type Stopped struct {
	Exit Exit
	// Before: it had ended already when it was to be stopped, of itself or by somebody
	// else's hand. What was measured then is not worth anything.
	Before bool
	// Killed are those of its processes that had not ended within the grace.
	Killed []Killed
}

// Stop ends the server: SIGTERM to its process alone, then, when grace has passed or
// ctx has ended and something is left, SIGKILL to its group and to whatever else came
// of it. When it returns every process was waited for, and the ports of the spec are
// free. That something had to be killed is no error; that something is left is one.
// Calling it again returns the same.
func (s *Server) Stop(ctx context.Context, grace time.Duration) (Stopped, error) {
	var stopped Stopped
	select {
	case <-s.exited:
		stopped.Before = true
	default:
		// A broken pipe is a supervisor that has ended, which is told below.
		_ = writeLine(s.orders, instruction{syscall.SIGTERM})
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-s.emptied:
	case <-timer.C:
	case <-ctx.Done():
	}
	s.closeOrders()
	s.awaitEnd()
	stopped.Exit, stopped.Killed = s.Exit(), s.last.Killed
	if err := s.remainder(); err != nil {
		return stopped, fmt.Errorf("stop server %q: %w", s.spec.Name, err)
	}
	return stopped, nil
}

// closeOrders is the supervisor's signal to end everything.
func (s *Server) closeOrders() {
	s.closing.Do(func() { _ = s.orders.Close() }) // it may be broken already
}

// awaitEnd waits for the supervisor. One that does not end is killed; what it has
// started gets the parent-death signal.
func (s *Server) awaitEnd() {
	timer := time.NewTimer(supervisorMax)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
		_ = s.supervisor.Process.Kill() // ended meanwhile
		<-s.ended
	}
}

// remainder is what is left of an ended server.
func (s *Server) remainder() error {
	if s.err != nil {
		return s.err
	}
	if s.last.Left > 0 {
		return fmt.Errorf("%d of its processes could not be killed", s.last.Left)
	}
	// Not the caller's context: it may have ended, and a port that is taken makes the
	// next server fail.
	ctx, cancel := context.WithTimeout(context.Background(), portsMax)
	defer cancel()
	err := AwaitFree(ctx, s.spec.Ports)
	if errors.Is(err, ErrPortTaken) {
		return fmt.Errorf("all its processes have ended, and still: %w", err)
	}
	return err
}
