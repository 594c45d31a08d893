package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// probe is what a server saw of one peer in one protocol over TLS or QUIC. There
// the peers cannot be pointed at a socket that keeps their bytes, so a server tells
// what arrived: over TLS nginx, over QUIC the witness of witness.go.
type probe struct {
	peer     string
	protocol protocol
	seen     sighting
	err      error // why there is no sighting, or one that makes the peer unfit
}

// The path whose requests nginx logs, and the log in its directory.
const (
	probePath = "/probe"
	probeLog  = "probe.log"
)

// probeConnections are opened at most: as many as tell whether a peer keeps to
// the number, and no more handshakes than a busy host gets done in the second.
const probeConnections = 16

// probeOverTLS runs every peer for a second in every protocol over TLS that the
// plan has. A peer that fails there is told in its probe; an error is one of
// nginx.
func probeOverTLS(ctx context.Context, p plan) (probes []probe, err error) {
	at := siteOf(p, tlsTCP)
	in, err := nginx{}.start(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("start nginx to probe the peers: %w", err)
	}
	defer in.stop()
	probes = []probe{} // not nil, whoever is in it
	protocols := p.protocolsOver(tlsTCP)
	var courses []course
	for _, protocol := range protocols {
		// Not the path that is logged: nginx writes its line when the answer is
		// gone, which may be when the first peer's log is begun.
		courses = append(courses, course{path: "/respond", protocol: protocol})
	}
	if err := in.waitReady(ctx, courses); err != nil {
		return nil, fmt.Errorf("start nginx to probe the peers: %w", err)
	}
	log := nginxLog{path: filepath.Join(nginxDir(at), probeLog)}
	for _, protocol := range protocols {
		ofProtocol, err := probePeers(ctx, p, protocol, in.baseURL, log)
		if err != nil {
			return nil, err
		}
		probes = append(probes, ofProtocol...)
	}
	return probes, nil
}

// probeOverQUIC does so in HTTP/3; an error is one of the witness.
func probeOverQUIC(ctx context.Context, p plan) (probes []probe, err error) {
	at := siteOf(p, quicUDP)
	w, err := newWitness(at)
	if err != nil {
		return nil, fmt.Errorf("start a server to probe the peers: %w", err)
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return probePeers(ctx, p, h3QUIC, at.url(w.port()), w)
}

// sightseer is a server's memory of the requests that it saw.
type sightseer interface {
	// forget makes the next request the first one.
	forget() error
	// lines are those of the requests since then.
	lines() ([]probeLine, error)
}

// probePeers runs every peer that has a protocol, for a second each. Only the end
// of ctx is an error.
func probePeers(ctx context.Context, p plan, protocol protocol, baseURL string, saw sightseer) ([]probe, error) {
	l := p.load
	l.url, l.protocol = baseURL+probePath, protocol
	l.connections, l.seconds = min(l.connections, probeConnections), 1
	if protocol.streamed() {
		l.streams = 1
	}
	var probes []probe
	for _, peer := range p.peers {
		if peer.lacks(l) != "" {
			continue
		}
		seen, err := probePeer(ctx, peer, l, saw)
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), err)
		}
		probes = append(probes, probe{peer: peer.name(), protocol: protocol, seen: seen, err: err})
	}
	return probes, nil
}

// probePeer runs one peer and asks what was seen of it.
func probePeer(ctx context.Context, p peer, l load, saw sightseer) (sighting, error) {
	if err := saw.forget(); err != nil {
		return sighting{}, err
	}
	if _, err := runBriefly(ctx, p, l); err != nil {
		return sighting{}, err
	}
	lines, err := saw.lines()
	if err != nil {
		return sighting{}, err
	}
	seen, err := sumUp(lines)
	if err != nil {
		return sighting{}, err
	}
	return seen, seen.suits(l)
}

// probeFailure is why a peer is unfit for a protocol; nil if it is not, or was
// not probed.
func probeFailure(probes []probe, peer string, protocol protocol) error {
	i := slices.IndexFunc(probes, func(p probe) bool { return p.peer == peer && p.protocol == protocol })
	if i < 0 {
		return nil
	}
	return probes[i].err
}

// describeProbes has a line for everything that was seen of a protocol, with
// the peers that it was seen of, and one for each peer that failed.
func describeProbes(probes []probe) []string {
	type kind struct {
		protocol protocol
		text     string
	}
	var kinds []kind
	peers := make(map[kind][]string)
	for _, p := range probes {
		k := kind{p.protocol, p.seen.String()}
		if p.err != nil {
			k.text = "FAILED: " + strings.ReplaceAll(strings.TrimSpace(p.err.Error()), "\n", "; ")
		}
		if peers[k] == nil {
			kinds = append(kinds, k)
		}
		peers[k] = append(peers[k], p.peer)
	}
	var lines []string
	for _, k := range kinds {
		lines = append(lines, fmt.Sprintf("%s of %s: %s", k.protocol, strings.Join(peers[k], ", "), k.text))
	}
	return lines
}

// canProbe tells whether nginx, which need not be among the servers, is there.
func canProbe() bool {
	_, err := exec.LookPath(nginx{}.program())
	return err == nil
}
