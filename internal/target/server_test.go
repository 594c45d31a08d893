package target

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// running is a target in this process, with what is needed to end it.
type running struct {
	url    string
	cancel context.CancelFunc
	stdin  *io.PipeWriter
	ended  chan error // the result of Run, once
	log    *lockedBuffer
}

// start runs a target until the test ends.
func start(t *testing.T, cfg Config) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stdinReader, stdinWriter := io.Pipe()
	stdoutReader, stdoutWriter := io.Pipe()
	r := &running{cancel: cancel, stdin: stdinWriter, ended: make(chan error, 1), log: new(lockedBuffer)}
	cfg.Log = r.log
	go func() {
		r.ended <- Run(ctx, cfg, stdinReader, stdoutWriter)
		stdoutWriter.Close()
	}()
	t.Cleanup(func() {
		r.cancel()
		r.stdin.Close()
		http.DefaultClient.CloseIdleConnections()
	})

	line, err := bufio.NewReader(stdoutReader).ReadString('\n')
	if err != nil {
		t.Fatalf("no listening line: %v; Run: %v", err, <-r.ended)
	}
	url, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "listening ")
	if want := cfg.scheme() + "://127.0.0.1:"; !found || !strings.HasPrefix(url, want) {
		t.Fatalf("line %q, want listening %sPORT", line, want)
	}
	r.url = url
	go io.Copy(io.Discard, stdoutReader)
	return r
}

// wait returns what Run returned. It fails the test after five seconds, far
// above endGrace.
func (r *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(5 * time.Second):
		t.Fatal("Run has not returned after 5 s")
		return nil
	}
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// get requests url and returns the response with its body read.
func get(t *testing.T, method, url string, body io.Reader) (*http.Response, []byte) {
	t.Helper()
	return getBy(t, http.DefaultClient, method, url, body)
}

// getBy is get with another client.
func getBy(t *testing.T, client *http.Client, method, url string, body io.Reader) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read body: %v", method, url, err)
	}
	return resp, got
}

// awaitStatus asks for url until it is answered with the status, at most five
// seconds.
func awaitStatus(t *testing.T, url string, want int) error {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; {
		resp, body := get(t, "GET", url, nil)
		switch {
		case resp.StatusCode == want:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("status %d, body %q after 5 s, want %d", resp.StatusCode, body, want)
		}
	}
}
