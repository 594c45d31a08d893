package quicnet

import (
	"context"
	"crypto/tls"
	"errors"
	"net/netip"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/h3"
)

// Handshake shakes hands with a server once and says goodbye.
func Handshake(ctx context.Context, server netip.AddrPort, sources []netip.Addr, config *tls.Config, quicConfig *quic.Config) (state tls.ConnectionState, err error) {
	clock, err := mono.NewClock()
	if err != nil {
		return state, err
	}
	e, err := New(Config{Clock: clock, Server: server, Sources: sources[:min(1, len(sources))], Connections: 1, Streams: 1, TLS: config, QUIC: quicConfig, Request: &h3.Request{}})
	if err != nil {
		return state, err
	}
	defer e.Shutdown()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := e.Conn(0)
	e.Lock()
	c.giveUp = cancel
	e.Unlock()
	q, err := c.dial(ctx, c.port())
	if err != nil {
		if errors.Is(context.Cause(ctx), errRefused) {
			err = errRefused
		}
		return state, err
	}
	state = q.ConnectionState().TLS
	return state, q.CloseWithError(closedByUs, "")
}

// Connect begins the handshake of connection i.
func (e *Engine) Connect(i int) {
	c := &e.conns[i]
	c.reset()
	c.generation++
	ctx, cancel := context.WithCancelCause(context.Background())
	c.giveUp = cancel
	generation := c.generation
	began := e.cfg.Clock.Now()
	port := c.port()
	e.running.Go(func() { c.live(ctx, generation, port, began) })
}

// Disconnect gives connection i up, or its handshake. Exchanges that are out are
// nobody's any more: they must have been ended.
func (e *Engine) Disconnect(i int) {
	c := &e.conns[i]
	if c.early && c.q != nil && handshakeComplete(c.q) { // and who waits for that has not seen it yet
		c.secured(e.cfg.Clock.Now())
	}
	c.generation++
	if c.giveUp != nil {
		c.giveUp(errGivenUp)
		c.giveUp = nil
	}
	c.close(closedByUs, "")
}

var errGivenUp = errors.New("given up")

// live is a QUIC connection from its handshake to its end. It runs in a
// goroutine of its own; a later Connect or Disconnect makes it a stranger.
func (c *Conn) live(ctx context.Context, generation uint64, port int, began mono.Time) {
	q, err := c.dial(ctx, port)
	at := c.e.cfg.Clock.Now()
	c.e.mu.Lock()
	switch {
	case c.generation != generation:
		c.e.mu.Unlock()
		if err == nil {
			_ = q.CloseWithError(closedByUs, "")
			c.e.mu.Lock()
			c.e.stats.add(q.ConnectionStats())
			c.e.mu.Unlock()
		}
		return
	case err != nil:
		c.giveUp = nil
		c.e.cfg.Handler.ConnectFailed(c.index, at, exchange.Reason{Text: handshakeReason(ctx, err)})
		c.e.mu.Unlock()
		return
	}
	early := c.e.cfg.ZeroRTT && !handshakeComplete(q)
	c.q, c.early, c.began = q, early, began
	if c.e.cfg.ZeroRTT && !early {
		c.refusedAlready()
	}
	c.announce()
	if c.fault != "" { // it would carry nothing
		c.giveUp = nil
		c.close(closedByUs, "")
		c.e.cfg.Handler.ConnectFailed(c.index, at, exchange.Reason{Text: c.fault})
		c.e.mu.Unlock()
		return
	}
	if !early {
		c.secured(at)
	}
	c.e.cfg.Handler.Connected(c.index, at)
	c.e.mu.Unlock()

	if early && !c.awaitSecured(q, generation) {
		return
	}
	why := c.acceptStreams(q)
	at = c.e.cfg.Clock.Now()
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.generation != generation {
		return
	}
	c.endAll(at, why)
	c.close(closedByUs, "")
	c.e.cfg.Handler.Closed(c.index, at)
}

// dial shakes hands. With 0-RTT it returns before that is done.
func (c *Conn) dial(ctx context.Context, port int) (*quic.Conn, error) {
	address := addressOf(c.e.cfg.Server, port)
	t := c.socket.transport
	if c.e.cfg.ZeroRTT {
		return t.DialEarly(ctx, address, c.e.cfg.TLS, c.e.cfg.QUIC)
	}
	return t.Dial(ctx, address, c.e.cfg.TLS, c.e.cfg.QUIC)
}

func handshakeComplete(q *quic.Conn) bool {
	select {
	case <-q.HandshakeComplete():
		return true
	default:
		return false
	}
}

// announce opens our control stream (RFC 9114 section 6.2.1).
func (c *Conn) announce() {
	s, err := c.q.OpenUniStream()
	switch {
	case err != nil && c.q.Context().Err() != nil:
		c.fault = connectionReason(context.Cause(c.q.Context()))
		return
	case err != nil: // a server must allow three
		c.fault = "the server allows no control stream"
		return
	}
	if s.TryWriteAll(h3.Opening()) != nil {
		c.fault = "the server's window does not hold the settings"
	}
}

// refusedAlready is for a connection whose server has refused what was to be sent
// with its handshake before anything was: its streams are refused too, until that
// has been taken note of.
func (c *Conn) refusedAlready() {
	s, err := c.q.OpenStream()
	if !errors.Is(err, quic.Err0RTTRejected) {
		c.next = s // or nil, and then what is wrong with it is met again
		return
	}
	c.e.stats.ZeroRTTRefused++
	_, _ = c.q.NextConnection(c.q.Context()) // its handshake is complete: it does not wait
}

// secured tells of a handshake that has come to its end, and whether the server has
// taken what was sent with it.
func (c *Conn) secured(at mono.Time) {
	state := c.q.ConnectionState()
	c.e.cfg.Handler.Secured(c.index, at.Sub(c.began), state.TLS.DidResume)
	switch {
	case c.early && state.Used0RTT:
		c.e.stats.ZeroRTTAccepted++
	case c.early:
		c.e.stats.ZeroRTTRefused++
	}
	c.early = false
}

// awaitSecured waits for the handshake of a connection that carries exchanges
// already. When the server has refused these, they are started again. It reports
// false when the connection is somebody else's.
func (c *Conn) awaitSecured(q *quic.Conn, generation uint64) bool {
	select {
	case <-q.HandshakeComplete():
	case <-q.Context().Done():
		return true // acceptStreams tells why
	}
	at := c.e.cfg.Clock.Now()
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	if c.generation != generation {
		return false
	}
	c.secured(at)
	if q.ConnectionState().Used0RTT {
		return true
	}
	if _, err := q.NextConnection(q.Context()); err != nil {
		return true
	}
	c.handBackAll(at)
	c.drop()
	_, goesAway := c.control.GoAway()
	c.leaving = goesAway // what was to be the last one is not out any more
	c.announce()
	c.e.cfg.Handler.Progress(c.index, at)
	return true
}

// close says goodbye on the QUIC connection there is, if any.
func (c *Conn) close(code quic.ApplicationErrorCode, text string) {
	q := c.q
	if q == nil {
		return
	}
	c.q = nil
	c.drop()
	// It waits for the run loop, which may be waiting for the lock that we hold.
	c.e.running.Go(func() {
		_ = q.CloseWithError(code, text)
		c.e.mu.Lock()
		c.e.stats.add(q.ConnectionStats())
		c.e.mu.Unlock()
	})
}
