package main

import (
	"context"
	"fmt"
	"slices"
)

// evidence is what was seen of the peers before anything is measured.
type evidence struct {
	keepAlive []recording // in clear text, of every peer
	churn     []recording // nil without a course that is churn
	overTLS   []probe     // nil without a course of that kind, or without nginx
	overQUIC  []probe     // nil without a course of that kind
}

// probes are those of all protocols.
func (seen evidence) probes() []probe { return slices.Concat(seen.overTLS, seen.overQUIC) }

// gather records the requests of every peer, those of churn and those over TLS and
// QUIC only where a course is of that kind.
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
	if p.protocolsOver(tlsTCP) != nil && canProbe() {
		if seen.overTLS, err = probeOverTLS(ctx, p); err != nil {
			return evidence{}, err
		}
	}
	if p.protocolsOver(quicUDP) != nil {
		if seen.overQUIC, err = probeOverQUIC(ctx, p); err != nil {
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
	switch {
	case p.protocolsOver(tlsTCP) == nil:
	case seen.overTLS == nil:
		lines = append(lines, "over TLS: what the peers send and negotiate is NOT CHECKED: nginx would tell, and is absent")
	default:
		lines = append(lines, "over TLS: as nginx saw a second of each peer. A field that is not listed shows in the bytes alone; "+
			"not checked are case and order of fields, settings and windows of HTTP/2")
		lines = append(lines, describeProbes(seen.overTLS)...)
	}
	if p.protocolsOver(quicUDP) != nil {
		lines = append(lines, "over QUIC: as a server of quic-go saw a second of each peer; "+
			"not checked are the order of fields and how they are packed, settings, and the parameters of the transport")
		lines = append(lines, describeProbes(seen.overQUIC)...)
	}
	return lines
}
