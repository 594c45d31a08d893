package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWriteResults(t *testing.T) {
	seen := evidence{
		keepAlive: []recording{{peer: "scalbench", version: "0.1.0", request: []byte("GET")}},
		churn:     []recording{{peer: "scalbench", request: []byte("GET close")}},
	}
	h := heat{
		server: "nginx", course: course{label: "churn", path: "/respond", churn: true},
		load: load{connections: 64, seconds: 2}, rounds: 3,
		samples: map[string][]sample{"scalbench": {{
			requests: 100, errors: 1, rps: 50, p50: 1500, p99: 2 * time.Microsecond, cpuMicrosPerRequest: 4,
			peakRSSBytes: 8, threads: 5, peerBusyFrac: 0.5, serverBusyFrac: 0.6, underLoadFrac: 0.7,
		}}},
		failed:   map[string]error{"wrk": errors.New("round 1: no")},
		timeWait: timeWaits{bound: 1000, most: 900, paused: 1500 * time.Millisecond},
	}
	overTLS := heat{
		server: "nginx", course: course{label: "tls-h2", path: "/static-small", protocol: h2TLS, streams: 1},
		load: load{connections: 64, seconds: 3}, rounds: 5,
		skipped: map[string]string{"wrk": "it has no HTTP/2"},
	}
	a := agreement{server: "nginx", course: "churn", rows: []agreementRow{
		{peer: "scalbench", rps: 50, difference: math.NaN(), verdict: verdictReference},
		{peer: "wrk", rps: 51, difference: 0.02, least: 0.01, largest: 0.03, verdict: verdictDiffers},
	}}
	path := filepath.Join(t.TempDir(), "results.json")
	if err := writeResults(path, newResults([]string{"date: today"}, seen, []heat{h, overTLS}, []agreement{a})); err != nil {
		t.Fatal(err)
	}
	const wantText = `{"schema": "scalbench.peers/v1", "facts": ["date: today"],
		"peers": [{"name": "scalbench", "version": "0.1.0", "request": "GET", "churn_request": "GET close"}],
		"heats": [{"server": "nginx", "course": "churn", "path": "/respond", "churn": true,
			"protocol": "h1", "tls": false, "connections": 64, "seconds": 2, "rounds": 3,
			"samples": {"scalbench": [{"requests": 100, "errors": 1, "rps": 50, "p50_us": 1.5, "p99_us": 2, "cpu_us_per_request": 4,
				"peak_rss_bytes": 8, "threads": 5, "peer_busy": 0.5, "server_busy": 0.6, "server_busy_under_load": 0.7}]},
			"failed": {"wrk": "round 1: no"},
			"time_wait": {"bound_sockets": 1000, "most_sockets": 900, "paused_s": 1.5}},
			{"server": "nginx", "course": "tls-h2", "path": "/static-small", "churn": false, "protocol": "h2", "tls": true, "streams": 1,
			"connections": 64, "seconds": 3, "rounds": 5, "samples": {}, "skipped": {"wrk": "it has no HTTP/2"}}],
		"agreements": [{"server": "nginx", "course": "churn", "rows": [
			{"peer": "scalbench", "rps": 50, "server_busy_under_load": 0, "verdict": "reference"},
			{"peer": "wrk", "rps": 51, "server_busy_under_load": 0, "difference": 0.02, "difference_min": 0.01, "difference_max": 0.03,
				"verdict": "DIFFERS by more than 1 %"}]}]}`
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(data, &got), json.Unmarshal([]byte(wantText), &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}
