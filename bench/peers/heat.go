package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// heat is one course on one server, with what every peer did.
type heat struct {
	server string
	course course
	load   load
	rounds int
	// entrants are the peers that take part, until they fail.
	entrants []peer
	// skipped by peer name: what the other peers lack for it.
	skipped map[string]string
	// samples by peer name, one for each round that the peer went through.
	samples map[string][]sample
	// failed by peer name: why it was left out of the rest of the heat.
	failed map[string]error
	// timeWait is how churn waited between its runs; zero for other courses.
	timeWait timeWaits
}

// newHeats decides for every course on a server who takes part: not a peer that
// lacks something for its load, and none that failed when it was probed.
func newHeats(s server, courses []course, p plan, probes []probe) []heat {
	var heats []heat
	for _, c := range courses {
		h := heat{
			server: s.name(), course: c, load: c.loadOf(p.load), rounds: p.roundsOf(c),
			skipped: make(map[string]string), samples: make(map[string][]sample), failed: make(map[string]error),
		}
		for _, peer := range p.peers {
			if why := peer.lacks(h.load); why != "" {
				h.skipped[peer.name()] = why
			} else if err := probeFailure(probes, peer.name(), c.protocol); err != nil {
				h.failed[peer.name()] = fmt.Errorf("probe: %w", err)
			} else {
				h.entrants = append(h.entrants, peer)
			}
		}
		heats = append(heats, h)
	}
	return heats
}

// runServer starts a server, runs the rounds of every heat, and stops it. The
// heats that came to their end are returned even with an error.
func (r runner) runServer(ctx context.Context, s server, at site, heats []heat, timeWaitMax int) (done []heat, err error) {
	in, err := s.start(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.name(), err)
	}
	defer in.stop()
	var courses []course
	for _, h := range heats {
		courses = append(courses, h.course)
	}
	if err := in.waitReady(ctx, courses); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.name(), err)
	}
	for _, h := range heats {
		h.load.url = in.baseURL + h.course.path
		if err := r.runRounds(ctx, &h, timeWaitMax, in.cmd.Process.Pid); err != nil {
			return done, fmt.Errorf("%s %s: %w", s.name(), h.course.name(), err)
		}
		done = append(done, h)
	}
	return done, nil
}

// runRounds lets every entrant run once in every round. A peer that fails is
// left out of the rounds that follow; the others go on. Only the end of ctx
// ends the heat.
func (r runner) runRounds(ctx context.Context, h *heat, timeWaitMax, serverPID int) error {
	for round := range h.rounds {
		for _, peer := range rotate(h.entrants, round) {
			if h.failed[peer.name()] != nil {
				continue
			}
			if h.course.churn {
				if err := awaitTimeWait(ctx, &h.timeWait, timeWaitMax); err != nil {
					return err
				}
			}
			s, err := r.run(ctx, peer, h.load, serverPID)
			if ctx.Err() != nil {
				return errors.Join(ctx.Err(), err)
			}
			if err != nil {
				h.failed[peer.name()] = fmt.Errorf("round %d: %w", round+1, err)
				fmt.Fprintf(os.Stderr, "%s %s round %d: %s: %v\n", h.server, h.course.name(), round+1, peer.name(), err)
				continue
			}
			fmt.Fprintf(os.Stderr, "%s %s round %d: %s %.0f req/s, %.2f us/request\n",
				h.server, h.course.name(), round+1, peer.name(), s.rps, s.cpuMicrosPerRequest)
			h.samples[peer.name()] = append(h.samples[peer.name()], s)
		}
	}
	return nil
}

// faults lists what makes the heat less than it should be: peers that failed,
// and requests that did.
func (h heat) faults(peers []peer) []error {
	var faults []error
	for _, p := range peers {
		if err := h.failed[p.name()]; err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %s: %w", h.server, h.course.name(), p.name(), err))
		}
		if n := countErrors(h.samples[p.name()]); n > 0 {
			faults = append(faults, fmt.Errorf("%s %s: %d requests of %s failed", h.server, h.course.name(), n, p.name()))
		}
	}
	return faults
}

// rotate returns the order of a round, counted from 0: the list from its
// round-th element on, and then its beginning. Over as many rounds as there
// are peers, each has been in every place once.
func rotate[T any](list []T, round int) []T {
	if len(list) == 0 {
		return nil
	}
	first := round % len(list)
	return slices.Concat(list[first:], list[:first])
}
