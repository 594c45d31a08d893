package serverproc

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// Each check against one server, by itself: attempt is what AwaitReady repeats.
func TestReadyAttempt(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("fine")) })
	mux.HandleFunc("/teapot", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418) })
	mux.Handle("/moved", http.RedirectHandler("/ok", http.StatusFound))
	plain, secure := httptest.NewServer(mux), httptest.NewUnstartedServer(mux)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of the client that does not trust it
	secure.StartTLS()
	defer plain.Close()
	defer secure.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	tests := []struct {
		ready Ready
		want  string // "": it holds
	}{
		{Ready{URL: plain.URL + "/ok"}, ""},
		{Ready{URL: plain.URL + "/ok", Body: []byte("fine")}, ""},
		{Ready{URL: plain.URL + "/ok", Body: []byte("fin")}, `answers "fine", expected "fin"`},
		{Ready{URL: plain.URL + "/ok", Body: []byte("fine, thanks")}, `answers "fine", expected "fine, thanks"`},
		{Ready{URL: plain.URL + "/ok", Status: 204}, "answers 200, expected 204"},
		{Ready{URL: plain.URL + "/teapot"}, "answers 418, expected 2xx"},
		{Ready{URL: plain.URL + "/teapot", Status: 418}, ""},
		{Ready{URL: plain.URL + "/moved"}, "answers 302, expected 2xx"},
		{Ready{URL: plain.URL + "/moved", Status: 302}, ""},
		{Ready{URL: secure.URL + "/ok", CA: ca}, ""},
		{Ready{URL: secure.URL + "/ok"}, ""}, // not verified
		{Ready{URL: strings.Replace(secure.URL, "127.0.0.1", "localhost", 1) + "/ok", CA: ca}, "certificate"},
		{Ready{URL: "tcp://" + plain.Listener.Addr().String()}, ""},
		{Ready{URL: "tcp://127.0.0.1:1"}, "refused"},
		{Ready{URL: "unix://" + socket}, ""},
	}
	for _, test := range tests {
		if err := test.ready.Validate(); err != nil {
			t.Error(err)
		}
		client := test.ready.client()
		err := test.ready.attempt(t.Context(), client)
		client.CloseIdleConnections()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s, status %d, body %q: %v, want %q", test.ready.URL, test.ready.Status, test.ready.Body, err, test.want)
		}
	}
}

func TestReadyFaults(t *testing.T) {
	for _, url := range []string{"", "/ok", "ftp://x/", "tcp://host", "http://", ":"} {
		if err := (Ready{URL: url}).Validate(); err == nil {
			t.Errorf("%q is no URL to ask", url)
		}
	}
	err := Ready{URL: "tcp://x:1", Status: 7, Timeout: -1, CA: []byte("none")}.Validate()
	for _, want := range []string{"has no status", "status: 7", "timeout: -1ns", "no certificate"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The time-out tells what the last attempt saw; an end of the context is none.
func TestNotReady(t *testing.T) {
	port := freePort(t)
	s := serveAt(t, port)
	ready := Ready{URL: "http://" + port.Addr.String() + "/missing", Timeout: 20 * time.Millisecond}
	err := s.AwaitReady(t.Context(), ready)
	if err == nil || !strings.Contains(err.Error(), "not within 20ms: ") || !strings.Contains(err.Error(), "answers 404, expected 2xx") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ready.Timeout = time.Hour
	if err := s.AwaitReady(ctx, ready); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("got %v", err)
	}
}

func TestLastLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	long := strings.Repeat("x", 1000) + "\n"
	tests := []struct{ text, want string }{
		{"", ""},
		{"one\ntwo", "one\ntwo"},
		{strings.Repeat("line\n", 30), strings.Repeat("line\n", 10)},
		// 6 lines of 1001 bytes: of the last 4096 the first 92 are the end of one.
		{strings.Repeat(long, 6), strings.Repeat(long, 4)},
	}
	for _, test := range tests {
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := lastLines(path); err != nil || string(got) != test.want {
			t.Errorf("%d bytes: %d bytes, %v, want %d", len(test.text), len(got), err, len(test.want))
		}
	}
}

func TestPorts(t *testing.T) {
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	addr := udp.LocalAddr().(*net.UDPAddr).AddrPort()
	if err := FreePorts([]Port{{procfs.UDP, addr}}); err == nil || !strings.Contains(err.Error(), "UDP "+addr.String()+": port is taken by") {
		t.Errorf("got %v", err)
	}
	// One on all addresses is in the way of one on any.
	all, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	local := freePort(t)
	local.Addr = netip.AddrPortFrom(local.Addr.Addr(), all.Addr().(*net.TCPAddr).AddrPort().Port())
	if err := FreePorts([]Port{local, freePort(t)}); err == nil || strings.Count(err.Error(), "is taken") != 1 {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := AwaitFree(ctx, []Port{local}); err == nil {
		t.Error("a taken port is free")
	}
	all.Close()
	if err := AwaitFree(t.Context(), []Port{local}); err != nil {
		t.Error(err)
	}
}
