package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/target"
)

// secureTarget starts the embedded server with TLS and HTTP/3, and returns its URL
// and the file of its authority.
func secureTarget(t *testing.T) (url, authority string) {
	t.Helper()
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := set.Write(dir); err != nil {
		t.Fatal(err)
	}
	config := target.Config{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem"), HTTP3: true}
	ctx, end := context.WithCancel(context.Background())
	said, says := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- target.Run(ctx, config, nil, says)
		says.Close()
	}()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line := make([]byte, 256)
	n, err := said.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, said)
	return strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "listening ")), filepath.Join(dir, "ca.pem")
}

// The flags about TLS and the HTTP version reach the server.
func TestProbeSecure(t *testing.T) {
	url, authority := secureTarget(t)
	tests := []struct {
		args  string
		code  int
		phase string // of the handshake; "": none ended ok
	}{
		{"--cacert " + authority, 0, "tls"},
		{"--cacert " + authority + " --http2", 0, "tls"},
		{"--cacert " + authority + " --http3", 0, "quic"},
		{"--insecure --http-version 3 --keepalive", 0, "quic"},
		{"--insecure --http-version 2", 0, "tls"},
		{"--http2", 1, ""},
		{"--http3", 1, ""},
		{"--cacert " + authority + " --sni other.test", 1, ""},
	}
	for _, tt := range tests {
		var out, errs bytes.Buffer
		args := append([]string{"probe", url + "/respond", "-n", "2", "-q", "100", "--output-format", "json"}, strings.Fields(tt.args)...)
		code := run(args, streams{in: strings.NewReader(""), out: &out, err: &errs})
		var summary struct {
			Latency map[string]any    `json:"latency"`
			Errors  map[string]string `json:"first_errors"`
		}
		if err := json.Unmarshal(out.Bytes(), &summary); err != nil {
			t.Errorf("%s: %v in %q, %q", tt.args, err, &out, &errs)
			continue
		}
		if _, ok := summary.Latency[tt.phase]; code != tt.code || ok != (tt.phase != "") {
			t.Errorf("%s: exit code %d, %v, want %d and the phase %q", tt.args, code, summary, tt.code, tt.phase)
		}
		if tt.code != 0 && !strings.Contains(errs.String(), "handshake with 127.0.0.1:") {
			t.Errorf("%s: %q does not say that the handshake failed", tt.args, &errs)
		}
	}
}
