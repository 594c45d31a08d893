package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"
)

// resultsSchema names the format of the file that -json writes. It only grows;
// readers ignore keys that they do not know.
const resultsSchema = "scalbench.peers/v1"

// resultsFile is that file. Fractions are of one CPU; what was not measured is
// absent.
type resultsFile struct {
	Schema     string            `json:"schema"`
	Facts      []string          `json:"facts"` // the lines above the tables
	Peers      []peerResult      `json:"peers"`
	Heats      []heatResult      `json:"heats"`
	Agreements []agreementResult `json:"agreements"`
}

type peerResult struct {
	Name         string `json:"name"`
	Version      string `json:"version"`
	Request      string `json:"request,omitempty"` // its bytes; absent of one without HTTP/1.1
	ChurnRequest string `json:"churn_request,omitempty"`
}

type heatResult struct {
	Server      string                    `json:"server"`
	Course      string                    `json:"course"`
	Path        string                    `json:"path"`
	Churn       bool                      `json:"churn"`
	Protocol    string                    `json:"protocol"` // h1, h2 or h3
	TLS         bool                      `json:"tls"`
	Streams     int                       `json:"streams,omitempty"` // at a time on a connection; absent on HTTP/1.1
	Connections int                       `json:"connections"`
	Seconds     int                       `json:"seconds"`
	Rounds      int                       `json:"rounds"`
	Samples     map[string][]sampleResult `json:"samples"` // by peer, in the order of the rounds
	Skipped     map[string]string         `json:"skipped,omitempty"`
	Failed      map[string]string         `json:"failed,omitempty"`
	TimeWait    *timeWaitResult           `json:"time_wait,omitempty"`
}

type timeWaitResult struct {
	BoundSockets int     `json:"bound_sockets"`
	MostSockets  int     `json:"most_sockets"`
	PausedS      float64 `json:"paused_s"`
}

type sampleResult struct {
	Requests        int64   `json:"requests"`
	Errors          int64   `json:"errors"`
	RPS             float64 `json:"rps"`
	P50us           float64 `json:"p50_us,omitempty"`
	P99us           float64 `json:"p99_us,omitempty"`
	CPUusPerRequest float64 `json:"cpu_us_per_request"`
	PeakRSSBytes    int64   `json:"peak_rss_bytes"`
	Threads         int     `json:"threads"`
	PeerBusy        float64 `json:"peer_busy"`
	ServerBusy      float64 `json:"server_busy"`
	ServerUnderLoad float64 `json:"server_busy_under_load"`
}

type agreementResult struct {
	Server string               `json:"server"`
	Course string               `json:"course"`
	Rows   []agreementRowResult `json:"rows"`
}

type agreementRowResult struct {
	Peer            string   `json:"peer"`
	RPS             float64  `json:"rps"`
	P50us           float64  `json:"p50_us,omitempty"`
	P99us           float64  `json:"p99_us,omitempty"`
	ServerUnderLoad float64  `json:"server_busy_under_load"`
	Difference      *float64 `json:"difference,omitempty"` // of rps, by the first peer's
	Least           *float64 `json:"difference_min,omitempty"`
	Largest         *float64 `json:"difference_max,omitempty"`
	Verdict         string   `json:"verdict"`
}

// newResults collects everything that was measured.
func newResults(facts []string, seen evidence, heats []heat, all []agreement) resultsFile {
	file := resultsFile{Schema: resultsSchema, Facts: facts}
	for i, rec := range seen.keepAlive {
		p := peerResult{Name: rec.peer, Version: rec.version, Request: string(rec.request)}
		if seen.churn != nil {
			p.ChurnRequest = string(seen.churn[i].request)
		}
		file.Peers = append(file.Peers, p)
	}
	for _, h := range heats {
		file.Heats = append(file.Heats, newHeatResult(h))
	}
	for _, a := range all {
		result := agreementResult{Server: a.server, Course: a.course}
		for _, row := range a.rows {
			result.Rows = append(result.Rows, newAgreementRowResult(row))
		}
		file.Agreements = append(file.Agreements, result)
	}
	return file
}

func newHeatResult(h heat) heatResult {
	result := heatResult{
		Server: h.server, Course: h.course.name(), Path: h.course.path, Churn: h.course.churn,
		Protocol: h.course.protocol.version(), TLS: h.course.protocol.secure(), Streams: h.course.streams, Skipped: h.skipped,
		Connections: h.load.connections, Seconds: h.load.seconds, Rounds: h.rounds,
		Samples: make(map[string][]sampleResult),
	}
	for name, samples := range h.samples {
		for _, s := range samples {
			result.Samples[name] = append(result.Samples[name], sampleResult{
				Requests: s.requests, Errors: s.errors, RPS: s.rps,
				P50us: inMicros(s.p50), P99us: inMicros(s.p99),
				CPUusPerRequest: s.cpuMicrosPerRequest, PeakRSSBytes: s.peakRSSBytes, Threads: s.threads,
				PeerBusy: s.peerBusyFrac, ServerBusy: s.serverBusyFrac, ServerUnderLoad: s.underLoadFrac,
			})
		}
	}
	for name, err := range h.failed {
		if result.Failed == nil {
			result.Failed = make(map[string]string)
		}
		result.Failed[name] = err.Error()
	}
	if h.course.churn {
		result.TimeWait = &timeWaitResult{
			BoundSockets: h.timeWait.bound, MostSockets: h.timeWait.most, PausedS: h.timeWait.paused.Seconds(),
		}
	}
	return result
}

func newAgreementRowResult(row agreementRow) agreementRowResult {
	result := agreementRowResult{
		Peer: row.peer, RPS: row.rps, P50us: inMicros(row.p50), P99us: inMicros(row.p99),
		ServerUnderLoad: row.underLoadFrac, Verdict: row.verdict,
	}
	if !math.IsNaN(row.difference) {
		result.Difference, result.Least, result.Largest = &row.difference, &row.least, &row.largest
	}
	return result
}

// inMicros is a time as a number of microseconds.
func inMicros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// writeResults writes the file as indented JSON.
func writeResults(path string, file resultsFile) error {
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
