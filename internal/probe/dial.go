package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// dialer opens connections to one server.
type dialer struct {
	config    Config
	url       *url.URL
	port      string
	tls       *tls.Config
	clock     mono.Clock
	transport *http.Transport // makes HTTP connections of those that are opened here
}

func newDialer(c Config, clock mono.Clock) (*dialer, error) {
	u, err := c.target()
	if err != nil {
		return nil, err
	}
	config, err := c.tlsConfig(u.Hostname())
	if err != nil {
		return nil, err
	}
	return &dialer{config: c, url: u, port: portOf(u), tls: config, clock: clock, transport: newTransport(c.Protocol)}, nil
}

// open looks the name up, connects and shakes hands, a phase each. Errors are
// stepErrors.
func (d *dialer) open(ctx context.Context, s *stopwatch) (connection, error) {
	addresses, err := d.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	if d.config.Protocol == HTTP3 {
		return d.openQUIC(ctx, addresses, s)
	}
	conn, err := d.connect(ctx, addresses, s)
	if err != nil {
		return nil, err
	}
	if d.url.Scheme == "https" {
		return d.secure(ctx, conn, s)
	}
	return d.adopt(ctx, conn, conn)
}

// resolve returns the addresses of the URL's host. An address in the URL needs no
// lookup and has no phase.
func (d *dialer) resolve(ctx context.Context, s *stopwatch) ([]netip.Addr, error) {
	host := d.url.Hostname()
	addresses := make([]netip.Addr, 1)
	var err error
	if addresses[0], err = netip.ParseAddr(host); err != nil {
		s.enter(PhaseDNS)
		addresses, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return nil, stepError{fmt.Sprintf("look up host %q", host), err}
		}
		s.leave()
	}
	kept := addresses[:0]
	for _, a := range addresses {
		a = a.Unmap()
		if d.config.Family == 0 || a.Is4() == (d.config.Family == 4) {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		s.enter(PhaseDNS)
		return nil, stepError{fmt.Sprintf("look up host %q", host), fmt.Errorf("it has no IPv%d address", d.config.Family)}
	}
	return kept, nil
}

// connect returns a connection to the first address that takes one, in the
// resolver's order.
func (d *dialer) connect(ctx context.Context, addresses []netip.Addr, s *stopwatch) (*stampedConn, error) {
	s.enter(PhaseTCP)
	var failure error
	for i, a := range addresses {
		address := net.JoinHostPort(a.String(), d.port)
		conn, err := dialTCP(ctx, address, len(addresses)-i)
		if err == nil {
			s.leave()
			s.probe.Address = address
			return newStampedConn(conn, d.clock), nil
		}
		failure = stepError{"connect " + address, err}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failure
}

// dialTCP leaves each of the addresses that are left its share of the time, so
// that one that does not answer does not cost the others theirs.
func dialTCP(ctx context.Context, address string, left int) (*net.TCPConn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	var plain net.Dialer
	conn, err := plain.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// secure shakes hands and wants the protocol that is to be spoken.
func (d *dialer) secure(ctx context.Context, conn *stampedConn, s *stopwatch) (connection, error) {
	s.enter(PhaseTLS)
	step := "TLS handshake with " + s.probe.Address
	secured := tls.Client(conn, d.tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, stepError{step, err}
	}
	if err := d.config.Protocol.agreed(secured.ConnectionState().NegotiatedProtocol); err != nil {
		secured.Close()
		return nil, stepError{step, err}
	}
	s.leave()
	return d.adopt(ctx, secured, conn)
}

// agreed returns an error when ALPN came to something else than p needs. HTTP/1.1
// is also what a server speaks that says nothing (RFC 9110 section 4.2.2).
func (p Protocol) agreed(chosen string) error {
	switch {
	case p == HTTP2 && chosen == "h2", p == HTTP1 && chosen != "h2":
		return nil
	case chosen == "":
		return fmt.Errorf("the server does not offer %s: it chose no protocol at all (no ALPN)", p)
	}
	return fmt.Errorf("the server does not offer %s: it chose %s", p, chosen)
}
