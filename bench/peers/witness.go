package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// witness is a server of HTTP/3 that remembers the first request of every
// connection. nginx in Debian 12 (1.22) has no HTTP/3; Caddy could log as much, and
// would have to be there.
type witness struct {
	socket *net.UDPConn
	server *http3.Server
	served chan error // one: how Serve ended

	mu   sync.Mutex
	seen []probeLine // guarded by mu
}

// witnessIdle is how long it keeps a connection without a request. A peer may wait
// for that at its end.
const witnessIdle = time.Second

// firstOf is the key of a connection's context under which its *sync.Once is.
type firstOf struct{}

// newWitness starts one with the certificate of the site, on any CPU.
func newWitness(at site) (*witness, error) {
	pair, err := tls.LoadX509KeyPair(at.certificate(), at.key())
	if err != nil {
		return nil, err
	}
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	w := &witness{socket: socket, served: make(chan error, 1)}
	w.server = &http3.Server{
		Handler:     http.HandlerFunc(w.answer),
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{pair}},
		IdleTimeout: witnessIdle,
		ConnContext: func(ctx context.Context, _ *quic.Conn) context.Context {
			return context.WithValue(ctx, firstOf{}, new(sync.Once))
		},
	}
	go w.serveLoop()
	return w, nil
}

func (w *witness) serveLoop() { w.served <- w.server.Serve(w.socket) }

func (w *witness) port() int { return w.socket.LocalAddr().(*net.UDPAddr).Port }

// answer gives every request the same, after a pause as the recorder does.
func (w *witness) answer(out http.ResponseWriter, r *http.Request) {
	r.Context().Value(firstOf{}).(*sync.Once).Do(func() { w.keep(r) })
	time.Sleep(recorderPause)
	_, _ = io.WriteString(out, "ok") // a client that has gone is no fault here
}

// keep adds the line of a connection's first request, in the words of nginx.conf.
// It has all fields that there are, in the order of their names.
func (w *witness) keep(r *http.Request) {
	line := probeLine{
		Request: 1, HTTP: r.Proto,
		TLS: tls.VersionName(r.TLS.Version), Cipher: tls.CipherSuiteName(r.TLS.CipherSuite), Resumed: ".",
		Fields: []string{"host: " + r.Host},
	}
	if r.TLS.DidResume {
		line.Resumed = "r"
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		line.Fields = append(line.Fields, strings.ToLower(name)+": "+strings.Join(r.Header[name], ", "))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, line)
}

func (w *witness) forget() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = nil
	return nil
}

func (w *witness) lines() ([]probeLine, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen, nil
}

// close ends it, and the connections that clients have left open.
func (w *witness) close() error {
	err := errors.Join(w.server.Close(), w.socket.Close())
	if served := <-w.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
