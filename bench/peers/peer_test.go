package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func readFixture(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The fixtures are what the programs printed in runs of a second, but for
// h1load.txt, which is composed after h1load's source.
func TestParseReport(t *testing.T) {
	const us = time.Microsecond
	tests := []struct {
		peer    peer
		fixture string
		want    report
	}{
		{wrk{}, "wrk.txt", report{requests: 217752, rps: 197601.40}}, // without --latency
		{wrk{}, "wrk-latency.txt", report{requests: 104790, rps: 95296.56, p50: 81 * us, p99: 464 * us}},
		{wrk{}, "wrk-404.txt", report{requests: 36488, rps: 33166.21, errors: 36488}},
		// read 21181 + 10591 answers that were not 2xx
		{wrk{}, "wrk-broken.txt", report{requests: 10591, rps: 9621.88, errors: 31772}},
		// bad_status 7 + connect_failed 3
		{scalbench{}, "scalbench.json", report{requests: 750001, rps: 250000.5, errors: 10, version: "0.1.0", p50: 240125 * time.Nanosecond, p99: 512 * us}},
		{h2load{}, "h2load.txt", report{requests: 80273, rps: 80273}},
		{h2load{}, "h2load-404.txt", report{requests: 62257, rps: 62257, errors: 62257}},
		{h2load{}, "h2load-churn.txt", report{requests: 20000, rps: 28706.14}},
		{h2load{}, "h2load-refused.txt", report{}},
		{h2load{}, "h2load-h2.txt", report{requests: 90763, rps: 90763}},
		{h2load{}, "h2load-h2-10.txt", report{requests: 152942, rps: 152942}},
		{h2load{}, "h2load-tls-h1.txt", report{requests: 33043, rps: 33043}},
		// 70602 / 1.034156309 s, and not the 69612 of its own mean
		{bombardier{}, "bombardier.json", report{requests: 70602, rps: 70602 / 1.034156309, p50: 107 * us, p99: 323 * us}},
		{bombardier{}, "bombardier-404.json", report{requests: 56276, rps: 56276 / 1.000247463, errors: 56276, p50: 30 * us, p99: 150 * us}},
		{bombardier{}, "bombardier-refused.json", report{errors: 47675, p50: 47 * us, p99: 2572 * us}},
		// The 6 that were cut off are in oha's own 59565.7/s and not here.
		{oha{}, "oha.json", report{requests: 59834, rps: 59834 / 1.004604281, p50: 95805 * time.Nanosecond, p99: 652210 * time.Nanosecond}},
		{oha{}, "oha-404.json", report{requests: 60225, rps: 60225 / 1.022659159, errors: 60225, p50: 77766 * time.Nanosecond, p99: 550057 * time.Nanosecond}},
		{oha{}, "oha-churn.json", report{requests: 23045, rps: 23045 / 1.005163, p50: 255513 * time.Nanosecond, p99: 1955626 * time.Nanosecond}},
		{oha{}, "oha-refused.json", report{errors: 67587}},
		// 64 connections of 10 streams: the 533 that were cut off do not count.
		{oha{}, "oha-h2-10.json", report{requests: 103298, rps: 103298 / 1.013762875, p50: 5693036 * time.Nanosecond, p99: 12596225 * time.Nanosecond}},
		// (200000 + 210000) / 2, without the last row; 3 + 10 of 4xx
		{h1load{}, "h1load.txt", report{requests: 410064, rps: 205000, errors: 13, p50: 306 * us, p99: 515 * us}},
	}
	for _, tt := range tests {
		got, err := tt.peer.parseReport(load{}, readFixture(t, tt.fixture))
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.fixture, got, err, tt.want)
		}
	}
}

