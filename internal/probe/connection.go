package probe

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/scalws/scalbench/internal/mono"
)

// connection carries one probe at a time.
type connection interface {
	// RoundTrip is that of http.RoundTripper. A probe's trace is called by the
	// goroutine that reads the connection.
	RoundTrip(*http.Request) (*http.Response, error)
	usable() bool              // for another probe
	lastKernel() mono.Time     // when the kernel had the bytes of the last read; zero: not known
	socketFault() *socketFault // what its socket reported; nil: nothing wrong
	close()
}

// tcpConnection is an HTTP/1.1 or HTTP/2 connection.
type tcpConnection struct {
	http   *http.ClientConn
	socket *stampedConn
}

func (c *tcpConnection) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.http.RoundTrip(r)
}
func (c *tcpConnection) usable() bool              { return c.http.Err() == nil }
func (c *tcpConnection) lastKernel() mono.Time     { return c.socket.lastKernel() }
func (c *tcpConnection) socketFault() *socketFault { return c.socket.fault.Load() }
func (c *tcpConnection) close()                    { c.http.Close() }

// opened is the key of the connection that newTransport is handed in a context.
type opened struct{}

// newTransport returns what speaks HTTP over connections that are open already.
// It follows nothing, decodes nothing and asks no proxy.
func newTransport(p Protocol) *http.Transport {
	take := func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, ok := ctx.Value(opened{}).(net.Conn)
		if !ok {
			return nil, errors.New("no connection was opened")
		}
		return conn, nil
	}
	t := &http.Transport{DialContext: take, DialTLSContext: take, DisableCompression: true, Protocols: new(http.Protocols)}
	t.Protocols.SetHTTP1(p == HTTP1)
	t.Protocols.SetHTTP2(p == HTTP2)
	t.Protocols.SetUnencryptedHTTP2(p == HTTP2)
	return t
}

// adopt makes an HTTP connection of conn, which is socket or TLS on it.
func (d *dialer) adopt(ctx context.Context, conn net.Conn, socket *stampedConn) (connection, error) {
	address := net.JoinHostPort(d.url.Hostname(), d.port)
	client, err := d.transport.NewClientConn(context.WithValue(ctx, opened{}, conn), d.url.Scheme, address)
	if err != nil {
		conn.Close()
		return nil, stepError{"begin " + d.config.Protocol.String(), err}
	}
	return &tcpConnection{http: client, socket: socket}, nil
}

// kept holds at most one connection between probes.
type kept struct {
	mu   sync.Mutex
	conn connection // guarded by mu; nil: none
}

// take returns the kept connection, which is the caller's then; nil when there is
// none or the server has closed it, which is no error (RFC 9112 section 9.5).
func (k *kept) take() connection {
	k.mu.Lock()
	conn := k.conn
	k.conn = nil
	k.mu.Unlock()
	if conn != nil && !conn.usable() {
		conn.close()
		return nil
	}
	return conn
}

// put keeps a connection, or closes it when there is one already: it was opened
// because that one was busy.
func (k *kept) put(conn connection) {
	k.mu.Lock()
	if k.conn == nil {
		k.conn, conn = conn, nil
	}
	k.mu.Unlock()
	if conn != nil {
		conn.close()
	}
}

// close closes what is kept.
func (k *kept) close() {
	if conn := k.take(); conn != nil {
		conn.close()
	}
}
