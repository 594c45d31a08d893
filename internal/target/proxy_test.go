package target

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// freeAddress returns an address on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func TestProxyHandsOn(t *testing.T) {
	server := start(t, Config{Upstream: start(t, Config{}).url})
	for _, test := range []struct {
		path   string
		status int
		length int64
		sha256 string
	}{
		{"/proxy", 200, 1 << 10, smallSHA256},
		{"/proxy/static-1m", 200, 1 << 20, largeSHA256},
		{"/proxy/delay/1ms", 200, 2, hexSHA256([]byte("ok"))},
		{"/proxy/stall?every=1h&for=0s", 200, 2, hexSHA256([]byte("ok"))},
		{"/proxy/fault/slow", 200, 2, hexSHA256([]byte("ok"))},
		{"/proxy/fault/status/418", 418, 2, hexSHA256([]byte("ok"))},
		{"/cache-hit", 200, 1 << 10, smallSHA256},
		{"/cache-hit/static-1m", 200, 1 << 20, largeSHA256},
	} {
		t.Run(test.path, func(t *testing.T) {
			resp, body := get(t, "GET", server.url+test.path, nil)
			if resp.StatusCode != test.status || resp.ContentLength != test.length || hexSHA256(body) != test.sha256 {
				t.Errorf("status %d, length %d, sha256 %s; want %d, %d, %s",
					resp.StatusCode, resp.ContentLength, hexSHA256(body), test.status, test.length, test.sha256)
			}
			// The upstream's closing stays behind; its content type does not.
			if resp.Close || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("close %t, head %v", resp.Close, resp.Header)
			}
			if test.status != 200 || strings.Contains(test.path, "/fault/") {
				return
			}
			resp, body = get(t, "HEAD", server.url+test.path, nil)
			if resp.StatusCode != test.status || resp.ContentLength != test.length || len(body) != 0 {
				t.Errorf("HEAD: status %d, length %d, %d bytes; want %d, %d, none",
					resp.StatusCode, resp.ContentLength, len(body), test.status, test.length)
			}
		})
	}
}

// scriptedUpstream answers each connection with handle, until the test ends.
// It tells the address, and sends a token for every connection.
func scriptedUpstream(t *testing.T, handle func(net.Conn)) (base string, accepted <-chan struct{}) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	tokens := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			tokens <- struct{}{}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return "http://" + ln.Addr().String(), tokens
}

// The request is the proxy's own, and one connection carries all of them.
func TestProxyKeepsItsConnection(t *testing.T) {
	requests := make(chan *http.Request, 10)
	base, accepted := scriptedUpstream(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			requests <- r
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Hop: 1\r\n\r\nok")
		}
	})
	server := start(t, Config{Upstream: base})
	for _, path := range []string{"/proxy", "/proxy/", "/proxy/a%20b?c=d%26e"} {
		req, _ := http.NewRequest("GET", server.url+path, nil)
		req.Header.Set("X-Secret", "1")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Header.Get("X-Hop") != "" {
			t.Error("a field of the upstream's head was handed on")
		}
	}
	for _, want := range []string{"/respond-1k", "/", "/a%20b?c=d%26e"} {
		r := <-requests
		if r.RequestURI != want || "http://"+r.Host != base || r.Header.Get("X-Secret") != "" || r.Close {
			t.Errorf("asked for %s of %s with %v, want %s", r.RequestURI, r.Host, r.Header, want)
		}
	}
	if len(accepted) != 1 {
		t.Errorf("%d connections, want 1", len(accepted))
	}
}

// Each way in which an upstream can fail gives one status and one sentence.
func TestProxyFailures(t *testing.T) {
	upstream := start(t, Config{})
	dead := "http://" + freeAddress(t)
	server := start(t, Config{Upstream: upstream.url})
	hurried := start(t, Config{Upstream: upstream.url, UpstreamTimeout: 50 * time.Millisecond})
	for _, test := range []struct {
		server *running
		path   string
		status int
		text   string // of the body, after the upstream's URL
	}{
		{start(t, Config{Upstream: dead}), "/proxy", 502, "connect: connection refused"},
		{start(t, Config{Upstream: dead}), "/cache-hit", 502, "connect: connection refused"},
		{hurried, "/proxy/delay/10s", 504, ": no whole answer within 50ms"},
		{hurried, "/proxy/fault/stall-before", 504, ": no whole answer within 50ms"},
		{hurried, "/proxy/fault/stall-in-head", 504, ": no whole answer within 50ms"},
		{hurried, "/proxy/fault/stall-in-body", 504, ": no whole answer within 50ms"},
		{server, "/proxy/fault/close-before", 502, ": closed the connection without an answer"},
		{server, "/proxy/fault/close-in-head", 502, ": "},
		{server, "/proxy/fault/close-in-body", 502, ": closed the connection inside its answer"},
		{server, "/proxy/fault/short-body", 502, ": closed the connection inside its answer"},
		{server, "/proxy/fault/rst-before", 502, ": closed the connection without an answer"},
		{server, "/proxy/fault/rst-in-body", 502, "connection reset by peer"},
		{server, "/proxy/fault/garbage", 502, ": "},
		{server, "/proxy/fault/bad-chunk", 502, ": "},
		{server, "/proxy/fault/huge-head", 502, ": "},
	} {
		t.Run(test.path, func(t *testing.T) {
			resp, body := get(t, "GET", test.server.url+test.path, nil)
			text := string(body)
			if resp.StatusCode != test.status || !strings.HasPrefix(text, "upstream http://127.0.0.1:") || !strings.Contains(text, test.text) {
				t.Errorf("status %d, body %q; want %d, %q in it", resp.StatusCode, body, test.status, test.text)
			}
			if strings.Count(text, "\n") != 1 || len(text) > 300 {
				t.Errorf("body %q, want one short line", body)
			}
			if !strings.Contains(test.server.log.String(), strings.TrimSpace(text)) {
				t.Errorf("log %q, want %q in it", test.server.log.String(), text)
			}
		})
	}
	// Misbehaviours are no faults of the server that was asked for them.
	if log := upstream.log.String(); log != "" {
		t.Errorf("the upstream logged %q", log)
	}
}