// Over HTTP/3 a report is read by what was asked for: one second, and 10 streams on
// each of 64 connections.
func TestParseReportOfHTTP3(t *testing.T) {
	l := load{protocol: h3QUIC, streams: 10, seconds: 1}
	elapsed := 1.024551371 // a variable: a quotient of constants is rounded once, and not twice
	for _, tt := range []struct {
		peer    peer
		fixture string
		want    report
	}{
		// The 633 that were cut off do not count. Of its 3.038218803 s it waited all
		// but the first.
		{oha{}, "oha-h3-10.json", report{requests: 19327, rps: 19327, p50: 30169575, p99: 61000563, lingered: 2038218803}},
		{quicGo{}, "quicgo.json", report{requests: 18019, rps: 18019 / elapsed, p50: 33341439, p99: 83623935}},
		{quicGo{}, "quicgo-404.json", report{requests: 2147, rps: 2147 / 0.200206602, errors: 2147, p50: 262399, p99: 2076671}},
	} {
		got, err := tt.peer.parseReport(l, readFixture(t, tt.fixture))
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.fixture, got, err, tt.want)
		}
	}
	// One that ended early lingered no time.
	l.seconds = 5
	got, err := oha{}.parseReport(l, readFixture(t, "oha-h3-10.json"))
	if want := 19327 / 3.038218803; err != nil || got.lingered != 0 || got.rps != want {
		t.Errorf("oha of 5 s: %+v, %v, want a rate of %f", got, err, want)
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
		{h2load{}, "Stopped all clients for thread #0\n", "no rate, request count"},
		{quicGo{}, "", "read result"},
		{quicGo{}, `{"requests": 7}`, "no seconds"},
		{bombardier{}, "", "read result"},
		{bombardier{}, `{"result": {"req2xx": 7}}`, "no timeTakenSeconds"},
		{oha{}, "Error: no such option", "read result"},
		{oha{}, `{"statusCodeDistribution": {"200": 7}}`, "no total time"},
		{h1load{}, "#     time conns\n", "no row with open connections"},
		{h1load{}, "1 1 many\n", `read row "1 1 many"`},
	}
	for _, tt := range tests {
		if _, err := tt.peer.parseReport(load{}, []byte(tt.output)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %q: error %v, want one with %q", tt.peer.name(), tt.output, err, tt.want)
		}
	}
}

