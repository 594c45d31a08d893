package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// course is one server and one path of it, with the samples of every peer.
type course struct {
	server, path string
	// samples by peer name, one for each round.
	samples map[string][]sample
}

// runServer starts a server, runs the rounds of every path, and stops it.
func (r runner) runServer(ctx context.Context, s server, paths []string, peers []peer, p plan) (courses []course, err error) {
	in, err := s.start(ctx, p.load.scratchDir, p.serverCPU)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.name(), err)
	}
	defer in.stop()
	if err := in.waitReady(ctx, paths); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.name(), err)
	}
	for _, path := range paths {
		l := p.load
		l.url = in.baseURL + path
		c := course{server: s.name(), path: path}
		if c.samples, err = r.runRounds(ctx, peers, l, in.cmd.Process.Pid, p.rounds); err != nil {
			return courses, fmt.Errorf("%s %s: %w", s.name(), path, err)
		}
		courses = append(courses, c)
	}
	return courses, nil
}

// runRounds lets every peer run once in every round.
func (r runner) runRounds(ctx context.Context, peers []peer, l load, serverPID, rounds int) (map[string][]sample, error) {
	samples := make(map[string][]sample)
	for round := range rounds {
		for _, p := range rotate(peers, round) {
			s, err := r.run(ctx, p, l, serverPID)
			if err != nil {
				return nil, fmt.Errorf("round %d, %s: %w", round+1, p.name(), errors.Join(ctx.Err(), err))
			}
			fmt.Fprintf(os.Stderr, "%s round %d: %s %.0f req/s, %.2f us/request\n", l.url, round+1, p.name(), s.rps, s.cpuMicrosPerRequest)
			samples[p.name()] = append(samples[p.name()], s)
		}
	}
	return samples, nil
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
