package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// h2load is nghttp2's load generator. It speaks HTTP/2 unless told otherwise,
// writes header names in lower case even in HTTP/1.1, and verifies no
// certificate. Of latency it tells the mean and the standard deviation, and
// no percentile but through a log file with a line for every request, whose
// writing would be charged to it.
type h2load struct {
	path string
}

func (h2load) name() string      { return "h2load" }
func (h h2load) program() string { return h.path }
func (h2load) install() string   { return aptRecipe("nghttp2-client").String() }
func (h2load) recipes() []recipe { return []recipe{aptRecipe("nghttp2-client")} }
func (h h2load) version() string { return firstLine(h.path, "--version") }

// lacks: it has HTTP/3 where it was built with ngtcp2, which Debian's was not, and
// its flow-control windows there are other ones.
func (h2load) lacks(l load) string { return noHTTP3(l) }

// h2loadWindowBits are the flow-control windows of a stream and of a connection
// (RFC 9113, 6.9): 2^30-1 bytes, so that it hardly ever sends WINDOW_UPDATE.
// That is its default, named so that another version measures the same.
const h2loadWindowBits = 30

func (h2load) loadArgs(l load) []string {
	var args []string
	if l.protocol == h2TLS {
		args = append(args, fmt.Sprintf("-m%d", l.streams),
			fmt.Sprintf("-w%d", h2loadWindowBits), fmt.Sprintf("-W%d", h2loadWindowBits))
	} else {
		args = append(args, "--h1")
	}
	args = append(args,
		"-t1",
		fmt.Sprintf("-c%d", l.connections),
		"-H", "User-Agent: "+userAgent,
		"-H", "Accept: "+accept,
	)
	if l.churn {
		// By the clock (-D) it goes on connecting after the end and never
		// exits, seen with 1.52.
		args = append(args, "-H", closeHeader, fmt.Sprintf("-n%d", l.churnRequests))
	} else {
		args = append(args, fmt.Sprintf("-D%d", l.seconds))
	}
	return append(args, l.url)
}

// The lines of h2load's report that count.
var (
	h2loadRate     = regexp.MustCompile(`(?m)^finished in [^,]+, ([0-9.]+) req/s`)
	h2loadRequests = regexp.MustCompile(`(?m)^requests: \d+ total, \d+ started, (\d+) done, \d+ succeeded, (\d+) failed`)
	h2loadStatus   = regexp.MustCompile(`(?m)^status codes: \d+ 2xx, (\d+) 3xx`)
)

// parseReport counts redirects among the errors, which h2load does not; what it
// calls errored or timed out is in its failed.
func (h2load) parseReport(_ load, stdout []byte) (report, error) {
	rate := h2loadRate.FindSubmatch(stdout)
	requests := h2loadRequests.FindSubmatch(stdout)
	status := h2loadStatus.FindSubmatch(stdout)
	if rate == nil || requests == nil || status == nil {
		return report{}, fmt.Errorf("no rate, request count and status codes in %q", stdout)
	}
	var r report
	var err error
	if r.rps, err = strconv.ParseFloat(string(rate[1]), 64); err != nil {
		return report{}, err
	}
	if r.requests, err = strconv.ParseInt(string(requests[1]), 10, 64); err != nil {
		return report{}, err
	}
	for _, digits := range [][]byte{requests[2], status[1]} {
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil {
			return report{}, err
		}
		r.errors += n
	}
	return r, nil
}
