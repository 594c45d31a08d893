package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/valyala/fasthttp"
)

// endGrace is how long the end waits for requests that are being answered.
// Idle connections are not waited for: they would never end by themselves.
const endGrace = 100 * time.Millisecond

// cutOffPatience is how long a handler may take to notice that its connection
// was closed under it: it has at most a file to read.
const cutOffPatience = time.Second

// prefetchBytes is what is read of a request's body before its handler runs.
// The handler discards the rest in a small buffer, so that a body of any size
// costs no memory.
const prefetchBytes = 64 << 10

// server is the running embedded server. Its fields are set before serveLoop
// and only read after, but for those with their own locks and atomics.
type server struct {
	http   *fasthttp.Server
	clock  mono.Clock
	start  mono.Time // from which the periods of /stall are counted
	files  files
	memory []byte // the body of /respond-1k
	faults *faultLog
	conns  *conns

	upstream *upstream // nil: there is none
	cache    cache     // answers of the upstream

	asked [numMisbehaviours]atomic.Uint64 // requests whose share is counted, by kind

	ending   chan struct{} // closed when the end begins; held requests watch it
	served   chan struct{} // closed when serveLoop returns, after serveErr is set
	serveErr error
}

// newServer makes the server of a configuration that is valid and complete.
func newServer(cfg Config, made files, faults *faultLog) (*server, error) {
	clock, err := mono.NewClock()
	if err != nil {
		return nil, err
	}
	var memory bytes.Buffer
	if err := writeContent(&memory, smallBytes); err != nil {
		return nil, err
	}
	s := &server{
		clock:  clock,
		start:  clock.Now(),
		files:  made,
		memory: memory.Bytes(),
		faults: faults,
		conns:  newConns(),
		ending: make(chan struct{}),
		served: make(chan struct{}),
	}
	if cfg.Upstream != "" {
		s.upstream = newUpstream(cfg.Upstream, cfg.UpstreamTimeout)
	}
	s.http = &fasthttp.Server{
		Name:      "scalbench-target",
		Handler:   s.handle,
		Logger:    faults,
		ConnState: s.conns.track,

		// Saves a clock reading per request; no route asks for the time it
		// came in.
		LazyRequestTime: true,

		// A POST of any size is read and ignored without being kept.
		StreamRequestBody:            true,
		MaxRequestBodySize:           prefetchBytes,
		DisablePreParseMultipartForm: true,
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
