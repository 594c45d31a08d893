package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// h2load is nghttp2's load generator, kept to HTTP/1.1. It writes header names
// in lower case. Of latency it tells the mean and the standard deviation, and
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

func (h2load) loadArgs(l load) []string {
	args := []string{
		"--h1",
		"-t1",
		fmt.Sprintf("-c%d", l.connections),
		"-H", "User-Agent: " + userAgent,
		"-H", "Accept: " + accept,
	}
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
func (h2load) parseReport(stdout []byte) (report, error) {
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
