package loadgen_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/loadgen"
)

// authority makes the certificates of one test.
func authority(t *testing.T, names ...string) (server tls.Certificate, ca []byte) {
	t.Helper()
	set, err := certs.Make(certs.Request{Names: names}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if server, err = tls.X509KeyPair(set.Cert, set.Key); err != nil {
		t.Fatal(err)
	}
	return server, set.CA
}

// secureServer is a server of net/http with TLS that offers protocols by ALPN,
// and its authority.
func secureServer(t *testing.T, handler http.HandlerFunc, protocols ...string) (url string, ca []byte) {
	t.Helper()
	certificate, ca := authority(t)
	s := httptest.NewUnstartedServer(handler)
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: protocols}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL + "/x", ca
}

// secureScript calls handle for each connection, TLS still to be spoken, and
// closes it after.
func secureScript(t *testing.T, config func(*tls.Config), handle func(c *tls.Conn)) (url string, ca []byte) {
	t.Helper()
	certificate, ca := authority(t)
	c := &tls.Config{Certificates: []tls.Certificate{certificate}}
	if config != nil {
		config(c)
	}
	s := serve(t, func(_ *scripted, p *peer) {
		conn := tls.Server(p.TCPConn, c)
		if conn.Handshake() == nil {
			handle(conn)
		}
	})
	return "https://" + s.listener.Addr().String() + "/x", ca
}

// readRequest reads one request; false when there is none.
func readRequest(in *bufio.Reader) bool {
	r, err := http.ReadRequest(in)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err == nil
}

func securePlan(url string, ca []byte, requests int64) loadgen.Plan {
	p := plan(url, requests)
	p.TLS.CAs = ca
	return p
}

func small(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	io.WriteString(w, "ok")
}

// Each protocol over each version of TLS, on kept connections and on one for
// each request, with and without resumption.
func TestSecured(t *testing.T) {
	url, ca := secureServer(t, small, "h2", "http/1.1")
	for _, tt := range []struct {
		name    string
		change  func(*loadgen.Plan)
		alpn    string
		opened  uint64 // connections: 2 kept ones, or as many as requests
		resumed bool
	}{
		{"h1", func(*loadgen.Plan) {}, "http/1.1", 2, false},
		{"h1, TLS 1.2", func(p *loadgen.Plan) { p.TLS.Max = "1.2" }, "http/1.1", 2, false},
		{"h1, churn", func(p *loadgen.Plan) { p.RequestsPerConn = 1 }, "http/1.1", 40, false},
		{"h1, churn, resumed", func(p *loadgen.Plan) { p.RequestsPerConn, p.TLS.Resume = 1, true }, "http/1.1", 40, true},
		{"h1, churn, resumed, TLS 1.2", func(p *loadgen.Plan) { p.RequestsPerConn, p.TLS.Resume, p.TLS.Max = 1, true, "1.2" }, "http/1.1", 40, true},
		{"h1, large body", func(p *loadgen.Plan) { p.Targets[0].Method, p.Targets[0].Body = "POST", make([]byte, 1_000_000) }, "http/1.1", 2, false},
		{"h2", func(p *loadgen.Plan) { p.Protocol = loadgen.HTTP2 }, "h2", 2, false},
		{"h2, 8 streams", func(p *loadgen.Plan) { p.Protocol, p.Streams = loadgen.HTTP2, 8 }, "h2", 2, false},
		{"h2, TLS 1.2", func(p *loadgen.Plan) { p.Protocol, p.Streams, p.TLS.Max = loadgen.HTTP2, 8, "1.2" }, "h2", 2, false},
		{"h2, churn", func(p *loadgen.Plan) { p.Protocol, p.RequestsPerConn = loadgen.HTTP2, 1 }, "h2", 40, false},
		{"h2, large body", func(p *loadgen.Plan) {
			p.Protocol, p.Streams = loadgen.HTTP2, 4
			p.Targets[0].Method, p.Targets[0].Body = "POST", make([]byte, 1_000_000)
		}, "h2", 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := securePlan(url, ca, 40)
			tt.change(&p)
			r := run(t, p)
			if r.Ledger.OK != 40 || r.BodyBytesIn != 80 { // 40 bodies of 2 bytes
				t.Fatalf("%+v %v, %d body bytes", r.Ledger, r.FirstErrors, r.BodyBytesIn)
			}
			if r.TLS == nil || r.TLS.ALPN != tt.alpn || p.TLS.Max == "1.2" != (r.TLS.Version == "TLS 1.2") {
				t.Errorf("agreed on %+v", r.TLS)
			}
			opened := r.Connections.Opened
			if opened < tt.opened || opened > tt.opened+2 { // each of 2 may have one open that carries none
				t.Errorf("%d connections opened, want %d", opened, tt.opened)
			}
			// The first two handshakes may have nothing to resume, and those
			// begun before the first ticket has come.
			if r.Connections.Resumed > 0 != tt.resumed || tt.resumed && r.Connections.Resumed < opened/2 {
				t.Errorf("%d of %d resumed", r.Connections.Resumed, opened)
			}
			if tcp := r.Latency.Connect.Count; r.Latency.TLS.Count != opened || tcp < opened || tcp > opened+2 {
				t.Errorf("%d TLS and %d TCP handshakes, want %d and perhaps 2 more that did not come to it", r.Latency.TLS.Count, tcp, opened)
			}
		})
	}
}

