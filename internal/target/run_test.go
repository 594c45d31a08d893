package target

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEnd(t *testing.T) {
	for name, end := range map[string]func(*running){
		"stdin":   func(r *running) { r.stdin.Close() },
		"error":   func(r *running) { r.stdin.CloseWithError(io.ErrUnexpectedEOF) },
		"context": func(r *running) { r.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			target := start(t, Config{})
			if made, _ := filepath.Glob(filepath.Join(dir, "scalbench-target-*", "static-*")); len(made) != 2 {
				t.Errorf("static files %q, want two", made)
			}
			get(t, "GET", target.url+"/respond", nil) // leaves an idle connection

			end(target)
			if err := target.wait(t); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			if log := target.log.String(); log != "" {
				t.Errorf("logged %q", log)
			}
		})
	}
}

// A held request learns of the end; it is not answered as if its time were up.
func TestEndWhileHeld(t *testing.T) {
	for _, path := range []string{"/delay/60s", "/stall?every=1h&for=60s"} {
		t.Run(path, func(t *testing.T) {
			target := start(t, Config{})
			status := make(chan int, 1)
			go func() {
				resp, err := http.Get(target.url + path)
				if err != nil {
					status <- 0 // cut off before its head was read
					return
				}
				resp.Body.Close()
				status <- resp.StatusCode
			}()
			// A request of its own connection that is answered tells nothing
			// about the held one, so both outcomes are right; 200 is not.
			get(t, "GET", target.url+"/ok", nil)
			target.cancel()
			if err := target.wait(t); err != nil {
				t.Error(err)
			}
			if got := <-status; got != http.StatusServiceUnavailable && got != 0 {
				t.Errorf("status %d, want 503 or none", got)
			}
		})
	}
}

func TestGivenDir(t *testing.T) {
	dir := t.TempDir()
	target := start(t, Config{Dir: dir})
	if made, _ := filepath.Glob(filepath.Join(dir, "static-*")); len(made) != 2 {
		t.Errorf("static files %q, want two", made)
	}
	target.cancel()
	if err := target.wait(t); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind %v, %v", left, err)
	}
}

// A file that is in the way is neither overwritten nor removed.
func TestGivenDirInUse(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "static-1m")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := Run(t.Context(), Config{Dir: dir}, nil, io.Discard)
	if err == nil || !strings.Contains(err.Error(), mine) {
		t.Errorf("error %v, want one that names %s", err, mine)
	}
	if got, _ := os.ReadFile(mine); string(got) != "mine" {
		t.Errorf("content %q", got)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRunFaults(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	t.Setenv("TMPDIR", t.TempDir())
	for _, test := range []struct {
		name   string
		cfg    Config
		stdout io.Writer
		want   string
	}{
		{"address taken", Config{Listen: taken.Addr().String()}, io.Discard, "address already in use"},
		{"config", Config{Listen: "x"}, io.Discard, `listen address "x"`},
		{"stdout closed", Config{}, failingWriter{}, "announce 127.0.0.1:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Run(t.Context(), test.cfg, nil, test.stdout)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

// Clients that go away in the middle are no fault: nothing is logged.
func TestClientResetIsNoFault(t *testing.T) {
	target := start(t, Config{})
	u, err := url.Parse(target.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{
		"",
		"GET /stat",
		"GET /static-1m HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /respond HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf",
	} {
		conn := dial(t, u.Host)
		io.WriteString(conn, request)
		if strings.HasPrefix(request, "GET /static-1m") {
			if _, err := conn.Read(make([]byte, 16)); err != nil { // the server is in it
				t.Fatal(err)
			}
		}
		if err := conn.SetLinger(0); err != nil { // close sends RST
			t.Fatal(err)
		}
		conn.Close()
	}
	get(t, "GET", target.url+"/ok", nil)
	target.cancel()
	if err := target.wait(t); err != nil {
		t.Error(err)
	}
	if log := target.log.String(); log != "" {
		t.Errorf("logged %q", log)
	}
}

// A static file that is gone is a fault of the server: 500 and a log line.
func TestMissingFileIsAFault(t *testing.T) {
	dir := t.TempDir()
	target := start(t, Config{Dir: dir})
	for _, name := range []string{"static-small", "static-1m"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		resp, body := get(t, "GET", target.url+"/"+name, nil)
		want := fmt.Sprintf("open %s: no such file", filepath.Join(dir, name))
		if resp.StatusCode != 500 || !strings.Contains(string(body), want) || !strings.Contains(target.log.String(), want) {
			t.Errorf("status %d, body %q, log %q; want 500 and %q in both", resp.StatusCode, body, target.log.String(), want)
		}
	}
}

func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}
