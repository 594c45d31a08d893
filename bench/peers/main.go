package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := compare(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		stop()
		os.Exit(1)
	}
}

// compare is the whole program: measure every peer on every course and print
// the tables, one server after the other. A server that fails costs its own
// tables, and the failure is returned at the end.
func compare(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	p, err := parsePlan(args, stderr)
	if err != nil {
		return err
	}
	clock, err := mono.NewClock()
	if err != nil {
		return err
	}
	r := runner{fs: procfs.NewFS("/proc"), clock: clock}
	cpus, err := cpuset.Of(p.serverCPU, p.load.cpu)
	if err != nil {
		return err
	}
	noise := checkQuiet(r.fs, cpus)
	if noise != nil && !p.force {
		return fmt.Errorf("%w (-force measures all the same)", noise)
	}
	if p.load.scratchDir, err = newScratch(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.load.scratchDir)) }()
	recordings, err := recordRequests(ctx, p.peers, p.load)
	if err != nil {
		return err
	}
	if err := writeHeader(stdout, header(p, time.Now(), recordings, noise), p.markdown); err != nil {
		return err
	}
	return r.runServers(ctx, p, stdout)
}

// runServers measures on one server after the other and prints what came of
// it.
func (r runner) runServers(ctx context.Context, p plan, stdout io.Writer) error {
	var failures []error
	for _, s := range p.servers {
		paths := p.pathsOf(s)
		if len(paths) == 0 {
			continue
		}
		courses, err := r.runServer(ctx, s, paths, p.peers, p)
		failures = append(failures, err)
		for _, c := range courses {
			if err := writeCourse(stdout, c, p.peers, p.markdown); err != nil {
				return err
			}
			for _, peer := range p.peers {
				if n := countErrors(c.samples[peer.name()]); n > 0 {
					failures = append(failures, fmt.Errorf("%s %s: %d requests of %s failed", c.server, c.path, n, peer.name()))
				}
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failures...)
}