// Without an upstream the routes do not exist.
func TestProxyWithoutUpstream(t *testing.T) {
	server := start(t, Config{})
	for _, path := range []string{"/proxy", "/proxy/ok", "/cache-hit"} {
		resp, body := get(t, "GET", server.url+path, nil)
		if want := path + " needs an upstream, and this server was started without one\n"; resp.StatusCode != 404 || string(body) != want {
			t.Errorf("status %d, body %q; want 404, %q", resp.StatusCode, body, want)
		}
	}
}

// A restart of the upstream is one failure for each connection that was in
// use, not hidden by a second question; then all is well again.
func TestProxyUpstreamRestarts(t *testing.T) {
	first := start(t, Config{})
	server := start(t, Config{Upstream: first.url})
	if resp, _ := get(t, "GET", server.url+"/proxy", nil); resp.StatusCode != 200 {
		t.Fatalf("status %d before", resp.StatusCode)
	}
	first.cancel()
	if err := first.wait(t); err != nil {
		t.Fatal(err)
	}
	if resp, _ := get(t, "GET", server.url+"/proxy", nil); resp.StatusCode != 502 {
		t.Errorf("status %d while the upstream is gone, want 502", resp.StatusCode)
	}
	start(t, Config{Listen: strings.TrimPrefix(first.url, "http://")})
	if resp, body := get(t, "GET", server.url+"/proxy", nil); resp.StatusCode != 200 {
		t.Errorf("status %d after the restart, want 200: %s", resp.StatusCode, body)
	}
}

// Of several idle connections that a restart has ended, one costs a failure.
func TestProxyDropsIdleConnections(t *testing.T) {
	first := start(t, Config{})
	server := start(t, Config{Upstream: first.url})
	statuses := make(chan int, 5)
	for range cap(statuses) { // at the same time: a connection for each
		go func() {
			resp, err := http.Get(server.url + "/proxy/delay/50ms")
			if err != nil {
				statuses <- 0
				return
			}
			resp.Body.Close()
			statuses <- resp.StatusCode
		}()
	}
	for range cap(statuses) {
		if status := <-statuses; status != 200 {
			t.Fatalf("status %d before", status)
		}
	}
	first.cancel()
	if err := first.wait(t); err != nil {
		t.Fatal(err)
	}
	start(t, Config{Listen: strings.TrimPrefix(first.url, "http://")})
	var got []int
	for range 3 {
		resp, _ := get(t, "GET", server.url+"/proxy", nil)
		got = append(got, resp.StatusCode)
	}
	if fmt.Sprint(got) != "[502 200 200]" {
		t.Errorf("statuses %v, want 502 once: no hidden retry, no second dead connection", got)
	}
}

// A question that is out does not hold up the end, and is not said to be the
// upstream's fault.
func TestEndWhileAsking(t *testing.T) {
	asked := make(chan struct{}, 1)
	base, _ := scriptedUpstream(t, func(conn net.Conn) {
		conn.Read(make([]byte, 1))
		asked <- struct{}{}
		io.Copy(io.Discard, conn)
	})
	server := start(t, Config{Upstream: base, UpstreamTimeout: time.Minute})
	conn := dial(t, strings.TrimPrefix(server.url, "http://"))
	fmt.Fprint(conn, "GET /proxy HTTP/1.1\r\nHost: x\r\n\r\n")
	<-asked
	server.cancel()
	if err := server.wait(t); err != nil {
		t.Error(err)
	}
	if answer, _ := io.ReadAll(conn); len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 503 ") {
		t.Errorf("answered %q, want 503 or nothing", answer)
	}
	if log := server.log.String(); log != "" {
		t.Errorf("logged %q", log)
	}
}
