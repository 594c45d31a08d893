package probe

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/scalws/scalbench/internal/mono"
)

// never is longer than anything waits, where a library has a default for zero.
const never = 24 * time.Hour

// quicConfig keeps quic-go's own timeouts out of the way of ours.
func (c Config) quicConfig() *quic.Config {
	config := &quic.Config{HandshakeIdleTimeout: never, MaxIdleTimeout: never}
	if c.ConnectTimeout > 0 {
		config.HandshakeIdleTimeout = c.ConnectTimeout + time.Second
	}
	return config
}

// openQUIC shakes hands with the first address that does. Each connection has a
// socket of its own, as a new visitor's has.
func (d *dialer) openQUIC(ctx context.Context, addresses []netip.Addr, s *stopwatch) (connection, error) {
	s.enter(PhaseQUIC)
	port, err := strconv.ParseUint(d.port, 10, 16)
	if err != nil {
		return nil, stepError{"QUIC handshake", fmt.Errorf("port %q: %w", d.port, err)}
	}
	var failure error
	for i, a := range addresses {
		address := netip.AddrPortFrom(a, uint16(port))
		conn, err := d.dialQUIC(ctx, address, len(addresses)-i)
		if err == nil {
			s.leave()
			s.probe.Address = address.String()
			return conn, nil
		}
		failure = stepError{"QUIC handshake with " + address.String(), err}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failure
}

func (d *dialer) dialQUIC(ctx context.Context, address netip.AddrPort, left int) (*quicConnection, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	network := "udp6"
	if address.Addr().Is4() {
		network = "udp4"
	}
	socket, err := net.ListenUDP(network, nil)
	if err != nil {
		return nil, err
	}
	c := &quicConnection{socket: socket, under: &quic.Transport{Conn: socket}}
	conn, err := c.under.Dial(ctx, net.UDPAddrFromAddrPort(address), d.tls, d.config.quicConfig())
	if err != nil {
		c.under.Close()
		socket.Close()
		return nil, err
	}
	c.http = (&http3.Transport{DisableCompression: true}).NewClientConn(conn)
	return c, nil
}

// quicConnection is an HTTP/3 connection with its socket.
type quicConnection struct {
	http   *http3.ClientConn
	under  *quic.Transport
	socket *net.UDPConn
}

func (c *quicConnection) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.http.RoundTrip(r)
}

func (c *quicConnection) usable() bool { return c.http.Context().Err() == nil }

// lastKernel: quic-go reads its socket itself.
func (c *quicConnection) lastKernel() mono.Time { return 0 }

// socketFault: a datagram socket has nothing to say about the server.
func (c *quicConnection) socketFault() *socketFault { return nil }

func (c *quicConnection) close() {
	c.http.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	c.under.Close()
	c.socket.Close()
}
