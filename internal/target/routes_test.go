package target

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Made by a shell, as doc.go says:
//
//	seq -f '%063.0f' 0 64 1023 | sha256sum
//	seq -f '%063.0f' 0 64 1048575 | sha256sum
const (
	smallSHA256 = "5b8d6c7bb47a5e4d79ef16290160f88cb781329bedc4292a442838806520fe47"
	largeSHA256 = "0ffb95af5df61b8255961ebc9e92de91f39e7dd8ea82bdc550f25f6a1f012997"
)

func TestRoutes(t *testing.T) {
	target := start(t, Config{})
	okSHA256 := hexSHA256([]byte("ok"))
	for _, test := range []struct {
		method, path string
		status       int
		length       int64
		sha256       string // of the body
	}{
		{"GET", "/respond", 200, 2, okSHA256},
		{"POST", "/respond", 200, 2, okSHA256},
		{"PUT", "/respond", 200, 2, okSHA256},
		{"GET", "/respond-1k", 200, 1 << 10, smallSHA256},
		{"GET", "/static-small", 200, 1 << 10, smallSHA256},
		{"GET", "/static-1m", 200, 1 << 20, largeSHA256},
		{"GET", "/ok", 200, 2, okSHA256},
		{"GET", "/delay/0s", 200, 2, okSHA256},
		{"GET", "/delay/2ms", 200, 2, okSHA256},
		{"GET", "/delay-steps?p50=0s&p100=1ms", 200, 2, okSHA256},
		{"GET", "/stall?every=1h&for=0s", 200, 2, okSHA256},
		{"GET", "/respond?x=1", 200, 2, okSHA256},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			resp, body := get(t, test.method, target.url+test.path, nil)
			if resp.StatusCode != test.status || resp.ContentLength != test.length || hexSHA256(body) != test.sha256 {
				t.Errorf("status %d, length %d, sha256 %s; want %d, %d, %s",
					resp.StatusCode, resp.ContentLength, hexSHA256(body), test.status, test.length, test.sha256)
			}
			for name, want := range map[string]string{"Server": "scalbench-target", "Content-Type": "text/plain; charset=utf-8"} {
				if got := resp.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if _, err := http.ParseTime(resp.Header.Get("Date")); err != nil {
				t.Errorf("Date: %v", err)
			}
		})
		if test.method != "GET" {
			continue
		}
		t.Run("HEAD "+test.path, func(t *testing.T) {
			resp, body := get(t, "HEAD", target.url+test.path, nil)
			if resp.StatusCode != test.status || resp.ContentLength != test.length || len(body) != 0 {
				t.Errorf("status %d, length %d, %d bytes of body; want %d, %d, none",
					resp.StatusCode, resp.ContentLength, len(body), test.status, test.length)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	target := start(t, Config{})
	for _, test := range []struct {
		method, path string
		status       int
		body         string // part of it
	}{
		{"GET", "/", 404, "no such route"},
		{"GET", "/static", 404, "/static-small"},
		{"GET", "/respond/", 404, "/respond"},
		{"POST", "/ok", 405, "POST is not allowed for /ok; allowed are GET, HEAD"},
		{"PUT", "/static-1m", 405, "allowed are GET, HEAD"},
		{"POST", "/respond-1k", 405, "allowed are GET, HEAD"},
		{"POST", "/proxy", 405, "allowed are GET, HEAD"},
		{"POST", "/cache-hit/x", 405, "allowed are GET, HEAD"},
		{"GET", "/proxyx", 404, "/proxy "},
		{"GET", "/ok/x", 404, "no such route"},
		{"GET", "/delay", 400, `delay "": expected a duration`},
		{"DELETE", "/respond", 405, "allowed are GET, HEAD, POST, PUT"},
		{"POST", "/delay/1ms", 405, "allowed are GET, HEAD"},
		{"POST", "/stall?every=1s&for=0s", 405, "allowed are GET, HEAD"},
		{"GET", "/delay/", 400, `delay "": expected a duration`},
		{"GET", "/delay/2", 400, `delay "2": expected a duration`},
		{"GET", "/delay/61s", 400, "from 0s to 1m0s"},
		{"GET", "/delay/-1ms", 400, "from 0s to 1m0s"},
		{"GET", "/delay-steps", 400, "delay steps: expected at least one"},
		{"GET", "/delay-steps?p50=1ms&p90=0s", 400, "from 1ms to 1m0s here"},
		{"GET", "/delay-steps/p50=1ms", 404, "/delay-steps?p50=1ms"},
		{"POST", "/delay-steps?p50=1ms", 405, "allowed are GET, HEAD"},
		{"GET", "/stall", 400, `every="": expected`},
		{"GET", "/stall?every=1s", 400, `for="": expected`},
		{"GET", "/stall?every=1s&for=1s", 400, "for must be shorter than every"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			resp, body := get(t, test.method, target.url+test.path, nil)
			if resp.StatusCode != test.status || !strings.Contains(string(body), test.body) {
				t.Errorf("status %d, body %q; want %d, %q in it", resp.StatusCode, body, test.status, test.body)
			}
			if allow := resp.Header.Get("Allow"); (allow != "") != (test.status == 405) {
				t.Errorf("Allow: %q with status %d", allow, test.status)
			}
		})
	}
}

// A body is ignored whatever its size and framing, and the connection lives on.
func TestPostTenMiB(t *testing.T) {
	target := start(t, Config{})
	body := bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)
	for name, reader := range map[string]io.Reader{
		"content-length": bytes.NewReader(body),
		"chunked":        io.MultiReader(bytes.NewReader(body)), // no known length
	} {
		t.Run(name, func(t *testing.T) {
			resp, got := get(t, "POST", target.url+"/respond", reader)
			if resp.StatusCode != 200 || string(got) != "ok" || resp.Close {
				t.Errorf("status %d, body %q, close %t; want 200, ok, false", resp.StatusCode, got, resp.Close)
			}
		})
	}
}

func TestConnectionClose(t *testing.T) {
	target := start(t, Config{})
	u, err := url.Parse(target.url)
	if err != nil {
		t.Fatal(err)
	}
	conn := dial(t, u.Host)
	fmt.Fprintf(conn, "GET /respond HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", u.Host)
	all, err := io.ReadAll(conn) // ends with the server's FIN, or the deadline fails it
	if err != nil {
		t.Fatal(err)
	}
	if text := string(all); !strings.Contains(text, "\r\nConnection: close\r\n") || !strings.HasSuffix(text, "\r\n\r\nok") {
		t.Errorf("response %q, want Connection: close and the body ok", text)
	}
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
