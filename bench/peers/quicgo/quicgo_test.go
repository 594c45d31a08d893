package quicgo

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Main(m)) }

// identity is a certificate for this host, and what a server offers by ALPN.
func identity(t *testing.T, offers string) *tls.Config {
	t.Helper()
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(set.Cert, set.Key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{offers}}
}

// connKey is the key of a connection's context under which the connection is.
type connKey struct{}

// serve runs a server until the test ends and returns its URL, and how many
// connections it has had.
func serve(t *testing.T, handler http.HandlerFunc) (url string, connections *atomic.Int64) {
	t.Helper()
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	connections = new(atomic.Int64)
	s := &http3.Server{
		Handler: handler, TLSConfig: identity(t, http3.NextProtoH3),
		ConnContext: func(ctx context.Context, conn *quic.Conn) context.Context {
			connections.Add(1)
			return context.WithValue(ctx, connKey{}, conn)
		},
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(socket) }()
	t.Cleanup(func() {
		_ = s.Close()
		_ = socket.Close()
		<-served
	})
	return "https://" + socket.LocalAddr().String() + "/", connections
}

// All connections are open and every one has all its requests out at a time: none
// of the first six is answered before the others are there.
func TestRun(t *testing.T) {
	const connections, streams = 2, 3
	var requests, wrong atomic.Int64
	all := make(chan struct{})
	url, opened := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == connections*streams {
			close(all)
		}
		if r.Header.Get("User-Agent") != "peers" || len(r.Header) != 1 {
			wrong.Add(1)
		}
		select {
		case <-all:
		case <-time.After(10 * time.Second):
			wrong.Add(1)
		}
	})
	report, err := Run(Load{
		URL: url, Connections: connections, Streams: streams, Duration: 50 * time.Millisecond,
		Header: http.Header{"User-Agent": {"peers"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if wrong.Load() > 0 || opened.Load() != connections {
		t.Errorf("%d requests came alone or with other fields; %d connections", wrong.Load(), opened.Load())
	}
	if report.Requests != requests.Load() || report.Errors != 0 || report.FirstError != "" {
		t.Errorf("report %+v, want the %d requests that the server had", report, requests.Load())
	}
	if report.Seconds < 0.05 || report.CPUMicrosPerRequest <= 0 || report.P50Micros <= 0 || report.P99Micros < report.P50Micros {
		t.Errorf("report %+v", report)
	}
}

func TestRunCountsErrors(t *testing.T) {
	for _, tt := range []struct {
		name     string
		handler  http.HandlerFunc
		answered bool          // or else not one
		duration time.Duration // where a connection ends the run, longer than a test may take
	}{
		{"status", http.NotFound, true, 20 * time.Millisecond},
		{"aborted streams", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, 20 * time.Millisecond},
		{"closed connections", func(_ http.ResponseWriter, r *http.Request) {
			_ = r.Context().Value(connKey{}).(*quic.Conn).CloseWithError(0x102, "") // H3_INTERNAL_ERROR
		}, false, time.Hour},
	} {
		url, _ := serve(t, tt.handler)
		report, err := Run(Load{URL: url, Connections: 2, Streams: 2, Duration: tt.duration})
		if err != nil {
			t.Fatal(err)
		}
		if report.Errors < 4 || tt.answered && report.Requests != report.Errors || !tt.answered && report.Requests != 0 {
			t.Errorf("%s: report %+v", tt.name, report)
		}
		if (report.FirstError == "") != tt.answered {
			t.Errorf("%s: first error %q", tt.name, report.FirstError)
		}
	}
}

func TestTally(t *testing.T) {
	all := newTally()
	all.add(200, nil, 10*time.Microsecond)
	all.add(299, nil, 10*time.Microsecond)
	all.add(304, nil, time.Hour) // more than the histogram holds
	all.add(0, net.ErrClosed, time.Second)
	got := all.report(2*time.Second, 9*time.Millisecond)
	// 3 answers cost 9000 us. 10 us in three digits of a power of two: up to 10.007;
	// a minute likewise, and no hour.
	if got.Requests != 3 || got.Errors != 2 || got.Seconds != 2 || got.CPUMicrosPerRequest != 3000 || got.FirstError != net.ErrClosed.Error() ||
		got.P50Micros < 10 || got.P50Micros > 10.01 || got.P99Micros < 60e6 || got.P99Micros > 60.06e6 {
		t.Errorf("report %+v", got)
	}
	if got := newTally().report(time.Second, time.Second); got != (Report{Seconds: 1}) {
		t.Errorf("report of nothing %+v", got)
	}
}

func TestParseLoad(t *testing.T) {
	got, err := ParseLoad([]string{"-c", "64", "-p", "10", "-z", "3s", "-H", "user-agent: peers", "-H", "Accept:*/*", "https://h:1/x"}, os.Stderr)
	want := Load{
		URL: "https://h:1/x", Connections: 64, Streams: 10, Duration: 3 * time.Second,
		Header: http.Header{"User-Agent": {"peers"}, "Accept": {"*/*"}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
	for args, want := range map[string]string{
		"":                            "0 arguments after the flags, want one URL",
		"https://h:1 https://h:2":     "2 arguments",
		"http://h:1":                  `url "http://h:1": want https, and a port`,
		"https://h":                   `url "https://h": want https, and a port`,
		"https://h:x":                 "invalid port",
		"-c 0 -p 0 https://h:1":       "0 connections: want at least 1\n0 requests at a time: want at least 1",
		"-z 0s https://h:1":           "duration 0s: want more than 0",
		"-H nothing https://h:1":      "has no colon",
		"-requests-per-s 1 https://h": "flag provided but not defined",
	} {
		if _, err := ParseLoad(strings.Fields(args), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if _, err := ParseLoad([]string{"-h"}, new(bytes.Buffer)); err != flag.ErrHelp {
		t.Errorf("-h: %v", err)
	}
}

func TestMainExitCodes(t *testing.T) {
	threads := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(threads) })
	url, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	// A server that offers something else ends the handshake at once.
	stranger, err := quic.ListenAddr("127.0.0.1:0", identity(t, "other"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Close() })
	for _, tt := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"-z", "20ms", url}, 0, ""},
		{[]string{"-h"}, 0, "Usage of quicgo"},
		{[]string{"-z", "20ms"}, 2, "quicgo: 0 arguments"},
		{[]string{"-z", "20ms", "https://" + stranger.Addr().String()}, 1, "quicgo: open connection 1 to 127.0.0.1:"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main(tt.args, &stdout, &stderr)
		if code != tt.code || !strings.HasPrefix(stderr.String(), tt.stderr) || tt.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%q: exit code %d, %q, want %d, %q", tt.args, code, &stderr, tt.code, tt.stderr)
		}
		var report Report
		if err := json.Unmarshal(stdout.Bytes(), &report); tt.stderr == "" && (err != nil || report.Requests == 0) {
			t.Errorf("%q: %q, %v", tt.args, &stdout, err)
		}
	}
}
