package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// oha is hatoo/oha. Without its live view it takes its fast path, which starts
// a thread for each physical core whatever TOKIO_WORKER_THREADS says; they all
// share the one CPU that it is pinned to, and the table tells how many there
// were.
type oha struct {
	path string
}

const (
	ohaVersion = "1.16.0"
	ohaHTTP3   = "http3" // the feature
)

func (oha) name() string      { return "oha" }
func (o oha) program() string { return o.path }
func (o oha) install() string { return o.recipes()[0].String() }

// recipes: h3 is not in oha's default build, and its libraries do not compile
// everywhere.
func (oha) recipes() []recipe {
	return []recipe{cargoRecipe("oha", ohaVersion, ohaHTTP3), cargoRecipe("oha", ohaVersion)}
}

// features are those of the build, beside the default ones, if cargo's records are
// where it put oha.
func (o oha) features() (features []string, found bool) {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(o.path)), cargoRecords))
	if err != nil {
		return nil, false
	}
	return builtFeatures(data, "oha")
}

// version adds the features of the build, which oha does not print.
func (o oha) version() string {
	version := firstLine(o.path, "--version")
	features, found := o.features()
	switch {
	case !found:
		return version
	case len(features) == 0:
		return version + ", default features"
	}
	return version + ", with " + strings.Join(features, ", ")
}

// lacks: of an unknown build its probe tells.
func (o oha) lacks(l load) string {
	features, found := o.features()
	if l.protocol == h3QUIC && found && !slices.Contains(features, ohaHTTP3) {
		return "it was built without HTTP/3"
	}
	return ""
}

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
	switch l.protocol {
	case h2TLS:
		args = append(args, "--http2", "-p", fmt.Sprint(l.streams))
	case h3QUIC:
		args = append(args, "--http-version", "3", "-p", fmt.Sprint(l.streams))
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
//
// After a load of HTTP/3 it says goodbye (GOAWAY, RFC 9114, 5.2) and waits for the
// server to close, which it need not do: until the server gives up connections
// without a request, or its own 30 s are over. oha's total time has that in it.
func (oha) parseReport(l load, stdout []byte) (report, error) {
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
	loaded := result.Summary.TotalSeconds
	if l.protocol == h3QUIC {
		loaded = min(loaded, float64(l.seconds))
		r.lingered = seconds(result.Summary.TotalSeconds - loaded)
	}
	r.rps = float64(r.requests) / loaded
	if p50 := result.PercentileSeconds["p50"]; p50 != nil {
		r.p50 = seconds(*p50)
	}
	if p99 := result.PercentileSeconds["p99"]; p99 != nil {
		r.p99 = seconds(*p99)
	}
	return r, nil
}
