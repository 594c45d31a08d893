package loadgen_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// hashedBody is longer than any read and any frame.
var hashedBody = []byte(strings.Repeat("0123456789abcdef", 20_000))

// serveBody answers with it, a later request of each connection with another of the same
// length; sized is whether the length is told. It returns the plans of all protocols.
func serveBody(t *testing.T, sized bool) map[string]loadgen.Plan {
	t.Helper()
	handler := func() http.HandlerFunc {
		var counts sync.Map // of requests, by connection: one of them may come up late
		return func(w http.ResponseWriter, r *http.Request) {
			body := hashedBody
			n, _ := counts.LoadOrStore(r.RemoteAddr, new(atomic.Int64))
			if n.(*atomic.Int64).Add(1) == 7 { // of which nobody looks at the content
				body = []byte(strings.Repeat("x", len(hashedBody)))
			}
			if sized {
				w.Header().Set("Content-Length", "320000")
			}
			_, _ = w.Write(body[:1000])
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(body[1000:])
		}
	}
	clear := httptest.NewUnstartedServer(handler())
	clear.Config.Protocols = new(http.Protocols)
	clear.Config.Protocols.SetHTTP1(true)
	clear.Config.Protocols.SetUnencryptedHTTP2(true)
	clear.Start()
	t.Cleanup(clear.Close)
	quic := serveHTTP3(t, "127.0.0.1:0", nil, handler())

	plans := map[string]loadgen.Plan{"h1": plan(clear.URL, 20), "h2": plan(clear.URL, 20), "h3": plan("https://"+quic.address.String(), 20)}
	for protocol, p := range plans {
		if err := p.Protocol.UnmarshalText([]byte(protocol)); err != nil {
			t.Fatal(err)
		}
		if p.Protocol == loadgen.HTTP3 {
			p.TLS.CAs = quic.ca
		}
		if p.Protocol != loadgen.HTTP1 {
			p.Streams = 3
		}
		plans[protocol] = p
	}
	return plans
}

// The first body of each connection must be the one that is expected, by its hash; the
// others are only counted.
func TestExpectSHA256(t *testing.T) {
	right := sha256.Sum256(hashedBody)
	for _, sized := range []bool{true, false} {
		for protocol, p := range serveBody(t, sized) {
			p.Targets[0].ExpectSHA256 = strings.ToUpper(hex.EncodeToString(right[:]))
			p.Targets[0].ExpectBytes = int64(len(hashedBody))
			if r := run(t, p); r.Ledger.OK != 20 {
				t.Errorf("%s, sized %t: %+v, first errors %v", protocol, sized, r.Ledger, r.FirstErrors)
			}
			p.Targets[0].ExpectSHA256 = hex.EncodeToString(make([]byte, sha256.Size))
			r := run(t, p)
			// The first of each connection; one that comes up late may have none of the 20.
			if bad := r.Ledger.Errors["bad_body"]; bad.Sent < 1 || bad.Sent > r.Connections.Opened || r.Ledger.OK != 20-bad.Sent {
				t.Errorf("%s, sized %t: %d of another content, %d ok, on %d connections", protocol, sized, bad.Sent, r.Ledger.OK, r.Connections.Opened)
			}
			if text := r.FirstErrors["bad_body"]; !strings.Contains(text, "another SHA-256 than the expected one: 320000 bytes") {
				t.Errorf("%s: %q", protocol, text)
			}
		}
	}
}

// With a connection for each request not all of them are hashed, which would cost more than
// everything else: one a second for each slot.
func TestExpectSHA256OfChurn(t *testing.T) {
	p := serveBody(t, true)["h1"]
	p.RequestsPerConn = 1
	p.Targets[0].ExpectSHA256 = hex.EncodeToString(make([]byte, sha256.Size))
	began := time.Now()
	r := run(t, p)
	most := uint64(2 * (1 + int(time.Since(began)/time.Second)))
	if bad := r.Ledger.Errors["bad_body"].Sent; bad < 2 || bad > most || r.Connections.Opened < 20 {
		t.Errorf("%d of another content on %d connections, want 2 to %d", bad, r.Connections.Opened, most)
	}
}

func TestExpectSHA256IsChecked(t *testing.T) {
	for _, hash := range []string{"00ff", strings.Repeat("g", 64), strings.Repeat("0", 65)} {
		p := plan("http://127.0.0.1:1", 1)
		p.Targets[0].ExpectSHA256 = hash
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "expected sha256") {
			t.Errorf("%q: %v", hash, err)
		}
	}
}
