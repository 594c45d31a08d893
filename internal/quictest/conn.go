package quictest

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/net/quic"
)

// Conn is the server's side of a connection whose handshake is complete. Nothing
// has been sent on it. Its methods may be used by several goroutines; the
// contexts end what the methods wait for, and reads and writes of the streams
// that they return.
type Conn struct {
	quic *quic.Conn

	mu      sync.Mutex
	control *Stream // guarded by mu; nil before the first use
}

// Settings sends SETTINGS with identifiers and values in turn on the control
// stream (RFC 9114, 7.2.4).
func (c *Conn) Settings(ctx context.Context, idsAndValues ...uint64) error {
	_, err := c.Control(ctx, Frame(FrameSettings, Varints(idsAndValues...)))
	return err
}

// GoAway sends GOAWAY on the control stream: requests on streams from id on will
// not be processed (RFC 9114, 5.2). Without SETTINGS before it, it is the first
// frame of the stream, which is an error.
func (c *Conn) GoAway(ctx context.Context, id uint64) error {
	_, err := c.Control(ctx, Frame(FrameGoAway, Varints(id)))
	return err
}

// Control sends bytes as they are on the control stream (RFC 9114, 6.2.1), which
// the first call opens, and returns that stream. A client must not see it
// finished or reset.
func (c *Conn) Control(ctx context.Context, raw []byte) (*Stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.control != nil {
		return c.control, c.control.Write(raw)
	}
	control, err := c.Uni(ctx, append(Varints(StreamControl), raw...))
	c.control = control
	return control, err
}

// Uni opens a unidirectional stream and sends bytes as they are, of which the
// first are the stream's type (RFC 9114, 6.2). The stream is not finished. The
// error is that of opening it, with no stream, or that of sending.
func (c *Conn) Uni(ctx context.Context, raw []byte) (*Stream, error) {
	opened, err := c.quic.NewSendOnlyStream(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a unidirectional stream: %w", err)
	}
	s := newStream(ctx, opened)
	return s, s.Write(raw)
}

// Accept waits for the next request and reads it to its end. A client that
// resets its side of the stream before has canceled it, which is no error: see
// [Request.Canceled]. A request that breaks off otherwise comes with the error and
// what was read of it.
func (c *Conn) Accept(ctx context.Context) (*Request, error) {
	r, err := c.AcceptUnread(ctx)
	if err != nil {
		return nil, err
	}
	return r, r.ReadAll()
}

// AcceptUnread waits for the next request and reads nothing of it. Unidirectional
// streams of the client pass by unread: they are short, and no window of theirs
// runs out.
func (c *Conn) AcceptUnread(ctx context.Context) (*Request, error) {
	for {
		s, err := c.quic.AcceptStream(ctx)
		if err != nil {
			return nil, fmt.Errorf("accept a request: %w", err)
		}
		if !s.IsReadOnly() {
			s.SetReadContext(ctx)
			return &Request{Stream: newStream(ctx, s)}, nil
		}
	}
}

// Close closes the connection with a code of HTTP/3 (RFC 9114, 8.1) and a
// reason. As a rule small writes before it are sent first; what waits for a window
// is lost.
func (c *Conn) Close(code uint64, reason string) {
	c.quic.Abort(&quic.ConnectionCloseError{Code: code, Reason: reason})
}

// Wait waits until the connection has ended and says how. A client that closed it
// with a code of HTTP/3 is a *quic.ConnectionCloseError of golang.org/x/net/quic;
// nil is a transport's NO_ERROR.
func (c *Conn) Wait(ctx context.Context) error { return c.quic.Wait(ctx) }