func TestLoadArgs(t *testing.T) {
	l := load{url: "http://h/x", connections: 64, seconds: 5, cpu: 3, scratchDir: "/s"}
	churn := l
	churn.churn, churn.churnRequests = true, 75000
	tls1 := l
	tls1.url, tls1.protocol = "https://h/x", h1TLS
	tls2 := l
	tls2.url, tls2.protocol, tls2.streams = "https://h/x", h2TLS, 10
	tls3 := l
	tls3.url, tls3.protocol, tls3.streams = "https://h/x", h3QUIC, 10
	const header = "-H|User-Agent: peers|-H|Accept: */*"
	tests := []struct {
		peer peer
		load load
		want string
	}{
		{wrk{}, l, "-t1|-c64|-d5s|--latency|-s|/s/wrk.lua|http://h/x"},
		{wrk{}, churn, "-t1|-c64|-d5s|--latency|-s|/s/wrk.lua|-H|Connection: close|http://h/x"},
		{wrk{}, tls1, "-t1|-c64|-d5s|--latency|-s|/s/wrk.lua|https://h/x"},
		{scalbench{}, l, "load|http://h/x|--no-save|-c|64|-z|5s|--cpus|3|--server-pid|none|" + header + "|--output-format|json|--quiet"},
		{scalbench{}, churn, "load|http://h/x|--no-save|-c|64|-z|5s|--cpus|3|--server-pid|none|" + header + "|--output-format|json|--quiet|--disable-keepalive"},
		{scalbench{}, tls1, "load|https://h/x|--no-save|-c|64|-z|5s|--cpus|3|--server-pid|none|" + header + "|--output-format|json|--quiet|--insecure"},
		{scalbench{}, tls2, "load|https://h/x|--no-save|-c|64|-z|5s|--cpus|3|--server-pid|none|" + header + "|--output-format|json|--quiet|--insecure|--http2|-p|10"},
		{scalbench{}, tls3, "load|https://h/x|--no-save|-c|64|-z|5s|--cpus|3|--server-pid|none|" + header + "|--output-format|json|--quiet|--insecure|--http3|-p|10"},
		{h2load{}, l, "--h1|-t1|-c64|" + header + "|-D5|http://h/x"},
		{h2load{}, churn, "--h1|-t1|-c64|" + header + "|-H|Connection: close|-n75000|http://h/x"},
		{h2load{}, tls1, "--h1|-t1|-c64|" + header + "|-D5|https://h/x"},
		{h2load{}, tls2, "-m10|-w30|-W30|-t1|-c64|" + header + "|-D5|https://h/x"},
		{bombardier{}, l, "-c|64|-d|5s|-l|--print|result|--format|json|" + header + "|http://h/x"},
		{bombardier{}, churn, "-c|64|-d|5s|-l|--print|result|--format|json|" + header + "|-H|Connection: close|http://h/x"},
		{bombardier{}, tls1, "-c|64|-d|5s|-l|--print|result|--format|json|" + header + "|-k|https://h/x"},
		{oha{}, l, "--no-tui|--output-format|json|-c|64|-z|5s|--disable-compression|" + header + "|http://h/x"},
		{oha{}, churn, "--no-tui|--output-format|json|-c|64|-z|5s|--disable-compression|" + header + "|--disable-keepalive|http://h/x"},
		{oha{}, tls1, "--no-tui|--output-format|json|-c|64|-z|5s|--disable-compression|" + header + "|--insecure|https://h/x"},
		{oha{}, tls2, "--no-tui|--output-format|json|-c|64|-z|5s|--disable-compression|" + header + "|--insecure|--http2|-p|10|https://h/x"},
		{oha{}, tls3, "--no-tui|--output-format|json|-c|64|-z|5s|--disable-compression|" + header + "|--insecure|--http-version|3|-p|10|https://h/x"},
		{quicGo{}, tls3, "quicgo|-c|64|-p|10|-z|5s|" + header + "|https://h/x"},
		{h1load{}, l, "-t|1|-c|64|-d|5|-ll|-S|-P|" + header + "|http://h/x"},
		{h1load{}, churn, "-t|1|-c|64|-d|5|-ll|-S|-P|" + header + "|-r|1|http://h/x"},
		{h1load{}, tls1, "-t|1|-c|64|-d|5|-ll|-S|-P|" + header + "|https://h/x"},
	}
	for _, tt := range tests {
		if got := strings.Join(tt.peer.loadArgs(tt.load), "|"); got != tt.want {
			t.Errorf("%s, %s, churn %v: %s, want %s", tt.peer.name(), tt.load.protocol, tt.load.churn, got, tt.want)
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

// Where wrk is installed, what it really sends is held against the constants.
func TestWrkRequests(t *testing.T) {
	w := wrk{path: locate("", "wrk")}
	if _, err := exec.LookPath(w.program()); err != nil {
		t.Skipf("not installed: %s", w.install())
	}
	scratch, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(scratch) })
	l := load{cpu: lastCPU(t), scratchDir: scratch}
	for _, tt := range []struct {
		churn bool
		last  string
	}{{false, "Accept: " + accept}, {true, closeHeader}} {
		l.churn = tt.churn
		recordings, err := recordRequests(t.Context(), []peer{w}, l)
		if err != nil {
			t.Fatal(err)
		}
		lines := requestLines(recordings[0].request)
		if got := lines[len(lines)-1]; got != tt.last || lines[2] != "User-Agent: "+userAgent {
			t.Errorf("churn %v: it sends %q, want %q last", tt.churn, lines, tt.last)
		}
	}
}

// What a peer cannot do it says before it is run. The loads that are not named
// here are lacked by nobody.
func TestLacks(t *testing.T) {
	t.Setenv("PATH", "") // a build of oha that is found there may have less
	want := map[string]string{
		"wrk h2 over TLS":         "it has no HTTP/2",
		"bombardier h2 over TLS":  "its HTTP/2 client has one connection for all requests",
		"h1load h2 over TLS":      "it has no HTTP/2",
		"wrk h3 over QUIC":        "it has no HTTP/3",
		"h2load h3 over QUIC":     "it has no HTTP/3",
		"bombardier h3 over QUIC": "it has no HTTP/3",
		"h1load h3 over QUIC":     "it has no HTTP/3",
		"quicgo h1":               "it has HTTP/3 alone",
		"quicgo h1 over TLS":      "it has HTTP/3 alone",
		"quicgo h2 over TLS":      "it has HTTP/3 alone",
	}
	for _, p := range allPeers("", "") {
		for _, protocol := range []protocol{h1Clear, h1TLS, h2TLS, h3QUIC} {
			key := p.name() + " " + protocol.String()
			if got := p.lacks(load{protocol: protocol}); got != want[key] {
				t.Errorf("%s: lacks %q, want %q", key, got, want[key])
			}
		}
	}
}

// Of an oha that cargo built here it is known whether it has HTTP/3.
func TestOhaLacksHTTP3(t *testing.T) {
	for features, want := range map[string]string{"": "it was built without HTTP/3", `"http3"`: ""} {
		dir := t.TempDir()
		records := `{"installs": {"oha 1.16.0 (registry)": {"features": [` + features + `]}}}`
		if err := os.WriteFile(filepath.Join(dir, cargoRecords), []byte(records), 0o644); err != nil {
			t.Fatal(err)
		}
		o := oha{path: filepath.Join(binDir(dir), "oha")}
		if got := o.lacks(load{protocol: h3QUIC}); got != want {
			t.Errorf("features [%s]: lacks %q, want %q", features, got, want)
		}
		if got := o.lacks(load{protocol: h2TLS}); got != "" {
			t.Errorf("features [%s]: lacks %q for HTTP/2", features, got)
		}
	}
}
