package target

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Every answer has the fields, whatever it is and over every version; each as often
// as it was given, in that order.
func TestHeaders(t *testing.T) {
	headers := []string{"X-Twice: a", "x-twice:  b, c ", "X-Empty:"}
	cfg := quicConfigOf(t)
	cfg.Headers = headers
	cleartext, secure := start(t, Config{Headers: headers}), start(t, cfg)
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/respond", 200}, {"POST", "/respond", 200}, {"HEAD", "/respond", 200}, {"GET", "/static-small", 200},
		{"GET", "/static-1m", 200}, {"GET", "/delay/1ms", 200}, {"GET", "/nothing", 404}, {"DELETE", "/respond", 405}, {"GET", "/delay/2", 400},
	} {
		wantFields(t, http.DefaultClient, test.method, cleartext.url+test.path, test.status)
		for _, client := range everySecureClient(t, cfg) {
			wantFields(t, client, test.method, secure.url+test.path, test.status)
		}
	}
}

func wantFields(t *testing.T, client *http.Client, method, url string, status int) {
	t.Helper()
	resp, _ := getBy(t, client, method, url, nil)
	if twice, empty := resp.Header.Values("X-Twice"), resp.Header.Values("X-Empty"); resp.StatusCode != status ||
		!slices.Equal(twice, []string{"a", "b, c"}) || !slices.Equal(empty, []string{""}) {
		t.Errorf("%s %s with %s: status %d, X-Twice %q, X-Empty %q", method, url, resp.Proto, resp.StatusCode, twice, empty)
	}
}

// What the upstream said is passed on with them, and the bytes of a misbehaviour are
// those that were asked for.
func TestHeadersOfOthers(t *testing.T) {
	upstream := start(t, Config{Headers: []string{"X-Behind: 1"}})
	target := start(t, Config{Upstream: upstream.url, Headers: []string{"X-Front: 1"}})
	for _, path := range []string{"/proxy", "/cache-hit", "/cache-hit", "/proxy/nothing"} {
		resp, _ := get(t, "GET", target.url+path, nil)
		if front, behind := resp.Header.Get("X-Front"), resp.Header.Get("X-Behind"); front != "1" || behind != "" {
			t.Errorf("%s: X-Front %q, X-Behind %q", path, front, behind)
		}
	}
	u, err := url.Parse(target.url)
	if err != nil {
		t.Fatal(err)
	}
	conn := dial(t, u.Host)
	if _, err := fmt.Fprintf(conn, "GET /fault/short-body HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// "HTTP/1.1 200 OK", Content-Length, an empty line.
	var head []string
	for lines := bufio.NewScanner(conn); lines.Scan() && lines.Text() != ""; {
		head = append(head, lines.Text())
	}
	if len(head) == 0 || strings.Contains(strings.Join(head, "\n"), "X-Front") {
		t.Errorf("head %q", head)
	}
}
