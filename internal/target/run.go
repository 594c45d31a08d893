package target

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Run serves until ctx is done or stdin ends, and returns nil after either.
//
// stdin nil is ignored. Otherwise its end, or an error on it, ends the server:
// it is the pipe to a parent process, which the kernel closes however the
// parent dies. What it carries is discarded. The goroutine that reads it lasts
// until that end, also when ctx was done before.
//
// stdout gets exactly one line, `listening http://HOST:PORT`, or https with
// a certificate, once requests are answered.
//
// An error means that the server could not be started, that its listener
// failed, or that it could not be taken down cleanly.
func Run(ctx context.Context, cfg Config, stdin io.Reader, stdout io.Writer) (err error) {
	if err := cfg.Validate(); err != nil {
		return err
	}
	cfg = cfg.withDefaults()

	made, err := makeFiles(cfg.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.remove()) }()

	delays, err := newDelayer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, delays.close()) }()

	faults := newFaultLog(cfg.Log)
	on, err := listen(ctx, cfg, faults)
	if err != nil {
		return err
	}
	s, err := newServer(cfg, made, faults, delays, on.udp)
	if err != nil {
		return errors.Join(err, on.close())
	}
	ln := on.tcp
	go s.serveLoop(ln)
	parent := watchParent(stdin)

	if _, err := fmt.Fprintf(stdout, "listening %s://%s\n", cfg.scheme(), ln.Addr()); err != nil {
		return errors.Join(fmt.Errorf("announce %s: %w", ln.Addr(), err), s.end(ln))
	}
	select {
	case <-ctx.Done():
	case <-parent:
	case <-s.served: // only a listener that failed gets here
	}
	return errors.Join(s.end(ln), s.burner.say(cfg.Log))
}

// watchParent returns a channel that is closed when stdin ends; nil, which
// never is, without a stdin.
func watchParent(stdin io.Reader) <-chan struct{} {
	if stdin == nil {
		return nil
	}
	ended := make(chan struct{})
	go readLoop(stdin, ended)
	return ended
}

func readLoop(stdin io.Reader, ended chan<- struct{}) {
	// An error is the end as well: nobody can be told apart from a dead
	// parent who is no longer heard.
	_, _ = io.Copy(io.Discard, stdin)
	close(ended)
}
