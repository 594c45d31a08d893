package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// probe is what nginx saw of one peer in one protocol over TLS. There the
// peers cannot be pointed at a socket that keeps their bytes, so the server
// that they are measured on tells what arrived.
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

// probePeers runs every peer for a second in every protocol over TLS that the
// plan has. A peer that fails there is told in its probe; an error is one of
// nginx.
func probePeers(ctx context.Context, p plan) (probes []probe, err error) {
	at := siteOf(p, true)
	in, err := nginx{}.start(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("start nginx to probe the peers: %w", err)
	}
	defer in.stop()
	probes = []probe{} // not nil, whoever is in it
	protocols := p.secureProtocols()
	var courses []course
	for _, protocol := range protocols {
		// Not the path that is logged: nginx writes its line when the answer is
		// gone, which may be when the first peer's log is begun.
		courses = append(courses, course{path: "/respond", protocol: protocol})
	}
	if err := in.waitReady(ctx, courses); err != nil {
		return nil, fmt.Errorf("start nginx to probe the peers: %w", err)
	}
	for _, protocol := range protocols {
		l := p.load
		l.url, l.protocol = in.baseURL+probePath, protocol
		l.connections, l.seconds = min(l.connections, probeConnections), 1
		if protocol == h2TLS {
			l.streams = 1
		}
		for _, peer := range p.peers {
			if peer.lacks(l) != "" {
				continue
			}
			seen, err := probePeer(ctx, peer, l, filepath.Join(nginxDir(at), probeLog))
			if ctx.Err() != nil {
				return nil, errors.Join(ctx.Err(), err)
			}
			probes = append(probes, probe{peer: peer.name(), protocol: protocol, seen: seen, err: err})
		}
	}
	return probes, nil
}

// probePeer runs one peer and reads what nginx logged of it.
func probePeer(ctx context.Context, p peer, l load, log string) (sighting, error) {
	// nginx appends, so that its next line is the first again.
	if err := os.Truncate(log, 0); err != nil {
		return sighting{}, err
	}
	if _, err := runBriefly(ctx, p, l); err != nil {
		return sighting{}, err
	}
	lines, err := os.ReadFile(log)
	if err != nil {
		return sighting{}, err
	}
	seen, err := parseProbeLog(lines)
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
