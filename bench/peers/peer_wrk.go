package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
)

// wrk is wg/wrk, with a script that fixes the bytes of its request.
type wrk struct{}

const wrkScript = "wrk.lua"

func (wrk) name() string          { return "wrk" }
func (wrk) program() string       { return "wrk" }
func (wrk) install() string       { return "apt-get install wrk" }
func (wrk) versionArgs() []string { return []string{"-v"} }

func (wrk) loadArgs(l load) []string {
	return []string{
		"-t1",
		fmt.Sprintf("-c%d", l.connections),
		fmt.Sprintf("-d%ds", l.seconds),
		"-s", filepath.Join(l.scratchDir, wrkScript),
		l.url,
	}
}

// The lines of wrk's report that count. The last two are there only when it
// has something to say in them.
var (
	wrkRequests = regexp.MustCompile(`(?m)^\s*(\d+) requests in `)
	wrkRate     = regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)`)
	wrkStatus   = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses: (\d+)`)
	wrkSockets  = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
)

func (wrk) parseReport(stdout []byte) (report, error) {
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
