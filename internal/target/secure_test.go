package target

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/certs"
)

// secureConfig makes certificates for a test's server.
func secureConfig(t *testing.T) Config {
	t.Helper()
	made, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	return Config{Cert: filepath.Join(dir, certs.CertFile), Key: filepath.Join(dir, certs.KeyFile)}
}

// trusting returns what a client needs to verify the server of cfg.
func trusting(t *testing.T, cfg Config, protocols ...string) *tls.Config {
	t.Helper()
	ca, err := os.ReadFile(filepath.Join(filepath.Dir(cfg.Cert), certs.CAFile))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatal("no CA")
	}
	return &tls.Config{RootCAs: roots, ServerName: "127.0.0.1", NextProtos: protocols}
}

// secureClient speaks HTTP/2 or HTTP/1.1 over TLS, and nothing else, until the
// test ends.
func secureClient(t *testing.T, cfg Config, http2 bool) *http.Client {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetHTTP2(http2)
	protocols.SetHTTP1(!http2)
	transport := &http.Transport{TLSClientConfig: trusting(t, cfg), Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// everySecureClient returns one for each version, by the name that its answers
// carry. The server must have HTTP/3.
func everySecureClient(t *testing.T, cfg Config) map[string]*http.Client {
	t.Helper()
	return map[string]*http.Client{"HTTP/1.1": secureClient(t, cfg, false), "HTTP/2.0": secureClient(t, cfg, true), "HTTP/3.0": quicClient(t, cfg)}
}

// seen is what a client sees of an answer, as far as servers must agree on it.
type seen struct {
	Status, Server, Type, Allow, Body string
	Length                            int64
}

// Whatever is asked, the answer is the same in cleartext, with HTTP/1.1 over TLS,
// with HTTP/2 and with HTTP/3.
func TestSecureAnswersAsCleartext(t *testing.T) {
	cfg := quicConfigOf(t)
	cleartext, secure := start(t, Config{}), start(t, cfg)
	clients := everySecureClient(t, cfg)
	body := strings.Repeat("b", 300<<10) // more than net/http reads by itself
	for _, path := range []string{
		"/respond", "/respond?x=1", "/respond-1k", "/static-small", "/static-1m", "/ok",
		"/delay/0s", "/delay/1ms", "/delay/1%6ds", "/delay", "/delay/", "/delay/2", "/delay/61s", "/delay/1ms/", "/delay//1ms",
		"/stall?every=1h&for=0s", "/stall?for=0s&every=1%68", "/stall", "/stall?every=1s", "/stall?every=1s&for=1s", "/stall?every=+1s&for=0s",
		"/stall?every=1s&for=0s&for=2s", "/stall?every=1s;for=0s",
		"/", "", "/respond/", "/static", "/ok/x", "//ok", "/x/../ok", "/./ok", "/ok/.", "/ok/..", "/%6fk", "/%2e/ok", "/.ok", "/nothing?x",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"} {
			send := func() io.Reader {
				// Elsewhere it is not read, and a server may end the connection.
				if path == "/respond" && (method == "POST" || method == "PUT") {
					return strings.NewReader(body)
				}
				return nil
			}
			want := look(t, http.DefaultClient, method, cleartext.url+path, send(), "HTTP/1.1")
			for protocol, client := range clients {
				got := look(t, client, method, secure.url+path, send(), protocol)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s with %s: -cleartext +TLS\n%s", method, path, protocol, diff)
				}
			}
		}
	}
	if log := secure.log.String(); log != "" {
		t.Errorf("logged %q", log)
	}
}

func look(t *testing.T, client *http.Client, method, url string, body io.Reader, protocol string) seen {
	t.Helper()
	resp, got := getBy(t, client, method, url, body)
	if resp.Proto != protocol {
		t.Fatalf("%s %s: answered with %s, want %s", method, url, resp.Proto, protocol)
	}
	if _, err := http.ParseTime(resp.Header.Get("Date")); err != nil {
		t.Errorf("%s %s: Date: %v", method, url, err)
	}
	return seen{resp.Status[:3], resp.Header.Get("Server"), resp.Header.Get("Content-Type"), resp.Header.Get("Allow"), hexSHA256(got), resp.ContentLength}
}

// What the cleartext server has alone says so.
func TestCleartextOnlyRoutes(t *testing.T) {
	cfg := secureConfig(t)
	target := start(t, cfg)
	client := secureClient(t, cfg, true)
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/proxy", 404, "/proxy is there in cleartext only, and this server speaks TLS\n"},
		{"GET", "/proxy/x?y", 404, "/proxy/x is there in cleartext only, and this server speaks TLS\n"},
		{"GET", "/cache-hit", 404, "/cache-hit is there in cleartext only, and this server speaks TLS\n"},
		{"GET", "/fault/close-before", 404, "/fault/close-before is there in cleartext only, and this server speaks TLS\n"},
		{"POST", "/proxy", 405, "method POST is not allowed for /proxy; allowed are GET, HEAD\n"},
		{"HEAD", "/fault/slow", 405, ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			resp, body := getBy(t, client, test.method, target.url+test.path, nil)
			if resp.StatusCode != test.status || string(body) != test.body {
				t.Errorf("status %d, body %q; want %d, %q", resp.StatusCode, body, test.status, test.body)
			}
		})
	}
}

// HTTP/2 where a client offers it, else HTTP/1.1, also to one that offers
// nothing (RFC 7301, 3.2).
func TestProtocolByALPN(t *testing.T) {
	cfg := secureConfig(t)
	u, err := url.Parse(start(t, cfg).url)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		offer []string
		want  string
	}{
		{[]string{"h2", "http/1.1"}, "h2"},
		{[]string{"http/1.1", "h2"}, "h2"}, // the server's order
		{[]string{"http/1.1"}, "http/1.1"},
		{nil, ""},
	} {
		conn := tls.Client(dial(t, u.Host), trusting(t, cfg, test.offer...))
		if err := conn.Handshake(); err != nil {
			t.Fatalf("offer %q: %v", test.offer, err)
		}
		if got := conn.ConnectionState().NegotiatedProtocol; got != test.want {
			t.Errorf("offer %q: %q, want %q", test.offer, got, test.want)
		}
	}
	conn := tls.Client(dial(t, u.Host), trusting(t, cfg, "h3"))
	if err := conn.Handshake(); err == nil || !strings.Contains(err.Error(), "no application protocol") {
		t.Errorf("offer h3: %v, want that there is no common protocol", err)
	}
}

// A body is ignored whatever its size and framing, and the connection lives on.
func TestSecurePostTenMiB(t *testing.T) {
	cfg := quicConfigOf(t)
	target := start(t, cfg)
	body := bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)
	for protocol, client := range everySecureClient(t, cfg) {
		for name, reader := range map[string]io.Reader{
			"known length": bytes.NewReader(body),
			"no length":    io.MultiReader(bytes.NewReader(body)),
		} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				resp, got := getBy(t, client, "POST", target.url+"/respond", reader)
				if resp.StatusCode != 200 || string(got) != "ok" || resp.Close || resp.Proto != protocol {
					t.Errorf("%s, status %d, body %q, close %t; want %s, 200, ok, false", resp.Proto, resp.StatusCode, got, resp.Close, protocol)
				}
			})
		}
	}
}

// discardingWriter is a response that goes nowhere.
type discardingWriter struct {
	header http.Header
	status int
}

func (w *discardingWriter) Header() http.Header         { return w.header }
func (w *discardingWriter) WriteHeader(status int)      { w.status = status }
func (w *discardingWriter) Write(p []byte) (int, error) { return len(p), nil }
