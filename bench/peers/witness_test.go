package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Of every connection the first request is remembered, until it is forgotten.
func TestWitness(t *testing.T) {
	at := site{scratchDir: t.TempDir(), over: quicUDP}
	if err := writeCertificate(at.scratchDir, time.Now()); err != nil {
		t.Fatal(err)
	}
	roots, err := readRoots(filepath.Join(at.scratchDir, certificateFile))
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWitness(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	url := at.url(w.port()) + probePath
	for range 2 {
		client, end := clientOf(h3QUIC, roots)
		defer end()
		for range 2 {
			if err := ask(t.Context(), client, url, h3QUIC); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines, err := w.lines()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := sumUp(lines)
	// The fields that quic-go's http3 adds where nothing is said.
	want := "2 connections, TLS 1.3 TLS_AES_128_GCM_SHA256: host: " + strings.TrimPrefix(at.url(w.port()), "https://") +
		", accept-encoding: gzip, user-agent: quic-go HTTP/3"
	if err != nil || seen.String() != want || seen.http != "HTTP/3.0" {
		t.Errorf("%s in %s, %v, want %s", seen, seen.http, err, want)
	}
	if err := seen.suits(load{protocol: h3QUIC, connections: 2}); err != nil {
		t.Errorf("what did as it was asked: %v", err)
	}
	if err := w.forget(); err != nil {
		t.Fatal(err)
	}
	if lines, err := w.lines(); err != nil || len(lines) != 0 {
		t.Errorf("%d lines are left, %v", len(lines), err)
	}
}

// A witness cannot be without a certificate.
func TestWitnessErrors(t *testing.T) {
	if w, err := newWitness(site{scratchDir: t.TempDir()}); err == nil {
		t.Errorf("a server without a certificate, %v", w.close())
	}
}

// Every peer with HTTP/3 that is installed does what it is asked, and sends what
// the others send: quicgo is always there.
func TestProbeOverQUIC(t *testing.T) {
	scratch, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(scratch) })
	cpu := lastCPU(t)
	for _, p := range []peer{quicGo{path: thisProgram}, oha{path: locate(testCache(), "oha")}} {
		t.Run(p.name(), func(t *testing.T) {
			if _, err := exec.LookPath(p.program()); err != nil {
				t.Skipf("not installed: %s", p.install())
			}
			if why := p.lacks(load{protocol: h3QUIC}); why != "" {
				t.Skip(why)
			}
			asked := plan{
				peers: []peer{p}, courses: []course{{protocol: h3QUIC, streams: 1}},
				serverCPU: cpu, load: load{cpu: cpu, scratchDir: scratch, connections: 3},
			}
			probes, err := probeOverQUIC(t.Context(), asked)
			if err != nil || len(probes) != 1 || probes[0].err != nil {
				t.Fatalf("probes %+v, %v", probes, err)
			}
			got := probes[0].seen
			fields := strings.Join(got.fields, ", ")
			if got.connections != 3 || got.cipher != "TLS_AES_128_GCM_SHA256" || !strings.HasSuffix(fields, ", accept: */*, user-agent: peers") {
				t.Errorf("it saw %s", got)
			}
		})
	}
}
