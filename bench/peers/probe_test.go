package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Where nginx is installed, it sees what the peer of these tests sends: one
// request of HTTP/1.1, with the fields of its own.
func TestProbeOverTLS(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skipf("not installed: %s", nginx{}.install())
	}
	scratch, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(scratch) })
	var allowed string
	cpu := lastCPU(t)
	p := plan{
		peers:     []peer{failingPeer{}, fakePeer{&allowed}},
		courses:   []course{{protocol: h1TLS}, {protocol: h2TLS, streams: 1}, {}},
		serverCPU: cpu, load: load{cpu: cpu, scratchDir: scratch, connections: 1},
	}
	probes, err := probeOverTLS(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	// Both lack HTTP/2, so each was probed once.
	if len(probes) != 2 || probes[0].peer != "failing" || probes[1].peer != "fake" {
		t.Fatalf("probes %+v, want one of each peer", probes)
	}
	if err := probeFailure(probes, "failing", h1TLS); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("the peer that fails: %v", err)
	}
	for _, protocol := range []protocol{h1TLS, h2TLS} {
		if err := probeFailure(probes, "fake", protocol); err != nil {
			t.Errorf("the peer that works, %s: %v", protocol, err)
		}
	}
	got := probes[1].seen
	fields := strings.Join(got.fields, ", ")
	if got.connections != 1 || got.tls != "TLSv1.3" || got.cipher != "TLS_AES_128_GCM_SHA256" || got.secondBytes != 0 ||
		!strings.Contains(fields, "user-agent: peers, accept-encoding: gzip") {
		t.Errorf("it saw %s", got)
	}
	// With more connections asked for than it opens, it is unfit.
	p.peers, p.load.connections = p.peers[1:], 2
	if probes, err = probeOverTLS(t.Context(), p); err != nil || len(probes) != 1 || probes[0].err == nil {
		t.Errorf("probes %+v, %v, want that of a peer with too few connections", probes, err)
	}
}

func TestDescribeProbes(t *testing.T) {
	seen := sighting{connections: 64, http: "HTTP/2.0", tls: "TLSv1.3", cipher: "C", firstBytes: 33, secondBytes: 12, fields: []string{"host: h"}}
	shorter := seen
	shorter.secondBytes = 7
	overH1 := seen
	overH1.http = "HTTP/1.1"
	got := describeProbes([]probe{
		{"a", h1TLS, overH1, nil},
		{"a", h2TLS, seen, nil},
		{"b", h2TLS, shorter, nil},
		{"c", h2TLS, seen, nil},
		{"d", h2TLS, seen, errors.New("exit status 2\nunknown flag\n")},
	})
	want := []string{
		"h1 over TLS of a: 64 connections, TLSv1.3 C, request of 33 bytes, then 12: host: h",
		"h2 over TLS of a, c: 64 connections, TLSv1.3 C, header block of 33 bytes, then 12: host: h",
		"h2 over TLS of b: 64 connections, TLSv1.3 C, header block of 33 bytes, then 7: host: h",
		"h2 over TLS of d: FAILED: exit status 2; unknown flag",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("lines:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEvidenceOverTLS(t *testing.T) {
	clear := []recording{{peer: "a", request: []byte("GET / HTTP/1.1\r\n\r\n")}}
	overTLS := plan{courses: []course{{protocol: h2TLS, streams: 1}}}
	overBoth := plan{courses: []course{{protocol: h2TLS, streams: 1}, {protocol: h3QUIC, streams: 1}}}
	inHTTP3 := []probe{{peer: "q", protocol: h3QUIC}}
	for _, tt := range []struct {
		name string
		plan plan
		seen evidence
		last string // the beginning of the last line
	}{
		{"clear text alone", plan{courses: []course{{}}}, evidence{keepAlive: clear}, "request of a: identical"},
		{"no nginx", overTLS, evidence{keepAlive: clear}, "over TLS: what the peers send and negotiate is NOT CHECKED"},
		{"nobody to probe", overTLS, evidence{keepAlive: clear, overTLS: []probe{}}, "over TLS: as nginx saw"},
		{"probed", overTLS, evidence{keepAlive: clear, overTLS: []probe{{peer: "a", protocol: h2TLS}}}, "h2 over TLS of a: "},
		{"probed over QUIC alone", overBoth, evidence{keepAlive: clear, overQUIC: inHTTP3}, "h3 over QUIC of q: "},
	} {
		lines := tt.seen.describe(tt.plan)
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, tt.last) {
			t.Errorf("%s: last line %q, want %q", tt.name, last, tt.last)
		}
	}
}
