package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"

	"github.com/scalws/scalbench/internal/certs"
)

// With a certificate the target speaks TLS and says so, and HTTP/3 where that is
// asked for; an old one is told, by name, and shown all the same.
func TestTargetOverTLS(t *testing.T) {
	for _, test := range []struct {
		name    string
		made    time.Time
		warning string
	}{
		{"fresh", time.Now(), ""},
		{"expired", time.Now().Add(-100 * 24 * time.Hour), " has expired on "},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, err := certs.Make(certs.Request{}, test.made)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := set.Write(dir); err != nil {
				t.Fatal(err)
			}
			cert := filepath.Join(dir, certs.CertFile)
			stdin, parent := io.Pipe()
			var stdout, stderr output
			ended := make(chan int, 1)
			go func() {
				ended <- run([]string{"target", "--cert", cert, "--key", filepath.Join(dir, certs.KeyFile), "--http3"}, streams{in: stdin, out: &stdout, err: &stderr})
			}()

			url := awaitURL(t, &stdout, ended)
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(set.CA)
			trust := &tls.Config{RootCAs: roots, Time: func() time.Time { return test.made }}
			overTCP := &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true}
			overQUIC := &http3.Transport{TLSClientConfig: trust.Clone()}
			for proto, transport := range map[string]http.RoundTripper{"HTTP/2.0": overTCP, "HTTP/3.0": overQUIC} {
				resp, err := (&http.Client{Transport: transport}).Get(url + "/respond")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != 200 || resp.Proto != proto {
					t.Errorf("%s, status %d, want %s, 200", resp.Proto, resp.StatusCode, proto)
				}
			}
			overTCP.CloseIdleConnections()
			overQUIC.Close()
			parent.Close()
			if code := <-ended; code != 0 {
				t.Errorf("exit code %d", code)
			}
			if got := stderr.String(); (got == "") != (test.warning == "") || !strings.Contains(got, test.warning) {
				t.Errorf("stderr %q, want %q in it", got, test.warning)
			} else if got != "" && !strings.HasPrefix(got, "scalbench: warning: certificate "+cert+" (CN=localhost,") {
				t.Errorf("stderr %q, want the file and the subject in it", got)
			}
		})
	}
}

// awaitURL polls until the target says where it listens.
func awaitURL(t *testing.T, stdout *output, ended <-chan int) (url string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		if line, _, whole := strings.Cut(stdout.String(), "\n"); whole {
			url, isURL := strings.CutPrefix(line, "listening ")
			if !isURL || !strings.HasPrefix(url, "https://127.0.0.1:") {
				t.Fatalf("line %q, want listening https://127.0.0.1:PORT", line)
			}
			return url
		}
		select {
		case code := <-ended:
			t.Fatalf("ended with exit code %d", code)
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not listen")
		}
	}
}
