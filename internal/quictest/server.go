package quictest

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/quic"

	"github.com/scalws/scalbench/internal/certs"
)

// Server is a QUIC server on a port of 127.0.0.1.
type Server struct {
	serve   func(context.Context, *Conn)
	config  *quic.Config
	ca      []byte
	socket  *net.UDPConn
	serving sync.WaitGroup // acceptLoop and serveLoop of all lives

	mu   sync.Mutex
	life *life // guarded by mu; nil when the test has ended
}

// life is an endpoint for as long as it remembers its connections.
type life struct {
	cancel   context.CancelFunc // of the context that serve has
	line     *line
	endpoint *quic.Endpoint
}

// Start serves until the test ends. Each connection whose handshake is complete
// is given to serve in a goroutine of its own. When serve returns the connection
// stays as it is, until the client closes it or the test ends. serve must return
// when its context ends, which it does with the test and with a restart.
func Start(t testing.TB, o Options, serve func(ctx context.Context, c *Conn)) *Server {
	t.Helper()
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(set.Cert, set.Key)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{serve: serve, config: o.config(certificate), ca: set.CA, socket: listen(t)}
	t.Cleanup(s.end)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(t)
	return s
}

// Addr is where the server listens, in all its lives.
func (s *Server) Addr() netip.AddrPort { return addrOf(s.socket) }

// CA is the authority of the server's certificate, as PEM. The certificate is
// for localhost and 127.0.0.1.
func (s *Server) CA() []byte { return s.ca }

// Restart has the server forget all its connections without a word, as a crash
// does, and listen again on the same port. What clients send next on the old
// connections is answered by a stateless reset, or not at all: see
// [Options.StatelessReset]. serve may call it.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil {
		return
	}
	// The endpoint says goodbye to its connections when it is closed, so it is
	// cut off first.
	s.life.line.Close()
	s.life.close()
	s.begin(t)
}

// begin begins a life; the caller holds mu.
func (s *Server) begin(t testing.TB) {
	t.Helper()
	l := newLine(s.socket)
	endpoint, err := quic.NewEndpoint(l, s.config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.life = &life{cancel: cancel, line: l, endpoint: endpoint}
	s.serving.Go(func() { s.acceptLoop(ctx, endpoint) })
}

func (s *Server) acceptLoop(ctx context.Context, endpoint *quic.Endpoint) {
	for {
		conn, err := endpoint.Accept(ctx)
		if err != nil {
			return
		}
		s.serving.Go(func() { s.serveLoop(ctx, conn) })
	}
}

// serveLoop is the goroutine of a connection.
func (s *Server) serveLoop(ctx context.Context, conn *quic.Conn) {
	s.serve(ctx, &Conn{quic: conn})
	// A connection that the client has closed is kept until this side closes it
	// as well.
	conn.Wait(ctx)
	if ctx.Err() == nil {
		conn.Abort(nil)
	}
}

// close ends all connections of the life and waits for nobody's answer.
func (l *life) close() {
	l.cancel()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	l.endpoint.Close(ended)
}

func (s *Server) end() {
	s.mu.Lock()
	if s.life != nil {
		s.life.close()
		s.life = nil
	}
	s.mu.Unlock()
	s.serving.Wait()
	s.socket.Close()
}
