package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// The header that every peer sends besides Host, in this order, so that the
// requests have the same bytes as far as a peer lets itself be told. A churn
// request has closeHeader after them.
const (
	userAgent   = "peers"
	accept      = "*/*"
	closeHeader = "Connection: close"
)

// peer is one load generator.
type peer interface {
	// name is the word on the command line and in the tables.
	name() string
	// program is the executable, looked up in PATH unless it has a slash.
	program() string
	// install is the command that installs it where it is absent, or why there
	// is none.
	install() string
	// recipes are ways to install it, the best first; none: it has to be there.
	recipes() []recipe
	// version describes the installed program; "" if its report tells.
	version() string
	// lacks says what the peer lacks for a load, so that it is left out; "" if
	// nothing.
	lacks(l load) string
	// loadArgs are the arguments for one load. Peers that would verify the
	// server's certificate are told not to.
	loadArgs(l load) []string
	// parseReport reads what a run of a load printed on standard output.
	parseReport(l load, stdout []byte) (report, error)
}

// load is what a peer is asked to do: closed loop, GET.
type load struct {
	url         string
	protocol    protocol
	connections int
	streams     int // at a time on a connection; 0 on HTTP/1.1
	seconds     int
	cpu         int    // the only one it may use; it is pinned to it before it starts
	scratchDir  string // holds the embedded files
	churn       bool   // a connection for every request
	// churnRequests are made in a churn run by a peer that cannot end one by
	// the clock.
	churnRequests int
}

// churnRequestsPerSecond is what such a peer is given for each second of the
// others. A server on one CPU answers about as many connections.
const churnRequestsPerSecond = 15_000

// report is what a peer says about its own run.
type report struct {
	requests int64   // completed, over the whole run
	rps      float64 // by its own clock
	errors   int64   // failed, refused or answered with anything but 2xx
	// Latency from a request to the end of its answer; 0 where it is not told.
	p50, p99 time.Duration
	version  string // "" if the output does not tell
	// lingered is how long it lived on after its load and did nothing.
	lingered time.Duration
}

// allPeers lists the peers there can be; those that -install brings are looked
// for in the cache folder first. The first peer is compared with each of the
// others.
func allPeers(scalbenchPath, cache string) []peer {
	return []peer{
		scalbench{path: scalbenchPath},
		wrk{path: locate(cache, "wrk")},
		h2load{path: locate(cache, "h2load")},
		bombardier{path: locate(cache, "bombardier")},
		oha{path: locate(cache, "oha")},
		h1load{path: locate(cache, "h1load")},
		quicGo{path: thisProgram},
	}
}

// onlyHTTP1 is what a peer lacks that speaks HTTP/1.1 alone.
func onlyHTTP1(l load) string {
	if l.protocol == h2TLS {
		return "it has no HTTP/2"
	}
	return noHTTP3(l)
}

// noHTTP3 is what a peer lacks that speaks the versions before it.
func noHTTP3(l load) string {
	if l.protocol == h3QUIC {
		return "it has no HTTP/3"
	}
	return ""
}

// firstLine runs a program and returns the first line of its output. Some exit
// with an error after printing their version (wrk), so the text counts.
func firstLine(program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if line == "" {
		return fmt.Sprintf("unknown (%v)", err)
	}
	return line
}
