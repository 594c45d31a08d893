package quicnet

import (
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/h3"
)

// Config is what an engine is made for.
type Config struct {
	Clock       mono.Clock
	Server      netip.AddrPort
	Sources     []netip.Addr // local addresses, a socket for each; none: the kernel chooses
	Connections int
	Streams     int // the most exchanges at a time on a connection, at least 1
	TLS         *tls.Config
	QUIC        *quic.Config
	Request     *h3.Request
	Expect      exchange.Expect
	Timeout     time.Duration // of an exchange, from sending; 0: none
	ZeroRTT     bool          // send requests with the handshake where there is a session (RFC 9001 section 4.6)
	Handler     Handler
}

// Handler is the worker. Each call comes with the engine's lock held, and may
// call the engine and its connections.
type Handler interface {
	// Connected: connection i can carry exchanges.
	Connected(i int, at mono.Time)
	// Secured: its handshake took so long. With 0-RTT that is after Connected.
	Secured(i int, took time.Duration, resumed bool)
	// ConnectFailed: the handshake came to nothing.
	ConnectFailed(i int, at mono.Time, why exchange.Reason)
	// Progress: exchanges of connection i have ended, or it can carry more.
	Progress(i int, at mono.Time)
	// Closed: the connection is gone; what it carried has ended.
	Closed(i int, at mono.Time)
}

// Engine is the QUIC of one worker. All its methods except New, Lock, Unlock,
// Bytes and Shutdown want the lock to be held.
type Engine struct {
	mu       sync.Mutex
	cfg      Config
	sockets  []*socket
	conns    []Conn
	heads    h3.Heads
	readNow  []byte    // for responses that are read in their run loop
	large    bool      // responses do not come in one piece: they are read as they arrive
	service  mono.Time // moving average of what ended ok
	stats    Stats
	rest     atomic.Int64   // ns
	refusals atomic.Int32   // of the host, since a datagram has come
	running  sync.WaitGroup // all goroutines that we have started
	patient  sync.WaitGroup // of these, the readers and writers of streams
	stopped  chan struct{}
	closed   bool // nobody starts anything any more
}

// New opens the sockets. The engine has no connection yet.
func New(cfg Config) (*Engine, error) {
	e := &Engine{cfg: cfg, conns: make([]Conn, cfg.Connections), readNow: make([]byte, readNowBytes), stopped: make(chan struct{})}
	e.large = cfg.Expect.BodyBytes > smallMax
	sources := cfg.Sources[:min(len(cfg.Sources), max(cfg.Connections, 1))]
	if len(sources) == 0 {
		sources = []netip.Addr{{}}
	}
	for _, source := range sources {
		s, err := newSocket(e, source, cfg.Server)
		if err != nil {
			e.Shutdown()
			return nil, err
		}
		e.sockets = append(e.sockets, s)
	}
	for i := range e.conns {
		e.conns[i].init(e, i)
	}
	return e, nil
}

// Lock is taken by whoever works for the worker.
func (e *Engine) Lock() { e.mu.Lock() }

// Unlock gives the lock back.
func (e *Engine) Unlock() { e.mu.Unlock() }

// SetRest says how long the sockets may stay away when nothing is there, before
// they sleep until something comes. 0: not at all.
func (e *Engine) SetRest(d time.Duration) {
	if int64(d) != e.rest.Load() {
		e.rest.Store(int64(d))
	}
}

// Conn returns connection i, which stays the same over all QUIC connections it
// has in its life.
func (e *Engine) Conn(i int) *Conn { return &e.conns[i] }

// Look is called from time to time: a response whose end does not come is from
// now on read as it arrives.
func (e *Engine) Look(now mono.Time) {
	late := now - max(patienceMin, patienceShare*e.service)
	for i := range e.conns {
		e.conns[i].look(late)
	}
}

// patience is how long a response is waited for in one piece: several times as
// long as others took, and at least so long.
const (
	patienceMin   = mono.Time(10 * time.Millisecond)
	patienceShare = 8
)

// Bytes returns the payload of all datagrams received and sent so far.
func (e *Engine) Bytes() (in, out uint64) {
	for _, s := range e.sockets {
		in += s.bytesIn.Load()
		out += s.bytesOut.Load()
	}
	return in, out
}

// Shutdown closes all connections and sockets and waits for every goroutine.
// The worker must have left all connections before. Calling it again does nothing.
func (e *Engine) Shutdown() error {
	e.mu.Lock()
	closed := e.closed
	e.closed = true
	e.mu.Unlock()
	if closed {
		return nil
	}
	close(e.stopped)
	e.running.Wait() // closing connections say goodbye over the sockets
	var errs []error
	for _, s := range e.sockets {
		errs = append(errs, s.close())
	}
	e.patient.Wait()
	e.running.Wait()
	return errors.Join(errs...)
}

// closedByUs is what a connection is closed with that nobody needs any more.
const closedByUs = quic.ApplicationErrorCode(h3.NoError)

// addressOf is the server's address as quic-go wants it. The socket is connected
// and needs none, so the port tells our socket which connection a datagram is of,
// and which of those it has had.
func addressOf(server netip.AddrPort, port int) *net.UDPAddr {
	return &net.UDPAddr{IP: server.Addr().AsSlice(), Zone: server.Addr().Zone(), Port: port}
}

// requestBytes is the least that a datagram has which holds the beginning of a
// request: all of it, where it is small.
func (e *Engine) requestBytes() int { return min(max(len(e.cfg.Request.Bytes), 1), requestBytesMax) }

// requestBytesMax is less than any path carries beside the rest of a datagram.
const requestBytesMax = 900

// port names the present QUIC connection of c in addressOf.
func (c *Conn) port() int { return int(c.generation)<<connectionBits | c.index }

// connectionBits hold the index of a connection.
const connectionBits = 24

// stampPort tells the connection that a port names, while it is the same, that what
// it had to send leaves now.
func (e *Engine) stampPort(port int, now mono.Time, bytes int) {
	if c := &e.conns[port&(1<<connectionBits-1)]; int(c.generation) == port>>connectionBits {
		c.stamp(now, bytes)
	}
}

// refusalsMax is how often in a row the host may say that nothing listens on the
// port before connections that are up are given up. A single word of it may be
// forged or old (RFC 9000 section 14.2.1); a server that is gone does not answer
// the probes that follow.
const refusalsMax = 3

// refused is told, without the lock, that nothing listens on the server's port.
func (e *Engine) refused() {
	many := e.refusals.Add(1) >= refusalsMax
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed { // whoever tells it may be inside a connection's send: not here
		e.running.Go(func() { e.giveUpRefused(many) })
	}
}

func (e *Engine) giveUpRefused(established bool) {
	now := e.cfg.Clock.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.conns {
		c := &e.conns[i]
		switch {
		case c.q == nil && c.giveUp != nil:
			c.giveUp(errRefused)
		case c.q != nil && established:
			c.generation++
			c.endAll(now, errRefused)
			c.close(closedByUs, "")
			e.cfg.Handler.Closed(i, now)
		}
	}
}
