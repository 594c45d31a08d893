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

	"github.com/scalws/scalbench/bench/peers/quicgo"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == quicgo.Mode {
		os.Exit(quicgo.Main(os.Args[2:], os.Stdout, os.Stderr))
	}
	// quic-go would warn of socket buffers that the host keeps small, here and in
	// every server and peer. The header tells their limit.
	_ = os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true") // it fails for names that are none
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

// compare is the whole program: install peers and servers, or measure every peer
// in every heat and print the tables. What fails costs its own part of them, and is
// returned at the end.
func compare(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	p, err := parsePlan(args, stderr)
	if err != nil {
		return err
	}
	if p.install {
		return installAll(ctx, p.installables(), surroundingsHere(p.cache), stdout, stderr)
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
	seen, err := gather(ctx, p)
	if err != nil {
		return err
	}
	facts := header(p, time.Now(), seen, noise)
	if err := writeHeader(stdout, facts, p.markdown); err != nil {
		return err
	}
	heats, runErr := r.runServers(ctx, p, seen.probes(), stdout)
	all := agreements(heats, p.peers)
	runErr = errors.Join(runErr, writeAgreements(stdout, all, p.markdown))
	if p.jsonFile != "" {
		runErr = errors.Join(runErr, writeResults(p.jsonFile, newResults(facts, seen, heats, all)))
	}
	return runErr
}

// runServers measures on one server after the other, over one transport after the
// other, prints what came of it and returns it, even with an error.
func (r runner) runServers(ctx context.Context, p plan, probes []probe, stdout io.Writer) (heats []heat, err error) {
	var failures []error
	for _, s := range p.servers {
		for _, over := range transports() {
			courses := p.coursesOn(s, over)
			if len(courses) == 0 {
				continue
			}
			ofServer, err := r.runServer(ctx, s, siteOf(p, over), newHeats(s, courses, p, probes), p.timeWaitMax)
			failures = append(failures, err)
			for _, h := range ofServer {
				if err := writeHeat(stdout, h, p.peers, p.markdown); err != nil {
					return heats, err
				}
				failures = append(failures, h.faults(p.peers)...)
			}
			heats = append(heats, ofServer...)
			if ctx.Err() != nil {
				return heats, errors.Join(failures...)
			}
		}
	}
	return heats, errors.Join(failures...)
}