// A connection that ends in the middle of a large request leaves nothing of it to
// the next one.
func TestCutInTheMiddleOfARequest(t *testing.T) {
	url, ca := secureScript(t, nil, func(c *tls.Conn) {
		io.CopyN(io.Discard, c, 100_000) // of a million
		c.NetConn().(*net.TCPConn).SetLinger(0)
	})
	p := securePlan(url, ca, 40)
	p.Targets[0].Method, p.Targets[0].Body = "POST", make([]byte, 1_000_000)
	r := run(t, p)
	if lost := r.Ledger.ErrorsTotal(); lost != 40 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

// A server whose certificate does not hold, or which speaks something else, is
// said to be so in one sentence, and nothing is sent to it.
func TestNotSecured(t *testing.T) {
	url, ca := secureServer(t, small, "http/1.1")
	elsewhere, elsewhereCA := secureScript(t, func(c *tls.Config) { c.NextProtos = []string{"acme-tls/1"} }, func(*tls.Conn) {})
	other, otherCA := authority(t, "example.org")
	wrongName, _ := secureScript(t, func(c *tls.Config) { c.Certificates = []tls.Certificate{other} }, func(*tls.Conn) {})
	silent := "https://" + fullListener(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0") // takes the connection and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	cleartext := serve(t, func(_ *scripted, p *peer) {
		p.in.Peek(100)
		p.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		p.CloseWrite()
		io.Copy(io.Discard, p.in)
	})
	closes := serve(t, func(_ *scripted, p *peer) {
		p.CloseWrite()
		io.Copy(io.Discard, p.in)
	})

	for _, tt := range []struct {
		name   string
		url    string
		change func(*loadgen.Plan)
		want   string
		cert   bool
	}{
		{"unknown authority", url, func(*loadgen.Plan) {}, "signed by an authority that is not trusted", true},
		{"wrong name", wrongName, func(p *loadgen.Plan) { p.TLS.CAs = otherCA }, "127.0.0.1", true},
		{"h2 not offered", url, func(p *loadgen.Plan) { p.TLS.CAs, p.Protocol = ca, loadgen.HTTP2 }, "does not offer h2: it offered http/1.1", false},
		{"h1 not offered", elsewhere, func(p *loadgen.Plan) { p.TLS.CAs = elsewhereCA }, "no application protocol", false},
		{"cleartext", "https://" + cleartext.listener.Addr().String(), func(*loadgen.Plan) {}, "HTTP in cleartext", false},
		{"closes", "https://" + closes.listener.Addr().String(), func(*loadgen.Plan) {}, "closed the connection", false},
		{"says nothing", "https://" + mute.Addr().String(), func(p *loadgen.Plan) { p.ConnectTimeout = 100 * time.Millisecond }, "no answer within 100ms", false},
		{"takes nothing", silent, func(p *loadgen.Plan) { p.ConnectTimeout = 100 * time.Millisecond }, "timeout", false},
		{"TLS 1.3 only", url, func(p *loadgen.Plan) { p.TLS.CAs, p.TLS.Min, p.TLS.Max = ca, "1.3", "1.2" }, "want the lower one first", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := plan(tt.url, 10)
			tt.change(&p)
			_, err := loadgen.Run(context.Background(), p, loadgen.Observer{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want something with %q", err, tt.want)
			}
			if errors.Is(err, loadgen.ErrCertificate) != tt.cert {
				t.Errorf("about the certificate: %v", err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a sentence: %q", err)
			}
		})
	}
	t.Run("insecure", func(t *testing.T) {
		p := plan(url, 10)
		p.TLS.Insecure = true
		if r := run(t, p); r.Ledger.OK != 10 {
			t.Errorf("%+v", r.Ledger)
		}
	})
}

// What breaks TLS in the middle is an outcome, with what happened.
func TestSecureOutcomes(t *testing.T) {
	const n = 20
	head := "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"
	for _, tt := range []struct {
		name   string
		handle func(c *tls.Conn, in *bufio.Reader)
		want   string
		text   string
	}{
		{"until close_notify", func(c *tls.Conn, in *bufio.Reader) {
			readRequest(in)
			io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nas long as it takes")
			c.CloseWrite()
			c.NetConn().(*net.TCPConn).CloseWrite()
			readRequest(in)
		}, "ok", ""},
		{"until a FIN that anybody can send", func(c *tls.Conn, in *bufio.Reader) {
			readRequest(in)
			io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nas long as it takes")
			c.NetConn().(*net.TCPConn).CloseWrite()
			readRequest(in)
		}, "read_failed", "closed inside the body"},
		{"closes before the answer", func(c *tls.Conn, in *bufio.Reader) { readRequest(in); c.Close() }, "reset", "closed"},
		{"breaks off", func(c *tls.Conn, in *bufio.Reader) { readRequest(in); io.WriteString(c, head) }, "read_failed", "closed inside the body"},
		{"alert", func(c *tls.Conn, in *bufio.Reader) {
			readRequest(in)
			io.WriteString(c, head)
			c.NetConn().Write([]byte{23, 3, 3, 0, 5, 1, 2, 3, 4, 5}) // a record that does not open
			readRequest(in)
		}, "protocol_error", "TLS record"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, ca := secureScript(t, nil, func(c *tls.Conn) { tt.handle(c, bufio.NewReader(c)) })
			r := run(t, securePlan(url, ca, n))
			got := r.Ledger.Errors[tt.want].Total()
			if tt.want == "ok" {
				got = r.Ledger.OK
			}
			if got != n || !strings.Contains(r.FirstErrors[tt.want], tt.text) {
				t.Errorf("%+v %v, want %d %s with %q", r.Ledger, r.FirstErrors, n, tt.want, tt.text)
			}
		})
	}
}

