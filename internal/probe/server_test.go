package probe

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"

	"github.com/scalws/scalbench/internal/certs"
)

// bodyDelay is what /slow-body waits between its head and its body.
const bodyDelay = 20 * time.Millisecond

// answers is what the test's servers answer, whatever the protocol.
func answers() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "ok")
	})
	mux.HandleFunc("/slow-body", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "2")
		w.(http.Flusher).Flush()
		<-time.After(bodyDelay) // the thing that is measured
		io.WriteString(w, "ok")
	})
	mux.HandleFunc("/stall", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/stall-in-body", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/abort-in-body", func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != "PUT" || r.Host != "elsewhere" || r.Header.Get("X-Tag") != "t" || string(body) != "hello" || r.Header.Get("User-Agent") != "scalbench" {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	return mux
}

// mode is a protocol as a server and a client agree on it.
type mode struct {
	name     string
	protocol Protocol
	secure   bool
}

// handshake is the phase that a new connection has beside tcp; false: none.
func (m mode) handshake() (Phase, bool) {
	if m.protocol == HTTP3 {
		return PhaseQUIC, true
	}
	return PhaseTLS, m.secure
}

func modes() []mode {
	return []mode{{"h1", HTTP1, false}, {"h1s", HTTP1, true}, {"h2c", HTTP2, false}, {"h2", HTTP2, true}, {"h3", HTTP3, true}}
}

// inEveryMode runs a test against a server of each protocol.
func inEveryMode(t *testing.T, test func(t *testing.T, m mode, c Config)) {
	for _, m := range modes() {
		t.Run(m.name, func(t *testing.T) { test(t, m, serve(t, m)) })
	}
}

// serve starts a server and returns how it is probed, fast, without a path.
func serve(t *testing.T, m mode) Config {
	t.Helper()
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(set.Cert, set.Key)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Protocol: m.protocol, Rate: RateMax, Count: 1, Timeout: 10 * time.Second, ConnectTimeout: 10 * time.Second,
		TLS: TLS{CAs: set.CA},
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if m.protocol == HTTP3 {
		c.URL = "https://" + serveQUIC(t, config)
		return c
	}
	c.URL = "http://"
	if m.secure {
		c.URL = "https://"
	}
	c.URL += serveTCP(t, m, config)
	return c
}

func serveTCP(t *testing.T, m mode, config *tls.Config) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: answers(), TLSConfig: config, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
	server.Protocols.SetHTTP1(m.protocol == HTTP1)
	server.Protocols.SetHTTP2(m.protocol == HTTP2)
	server.Protocols.SetUnencryptedHTTP2(m.protocol == HTTP2)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if m.secure {
			server.ServeTLS(listener, "", "")
		} else {
			server.Serve(listener)
		}
	}()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return listener.Addr().String()
}

func serveQUIC(t *testing.T, config *tls.Config) (address string) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http3.Server{Handler: answers(), TLSConfig: http3.ConfigureTLSConfig(config)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Serve(socket)
	}()
	t.Cleanup(func() {
		server.Close()
		<-ended
		socket.Close()
	})
	return socket.LocalAddr().String()
}

// probes runs c to its end and returns every probe in order of seq, and the
// summary.
func probes(t *testing.T, c Config) ([]*Probe, *Summary) {
	t.Helper()
	all := make([]*Probe, c.Count)
	summary, err := Run(context.Background(), c, Observer{Probe: func(p *Probe) { all[p.Seq] = p }})
	if err != nil {
		t.Fatal(err)
	}
	return all, summary
}

// one is the only probe of c, at a path.
func one(t *testing.T, c Config, path string) *Probe {
	t.Helper()
	c.URL += path
	all, _ := probes(t, c)
	return all[0]
}
