package main

import (
	"context"
	"fmt"
)

// evidence is what was seen of the peers before anything is measured.
type evidence struct {
	keepAlive []recording // in clear text, of every peer
	churn     []recording // nil without a course that is churn
	probes    []probe     // over TLS; nil without a course of that kind, or without nginx
}

// gather records the requests of every peer, those of churn and those over TLS
// only where a course is of that kind.
func gather(ctx context.Context, p plan) (seen evidence, err error) {
	if seen.keepAlive, err = recordRequests(ctx, p.peers, p.load); err != nil {
		return evidence{}, err
	}
	if p.hasChurn() {
		l := p.load
		l.churn = true
		if seen.churn, err = recordRequests(ctx, p.peers, l); err != nil {
			return evidence{}, fmt.Errorf("churn: %w", err)
		}
	}
	if p.secureProtocols() != nil && canProbe() {
		if seen.probes, err = probePeers(ctx, p); err != nil {
			return evidence{}, err
		}
	}
	return seen, nil
}

// describe says what the peers sent and in what they differ, a line each.
func (seen evidence) describe(p plan) []string {
	lines := describeRequests("request", seen.keepAlive)
	if seen.churn != nil {
		lines = append(lines, describeRequests("churn request", seen.churn)...)
	}
	protocols := p.secureProtocols()
	switch {
	case protocols == nil:
		return lines
	case seen.probes == nil:
		return append(lines, "over TLS: what the peers send and negotiate is NOT CHECKED: nginx would tell, and is absent")
	}
	lines = append(lines, "over TLS: as nginx saw a second of each peer. A field that is not listed shows in the bytes alone; "+
		"not checked are case and order of fields, settings and windows of HTTP/2")
	return append(lines, describeProbes(seen.probes)...)
}
