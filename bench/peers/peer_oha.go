package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// oha is hatoo/oha. Without its live view it takes its fast path, which starts
// a thread for each physical core whatever TOKIO_WORKER_THREADS says; they all
// share the one CPU that it is pinned to, and the table tells how many there
// were.
type oha struct {
	path string
}

const ohaVersion = "1.16.0"

func (oha) name() string      { return "oha" }
func (o oha) program() string { return o.path }
func (o oha) install() string { return o.recipes()[0].String() }

// recipes: h3 is not in oha's default build, and its libraries do not compile
// everywhere.
func (oha) recipes() []recipe {
	return []recipe{cargoRecipe("oha", ohaVersion, "http3"), cargoRecipe("oha", ohaVersion)}
}

// version adds the features of the build, which oha does not print.
func (o oha) version() string {
	version := firstLine(o.path, "--version")
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(o.path)), cargoRecords))
	if err != nil {
		return version
	}
	features, found := builtFeatures(data, "oha")
	switch {
	case !found:
		return version
	case len(features) == 0:
		return version + ", default features"
	}
	return version + ", with " + strings.Join(features, ", ")
}

func (oha) lacks(load) string { return "" }

func (oha) loadArgs(l load) []string {
	args := []string{
		"--no-tui",
		"--output-format", "json",
		"-c", fmt.Sprint(l.connections),
		"-z", fmt.Sprintf("%ds", l.seconds),
		"--disable-compression", // or it sends Accept-Encoding
		"-H", "User-Agent: " + userAgent,
		"-H", "Accept: " + accept,
	}
	if l.protocol.secure() {
		args = append(args, "--insecure")
	}
	if l.protocol == h2TLS {
		args = append(args, "--http2", "-p", fmt.Sprint(l.streams))
	}
	if l.churn {
		args = append(args, "--disable-keepalive") // brings closeHeader
	}
	return append(args, l.url)
}

// ohaDeadline is how oha names the requests that it cut off at its end, neither
// completed nor failed: one for each that a connection has at a time.
const ohaDeadline = "aborted due to deadline"

// parseReport counts what was answered. oha's own requestsPerSec counts what it
// cut off and every failed connect too.
func (oha) parseReport(stdout []byte) (report, error) {
	var result struct {
		Summary struct {
			TotalSeconds float64 `json:"total"`
		} `json:"summary"`
		// null where nothing succeeded
		PercentileSeconds map[string]*float64 `json:"latencyPercentiles"`
		Status            map[string]int64    `json:"statusCodeDistribution"`
		Errors            map[string]int64    `json:"errorDistribution"`
	}
	if err := json.Unmarshal(stdout, &result); err != nil {
		return report{}, fmt.Errorf("read result: %w", err)
	}
	if result.Summary.TotalSeconds <= 0 {
		return report{}, errors.New("result has no total time")
	}
	var r report
	for status, n := range result.Status {
		r.requests += n
		if !strings.HasPrefix(status, "2") {
			r.errors += n
		}
	}
	for text, n := range result.Errors {
		if text != ohaDeadline {
			r.errors += n
		}
	}
	r.rps = float64(r.requests) / result.Summary.TotalSeconds
	if p50 := result.PercentileSeconds["p50"]; p50 != nil {
		r.p50 = seconds(*p50)
	}
	if p99 := result.PercentileSeconds["p99"]; p99 != nil {
		r.p99 = seconds(*p99)
	}
	return r, nil
}
