package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// scalbench is the load command of this repository's binary.
type scalbench struct {
	path string
}

func (scalbench) name() string      { return "scalbench" }
func (s scalbench) program() string { return s.path }
func (s scalbench) install() string { return "go build -o " + s.path + " ./cmd/scalbench" }
func (scalbench) recipes() []recipe { return nil }
func (scalbench) version() string   { return "" }
func (scalbench) lacks(load) string { return "" }

func (scalbench) loadArgs(l load) []string {
	args := []string{
		"load", l.url, "--no-save",
		"-c", strconv.Itoa(l.connections),
		"-z", fmt.Sprintf("%ds", l.seconds),
		"--cpus", strconv.Itoa(l.cpu),
		"--server-pid", "none",
		"-H", "User-Agent: " + userAgent,
		"-H", "Accept: " + accept,
		"--output-format", "json",
		"--quiet",
	}
	if l.protocol.secure() {
		args = append(args, "--insecure")
	}
	switch l.protocol {
	case h2TLS:
		args = append(args, "--http2", "-p", strconv.Itoa(l.streams))
	case h3QUIC:
		args = append(args, "--http3", "-p", strconv.Itoa(l.streams))
	}
	if l.churn {
		args = append(args, "--disable-keepalive") // brings closeHeader
	}
	return args
}

// loadSchema names the result format whose keys are read below.
const loadSchema = "scalbench.load/v1"

func (scalbench) parseReport(_ load, stdout []byte) (report, error) {
	var result struct {
		Schema   string  `json:"schema"`
		Version  string  `json:"version"`
		RPS      float64 `json:"rps"`
		Measured float64 `json:"measured_s"`
		// Of these the rate is made; what was still in flight at the end of the
		// window is a connection's worth each and not in it.
		CompletedInWindow int64  `json:"completed_in_window"`
		Validity          string `json:"validity"`
		Ledger            struct {
			Errors map[string]struct{ Sent, Unsent int64 } `json:"errors"`
		} `json:"ledger"`
		Latency struct {
			// Service time is what the others call latency: they start the
			// clock when they send.
			Service struct {
				P50Micros float64 `json:"p50_us"`
				P99Micros float64 `json:"p99_us"`
			} `json:"service"`
		} `json:"latency"`
	}
	if err := json.Unmarshal(stdout, &result); err != nil {
		return report{}, fmt.Errorf("read result: %w", err)
	}
	if result.Schema != loadSchema {
		return report{}, fmt.Errorf("result has schema %q, want %q", result.Schema, loadSchema)
	}
	if result.Measured <= 0 {
		return report{}, errors.New("result has no measured_s")
	}
	if result.Validity == "invalid" {
		return report{}, errors.New("result is invalid by its own account")
	}
	r := report{
		requests: result.CompletedInWindow,
		rps:      result.RPS,
		p50:      micros(result.Latency.Service.P50Micros),
		p99:      micros(result.Latency.Service.P99Micros),
		version:  result.Version,
	}
	for _, outcome := range result.Ledger.Errors {
		r.errors += outcome.Sent + outcome.Unsent
	}
	return r, nil
}