// A server that says goodbye and closes keeps its port, in one read or in two: the
// client waits for the FIN and never resets.
func TestSecureChurnEndsWithFIN(t *testing.T) {
	var resets, ends atomic.Int64
	for name, apart := range map[string]time.Duration{"together": 0, "apart": 2 * time.Millisecond} {
		url, ca := secureScript(t, nil, func(c *tls.Conn) {
			in := bufio.NewReader(c)
			if !readRequest(in) {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
			time.Sleep(apart)
			c.CloseWrite()
			c.NetConn().(*net.TCPConn).CloseWrite()
			if _, err := io.Copy(io.Discard, c.NetConn()); err != nil {
				resets.Add(1)
			}
			ends.Add(1)
		})
		p := securePlan(url, ca, 10)
		p.RequestsPerConn = 1
		if r := run(t, p); r.Ledger.OK != 10 {
			t.Errorf("%s: %+v %v", name, r.Ledger, r.FirstErrors)
		}
	}
	// Those that are open when a run ends are closed with what they have not read.
	if resets.Load() > 4 || ends.Load() < 16 {
		t.Errorf("%d of %d connections ended with RST", resets.Load(), ends.Load())
	}
}

// More than the response is a fault, also in a record of its own.
func TestSecureExcess(t *testing.T) {
	url, ca := secureScript(t, nil, func(c *tls.Conn) {
		if in := bufio.NewReader(c); readRequest(in) {
			io.WriteString(c, ok2)
			io.WriteString(c, "!")
			readRequest(in)
		}
	})
	r := run(t, securePlan(url, ca, 10))
	if bad := r.Ledger.Errors["protocol_error"].Total(); bad+r.Ledger.OK != 10 || r.MeasuredS > 1 {
		t.Errorf("%+v %v in %v s", r.Ledger, r.FirstErrors, r.MeasuredS)
	}
}

// A server that shakes hands and closes, before anything could be asked, is met
// more and more slowly, and is said to do so.
func TestClosesBehindTheHandshake(t *testing.T) {
	url, ca := secureScript(t, nil, func(c *tls.Conn) { c.NetConn().(*net.TCPConn).SetLinger(0) })
	p := securePlan(url, ca, 4)
	p.ConnectTimeout = 200 * time.Millisecond
	r, err := loadgen.Run(context.Background(), p, loadgen.Observer{})
	switch {
	case err != nil && !strings.Contains(err.Error(), "ended the connection"):
		t.Errorf("got %v", err)
	case err == nil:
		check(t, r)
		if r.Ledger.OK != 0 || r.Ledger.Errors["protocol_error"].Total() != 0 || r.Connections.Opened > 100 {
			t.Errorf("%+v %v, %d connections", r.Ledger, r.FirstErrors, r.Connections.Opened)
		}
	}
}

// A client's certificate is sent, and without it the server's alert is told.
func TestClientCertificate(t *testing.T) {
	ours, err := certs.Make(certs.Request{Names: []string{"client"}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	url, ca := secureScript(t, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }, func(c *tls.Conn) {
		for in := bufio.NewReader(c); readRequest(in); {
			io.WriteString(c, ok2)
		}
	})
	p := securePlan(url, ca, 10)
	p.TLS.Cert, p.TLS.Key = ours.Cert, ours.Key
	if r := run(t, p); r.Ledger.OK != 10 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
	p.TLS.Cert, p.TLS.Key = nil, nil
	// In TLS 1.3 the alert comes behind the client's handshake.
	_, err = loadgen.Run(context.Background(), p, loadgen.Observer{})
	if err != nil && !strings.Contains(err.Error(), "certificate required") {
		t.Errorf("got %v", err)
	}
	if err == nil {
		r := run(t, p)
		if r.Ledger.OK != 0 || !strings.Contains(r.FirstErrors["read_failed"], "certificate required") {
			t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
		}
	}
}

// A certificate that ends soon is worth a warning by its name.
func TestCertificateEnds(t *testing.T) {
	for name, age := range map[string]time.Duration{"soon": 70 * 24 * time.Hour, "expired": 100 * 24 * time.Hour} { // of 90 days
		set, err := certs.Make(certs.Request{}, time.Now().Add(-age))
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(set.Cert, set.Key)
		if err != nil {
			t.Fatal(err)
		}
		url, _ := secureScript(t, func(c *tls.Config) { c.Certificates = []tls.Certificate{pair} }, func(c *tls.Conn) {
			for in := bufio.NewReader(c); readRequest(in); {
				io.WriteString(c, ok2)
			}
		})
		p := plan(url, 10)
		p.TLS.Insecure = true
		r := run(t, p)
		found := false
		for _, w := range r.Warnings {
			found = found || w.Code == loadgen.CertificateEnds && strings.Contains(w.Text, r.TLS.Subject)
		}
		if !found || r.Ledger.OK != 10 {
			t.Errorf("%s: %+v, %+v", name, r.Warnings, r.Ledger)
		}
		p.TLS.Insecure, p.TLS.CAs = false, set.CA
		if _, err := loadgen.Run(context.Background(), p, loadgen.Observer{}); name == "expired" && !errors.Is(err, loadgen.ErrCertificate) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Handshakes that never end are given up after the connect timeout, and leave no
// goroutine behind.
func TestHandshakeTimeout(t *testing.T) {
	certificate, ca := authority(t)
	s := serve(t, func(s *scripted, p *peer) {
		if s.accepted.Load() == 1 { // the one before the workers'
			tls.Server(p.TCPConn, &tls.Config{Certificates: []tls.Certificate{certificate}}).Handshake()
			return
		}
		io.Copy(io.Discard, p.in) // never answers
	})
	p := securePlan("https://"+s.listener.Addr().String(), ca, 10)
	p.ConnectTimeout = 200 * time.Millisecond
	_, err := loadgen.Run(context.Background(), p, loadgen.Observer{})
	if !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "TLS handshake") {
		t.Errorf("got %v", err)
	}
}
