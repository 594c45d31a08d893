package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// The header that every peer sends besides Host, in this order, so that the
// requests have the same bytes.
const (
	userAgent = "peers"
	accept    = "*/*"
)

// peer is one load generator.
type peer interface {
	// name is the word on the command line and in the tables.
	name() string
	// program is the executable, looked up in PATH unless it has a slash.
	program() string
	// install is the command that installs it where it is absent.
	install() string
	// versionArgs make it print its version; nil if its report tells.
	versionArgs() []string
	// loadArgs are the arguments for one load.
	loadArgs(l load) []string
	// parseReport reads what a run printed on standard output.
	parseReport(stdout []byte) (report, error)
}

// load is what a peer is asked to do: closed loop, HTTP/1.1, keep-alive.
type load struct {
	url         string
	connections int
	seconds     int
	cpu         int    // the only one it may use; it is pinned to it before it starts
	scratchDir  string // holds the embedded files
}

// report is what a peer says about its own run.
type report struct {
	requests int64   // completed, over the whole run
	rps      float64 // by its own clock
	errors   int64   // failed, refused or answered with anything but 2xx
	version  string  // "" if the output does not tell
}

// allPeers lists the peers there can be. The first one is compared with each of
// the others.
func allPeers(scalbenchPath string) []peer {
	return []peer{scalbench{path: scalbenchPath}, wrk{}}
}

// peerVersion asks an installed peer for its version: the first line that it
// prints. Some exit with an error after printing it (wrk), so the text counts.
func peerVersion(p peer) string {
	if p.versionArgs() == nil {
		return ""
	}
	return firstLine(p.program(), p.versionArgs()...)
}

// firstLine runs a program and returns the first line of its output.
func firstLine(program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if line == "" {
		return fmt.Sprintf("unknown (%v)", err)
	}
	return line
}
