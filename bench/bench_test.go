package bench_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/quic-go/quic-go/http3"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/target"
)

// readSuites parses every embedded suite; one with a fault fails the test.
func readSuites(t *testing.T) map[string]*suite.Suite {
	t.Helper()
	files, err := fs.Glob(bench.Files, "suites/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("suites %q, %v", files, err)
	}
	suites := make(map[string]*suite.Suite)
	for _, file := range files {
		data, err := bench.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := suite.Parse(file, data)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if want := strings.TrimSuffix(strings.TrimPrefix(file, "suites/"), ".yaml"); s.Name != want {
			t.Errorf("%s: suite %q, want the file's name %q", file, s.Name, want)
		}
		suites[s.Name] = s
	}
	return suites
}

func TestSuitesHaveNoFaults(t *testing.T) {
	for _, s := range readSuites(t) {
		for _, sc := range s.Scenarios {
			if sc.About == "" || !strings.HasSuffix(sc.About, ".") {
				t.Errorf("%s/%s: about %q, want one sentence", s.Name, sc.Name, sc.About)
			}
			if sc.Expect.Status == 0 || sc.Expect.Bytes == nil {
				t.Errorf("%s/%s: no expected status and bytes", s.Name, sc.Name)
			}
		}
	}
}

// What the scenarios of the embedded server expect is what it answers, behind
// the helpers that they name.
func TestTargetAnswersAsExpected(t *testing.T) {
	upstream := runTarget(t, target.Config{})
	withUpstream := runTarget(t, target.Config{Upstream: upstream})
	alone := upstream // it has none itself
	secure, ca := runSecureTarget(t)

	for _, s := range readSuites(t) {
		for _, sc := range s.Scenarios {
			if !sc.UsesTarget() {
				continue
			}
			base := alone
			if hasUpstream(t, sc) {
				base = withUpstream
			}
			if sc.TLS.On {
				base = secure
			}
			resp, err := client(t, sc, ca).Get(base + sc.URL)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != sc.Expect.Status || n != *sc.Expect.Bytes {
				t.Errorf("%s/%s: status %d, %d bytes, %v; want %d, %d", s.Name, sc.Name, resp.StatusCode, n, err,
					sc.Expect.Status, *sc.Expect.Bytes)
			}
			want := map[suite.HTTP]string{suite.HTTP1: "HTTP/1.1", suite.HTTP2: "HTTP/2.0", suite.HTTP3: "HTTP/3.0"}[sc.HTTP]
			if resp.Proto != want {
				t.Errorf("%s/%s: answered in %s, want %s", s.Name, sc.Name, resp.Proto, want)
			}
		}
	}
}

// client speaks what a scenario speaks, and nothing else.
func client(t *testing.T, sc suite.Scenario, ca []byte) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	if sc.HTTP == suite.HTTP3 {
		transport := &http3.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
		t.Cleanup(func() { transport.Close() })
		return &http.Client{Transport: transport}
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(sc.HTTP == suite.HTTP1)
	transport.Protocols.SetHTTP2(sc.HTTP == suite.HTTP2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// runSecureTarget runs one with TLS and HTTP/3, and returns its authority too.
func runSecureTarget(t *testing.T) (url string, ca []byte) {
	t.Helper()
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := set.Write(dir); err != nil {
		t.Fatal(err)
	}
	return runTarget(t, target.Config{Cert: filepath.Join(dir, certs.CertFile), Key: filepath.Join(dir, certs.KeyFile), HTTP3: true}), set.CA
}

// runTarget runs an embedded server until the test ends, and returns its URL.
func runTarget(t *testing.T, cfg target.Config) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stdout, stdoutWriter := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := target.Run(ctx, cfg, nil, stdoutWriter)
		stdoutWriter.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(strings.TrimSpace(line), "listening ")
}

// hasUpstream tells whether a scenario has the one helper that the embedded
// server knows what to do with.
func hasUpstream(t *testing.T, sc suite.Scenario) bool {
	t.Helper()
	if len(sc.Helpers) == 0 {
		return false
	}
	want := []suite.Helper{{Name: "upstream", Command: []string{"scalbench", "target"}}}
	if diff := cmp.Diff(want, sc.Helpers); diff != "" {
		t.Errorf("%s: helpers, -want +got\n%s", sc.Name, diff)
	}
	return true
}
