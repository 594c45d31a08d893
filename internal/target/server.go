package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// endGrace is how long the end waits for requests that are being answered.
// Idle connections are not waited for: they would never end by themselves.
const endGrace = 100 * time.Millisecond

// cutOffPatience is how long a handler may take to notice that its connection
// was closed under it: it has at most a file to read.
const cutOffPatience = time.Second

// serverName is the Server field of every answer.
const serverName = "scalbench-target"

// httpServer is what carries HTTP: fasthttp in cleartext, net/http over TLS,
// quic-go beside it over QUIC.
type httpServer interface {
	// Serve accepts until the listener is closed or fails.
	Serve(net.Listener) error
	// ShutdownWithContext waits for requests in progress until the context ends.
	ShutdownWithContext(context.Context) error
}

// server is the running embedded server. Its fields are set before serveLoop
// and only read after, but for those with their own locks and atomics.
type server struct {
	http   httpServer
	delays *delayer
	start  mono.Time // from which the periods of /stall are counted
	files  files
	memory []byte // the body of /respond-1k
	faults *faultLog
	conns  *conns
	burner *burner

	upstream *upstream // nil: there is none
	cache    cache     // answers of the upstream

	altSvc []string // the Alt-Svc field of answers that come over TCP; nil: there is no HTTP/3

	buffers sync.Pool // of *fileBuffer

	asked   [numMisbehaviours]atomic.Uint64 // requests whose share is counted, by kind
	stepped atomic.Uint64                   // requests of /delay-steps

	ending   chan struct{} // closed when the end begins; held requests watch it
	served   chan struct{} // closed when serveLoop returns, after serveErr is set
	serveErr error
}

// newServer makes the server of a configuration that is valid and complete. delays
// outlives it. udp is the socket of HTTP/3, which the server closes at its end;
// nil: none.
func newServer(cfg Config, made files, faults *faultLog, delays *delayer, udp *net.UDPConn) (*server, error) {
	var memory bytes.Buffer
	if err := writeContent(&memory, smallBytes); err != nil {
		return nil, err
	}
	s := &server{
		delays:  delays,
		start:   delays.clock.Now(),
		files:   made,
		memory:  memory.Bytes(),
		faults:  faults,
		conns:   newConns(),
		burner:  newBurner(cfg.Burn),
		buffers: sync.Pool{New: func() any { return new(fileBuffer) }},
		ending:  make(chan struct{}),
		served:  make(chan struct{}),
	}
	if cfg.Upstream != "" {
		s.upstream = newUpstream(cfg.Upstream, cfg.UpstreamTimeout)
	}
	fields, err := cfg.fields()
	if err != nil {
		return nil, err
	}
	s.http = s.newCleartext(fields)
	if cfg.Cert == "" {
		return s, nil
	}
	secure, err := s.newSecure(cfg, fields)
	if err != nil {
		return nil, err
	}
	s.http = secure
	if udp == nil {
		return s, nil
	}
	if s.http, err = s.newQUIC(secure, udp); err != nil {
		return nil, err
	}
	return s, nil
}

// serveLoop accepts until the listener is closed.
func (s *server) serveLoop(ln net.Listener) {
	defer close(s.served)
	if err := s.http.Serve(ln); err != nil {
		s.serveErr = fmt.Errorf("serve %s: %w", ln.Addr(), err)
	}
}

// end takes the server down. All handlers return once ending is closed, so
// that it seldom lasts longer than [endGrace]. It returns what made the
// listener fail, and what could not be ended.
func (s *server) end(ln net.Listener) error {
	close(s.ending)
	if s.upstream != nil {
		s.upstream.end()
	}
	closeErr := ln.Close()
	if errors.Is(closeErr, net.ErrClosed) {
		closeErr = nil // Serve failed and closed it
	}
	<-s.served

	ctx, cancel := context.WithTimeout(context.Background(), endGrace)
	defer cancel()
	// Its errors are the end of the grace and the closed listener: no faults.
	_ = s.http.ShutdownWithContext(ctx)

	// It leaves connections open that are busy, hijacked, or younger than 5 s
	// and without a request so far. What is still left of thousands after that is
	// no fault: they are closed, and only their goroutines have not noticed.
	s.conns.cutOff(cutOffPatience)
	return errors.Join(s.serveErr, closeErr)
}

// blame logs a fault of this server. What goes wrong because the end has taken
// the files away is none.
func (s *server) blame(err error) {
	select {
	case <-s.ending:
	default:
		s.faults.Printf("%v", err)
	}
}
