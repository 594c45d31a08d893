package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// wrk is wg/wrk, with a script that fixes the bytes of its request. It verifies
// no certificate.
type wrk struct {
	path string
}

const wrkScript = "wrk.lua"

func (wrk) name() string      { return "wrk" }
func (w wrk) program() string { return w.path }
func (wrk) install() string   { return aptRecipe("wrk").String() }
func (wrk) recipes() []recipe { return []recipe{aptRecipe("wrk")} }
func (w wrk) version() string { return firstLine(w.path, "-v") }

func (wrk) lacks(l load) string { return onlyHTTP1(l) }

func (wrk) loadArgs(l load) []string {
	args := []string{
		"-t1",
		fmt.Sprintf("-c%d", l.connections),
		fmt.Sprintf("-d%ds", l.seconds),
		"--latency", // changes what is printed, not what is measured
		"-s", filepath.Join(l.scratchDir, wrkScript),
	}
	if l.churn {
		args = append(args, "-H", closeHeader) // the script puts it in
	}
	return append(args, l.url)
}

// The lines of wrk's report that count. The last two are there only when it
// has something to say in them.
var (
	wrkRequests = regexp.MustCompile(`(?m)^\s*(\d+) requests in `)
	wrkRate     = regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)`)
	wrkP50      = regexp.MustCompile(`(?m)^\s*50%\s+([0-9.]+(?:us|ms|s|m|h))$`)
	wrkP99      = regexp.MustCompile(`(?m)^\s*99%\s+([0-9.]+(?:us|ms|s|m|h))$`)
	wrkStatus   = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses: (\d+)`)
	wrkSockets  = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
)

func (wrk) parseReport(_ load, stdout []byte) (report, error) {
	requests := wrkRequests.FindSubmatch(stdout)
	rate := wrkRate.FindSubmatch(stdout)
	if requests == nil || rate == nil {
		return report{}, fmt.Errorf("no request count and rate in %q", stdout)
	}
	var r report
	var err error
	if r.requests, err = strconv.ParseInt(string(requests[1]), 10, 64); err != nil {
		return report{}, err
	}
	if r.rps, err = strconv.ParseFloat(string(rate[1]), 64); err != nil {
		return report{}, err
	}
	r.p50, r.p99 = wrkTime(wrkP50, stdout), wrkTime(wrkP99, stdout)
	for _, line := range []*regexp.Regexp{wrkStatus, wrkSockets} {
		match := line.FindSubmatch(stdout)
		if match == nil {
			continue
		}
		for _, digits := range match[1:] {
			n, err := strconv.ParseInt(string(digits), 10, 64)
			if err != nil {
				return report{}, err
			}
			r.errors += n
		}
	}
	return r, nil
}

// wrkTime reads a line such as "50%   81.00us", 0 where it is not there. Its
// units are those of Go.
func wrkTime(line *regexp.Regexp, stdout []byte) time.Duration {
	match := line.FindSubmatch(stdout)
	if match == nil {
		return 0
	}
	d, err := time.ParseDuration(string(match[1]))
	if err != nil {
		return 0
	}
	return d
}
