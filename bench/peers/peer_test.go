package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func readFixture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseReport(t *testing.T) {
	tests := []struct {
		peer    peer
		fixture string
		want    report
	}{
		{wrk{}, "wrk.txt", report{requests: 217752, rps: 197601.40}},
		{wrk{}, "wrk-404.txt", report{requests: 36488, rps: 33166.21, errors: 36488}},
		// read 21181 + 10591 answers that were not 2xx
		{wrk{}, "wrk-broken.txt", report{requests: 10591, rps: 9621.88, errors: 31772}},
		// bad_status 7 + connect_failed 3
		{scalbench{}, "scalbench.json", report{requests: 750001, rps: 250000.5, errors: 10, version: "0.1.0"}},
	}
	for _, tt := range tests {
		got, err := tt.peer.parseReport(readFixture(t, tt.fixture))
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.fixture, got, err, tt.want)
		}
	}
}

func TestParseReportErrors(t *testing.T) {
	tests := []struct {
		peer         peer
		output, want string
	}{
		{wrk{}, "", "no request count"},
		{wrk{}, "unable to connect to 127.0.0.1:1 Connection refused", "no request count"},
		{wrk{}, "  10 requests in 1.10s, 1B read\n", "no request count and rate"},
		{wrk{}, "  99999999999999999999 requests in 1s\nRequests/sec: 1\n", "out of range"},
		{scalbench{}, "", "read result"},
		{scalbench{}, `{"schema": "scalbench.ab/v1"}`, `schema "scalbench.ab/v1"`},
		{scalbench{}, `{"schema": "scalbench.load/v1"}`, "no measured_s"},
		{scalbench{}, `{"schema": "scalbench.load/v1", "measured_s": 1, "validity": "invalid"}`, "invalid by its own account"},
	}
	for _, tt := range tests {
		if _, err := tt.peer.parseReport([]byte(tt.output)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %q: error %v, want one with %q", tt.peer.name(), tt.output, err, tt.want)
		}
	}
}

func TestLoadArgs(t *testing.T) {
	l := load{url: "http://h/x", connections: 64, seconds: 5, cpu: 3, scratchDir: "/s"}
	tests := []struct {
		peer peer
		want string
	}{
		{wrk{}, "-t1|-c64|-d5s|-s|/s/wrk.lua|http://h/x"},
		{scalbench{}, "load|http://h/x|-c|64|-z|5s|--cpus|3|--server-pid|none|-H|User-Agent: peers|-H|Accept: */*|--output-format|json|--quiet"},
	}
	for _, tt := range tests {
		if got := strings.Join(tt.peer.loadArgs(l), "|"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.peer.name(), got, tt.want)
		}
	}
}

// The script and the flags must ask for the same header.
func TestWrkScriptSendsTheHeader(t *testing.T) {
	script, err := files.ReadFile(wrkScript)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"User-Agent: " + userAgent, "Accept: " + accept} {
		if !strings.Contains(string(script), `"`+line+`\r\n"`) {
			t.Errorf("%s does not send %q", wrkScript, line)
		}
	}
}

func TestParseListening(t *testing.T) {
	if got, err := parseListening("listening http://127.0.0.1:8080\n"); err != nil || got != "http://127.0.0.1:8080" {
		t.Errorf("parseListening = %q, %v", got, err)
	}
	for _, line := range []string{"", "http://127.0.0.1:1", "listening on 80", "listening https://127.0.0.1:1"} {
		if _, err := parseListening(line); err == nil {
			t.Errorf("parseListening(%q) succeeded", line)
		}
	}
}

func TestCompareRequests(t *testing.T) {
	a := recording{peer: "a", request: []byte("GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\n\r\n")}
	reordered := recording{peer: "b", request: []byte("GET / HTTP/1.1\r\nX: 1\r\nHost: h\r\n\r\n")}
	other := recording{peer: "c", request: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")}
	for _, tt := range []struct {
		recordings []recording
		want       string
	}{
		{[]recording{a}, "33 bytes: "},
		{[]recording{a, a}, "identical, 33 bytes: "}, // 16 + 9 + 6 + 2
		{[]recording{a, a, reordered}, "the same lines in different order, 33 bytes: "},
		{[]recording{a, reordered, other}, "DIFFERENT: a 33 bytes: "},
	} {
		if got := compareRequests(tt.recordings); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%d requests: %s, want %s...", len(tt.recordings), got, tt.want)
		}
	}
}

func TestPlan(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "scalbench")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := parsePlan([]string{"-scalbench", binary, "-peers", "scalbench", "-servers", "target", "-paths", "/respond", "-rounds", "2"}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.peers) != 1 || len(p.servers) != 1 || p.rounds != 2 || p.load.connections != 64 || p.load.cpu != 1 {
		t.Errorf("plan = %+v", p)
	}
	if got := p.pathsOf(p.servers[0]); !slices.Equal(got, []string{"/respond"}) {
		t.Errorf("paths = %v, want the one asked for", got)
	}

	for _, tt := range []struct{ args, want string }{
		{"-peers nope", `no peer "nope": there are scalbench, wrk`},
		{"-servers sink,sink", `server "sink" is named twice`},
		{"-rounds 0", "-rounds 0: want at least 1"},
		{"-server-cpu 1", "-server-cpu and -peer-cpu are both 1"},
		{"-servers sink -paths /static-small", "none of the servers has it"},
		{"extra", `unexpected argument "extra"`},
		{"-peers scalbench -scalbench ./absent", "scalbench is absent: go build -o ./absent ./cmd/scalbench"},
	} {
		if _, err := parsePlan(strings.Fields(tt.args), os.Stderr); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}
