package loadgen

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
)

// server is where the load goes: one address for all connections, and, when it
// is on this host, whose it is.
type server struct {
	address netip.AddrPort
	dns     time.Duration // of the lookup; 0: the URL has an address
	tls     *TLSFacts     // what the first handshake agreed on; nil: cleartext
	local   bool          // on this host
	warning *Warning      // why its processes are not known although asked for

	processes processes  // that serve; nobody: unknown, or not asked for
	cpus      cpuset.Set // that they may use
}

// resolve finds the one address that all connections go to. A name that has
// several is tried in the resolver's order and the first that takes a
// connection is used, so that "localhost" works whichever of its addresses the
// server listens on; spreading over several was rejected, since a result would
// then be about several servers.
func resolve(ctx context.Context, p Plan, clock mono.Clock) (server, error) {
	u, err := p.Targets[0].parsedURL()
	if err != nil {
		return server{}, err
	}
	port, err := portOf(u)
	if err != nil {
		return server{}, err
	}
	var s server
	addresses, literal := literalAddress(u.Hostname())
	if !literal {
		began := clock.Now()
		if addresses, err = lookup(ctx, u.Hostname(), p.ConnectTimeout); err != nil {
			return server{}, err
		}
		s.dns = clock.Now().Sub(began)
	}
	addresses = ofFamily(addresses, p.Family)
	if len(addresses) == 0 {
		return server{}, fmt.Errorf("%w: %q has no IPv%d address", ErrUnreachable, u.Hostname(), p.Family)
	}
	if p.Protocol == HTTP3 {
		err = s.firstQUIC(ctx, p, addresses, port)
	} else {
		err = s.firstTCP(ctx, p, addresses, port, u)
	}
	if err != nil {
		return server{}, err
	}
	s.local = isLocal(s.address.Addr())
	if s.local {
		pids := p.Targets[0].ServerPIDs
		if len(pids) == 0 {
			pids = []int{p.ServerPID}
		}
		for _, pid := range pids {
			if pid > 0 && syscall.Kill(pid, 0) == syscall.ESRCH {
				return server{}, faultf("server pid %d: there is no such process", pid)
			}
		}
		s.findProcesses(p.Protocol, pids)
	}
	return s, nil
}

// firstTCP chooses the address of a server over TCP, and shakes hands with it once
// where there is TLS.
func (s *server) firstTCP(ctx context.Context, p Plan, addresses []netip.Addr, port uint16, u *url.URL) (err error) {
	if s.address, err = firstThatConnects(ctx, addresses, port, p.ConnectTimeout); err != nil {
		return err
	}
	if err := checkSources(p, *s); err != nil {
		return err
	}
	if u.Scheme == "https" {
		if s.tls, err = firstHandshake(ctx, p, u.Hostname(), s.address); err != nil {
			return fmt.Errorf("%s: %w", s.address, err)
		}
	}
	return nil
}

// literalAddress reads a host that is an address and no name.
func literalAddress(host string) ([]netip.Addr, bool) {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return nil, false
	}
	return []netip.Addr{a.Unmap()}, true
}

func lookup(ctx context.Context, host string, timeout time.Duration) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	var inner *net.DNSError
	switch {
	case errors.As(err, &inner) && inner.IsNotFound:
		return nil, fmt.Errorf("%w: host %q does not resolve", ErrUnreachable, host)
	case errors.As(err, &inner):
		return nil, fmt.Errorf("%w: look up host %q: %s", ErrUnreachable, host, inner.Err)
	case err != nil:
		return nil, fmt.Errorf("%w: look up host %q: %w", ErrUnreachable, host, err)
	}
	for i := range addresses {
		addresses[i] = addresses[i].Unmap()
	}
	return addresses, nil
}

// ofFamily keeps the addresses of one IP version; 0 keeps all.
func ofFamily(addresses []netip.Addr, family int) []netip.Addr {
	var kept []netip.Addr
	for _, a := range addresses {
		if family == 0 || a.Is4() == (family == 4) {
			kept = append(kept, a)
		}
	}
	return kept
}

// firstThatConnects returns the first address that takes a connection. A single
// address is not tried: the run will.
func firstThatConnects(ctx context.Context, addresses []netip.Addr, port uint16, timeout time.Duration) (netip.AddrPort, error) {
	var failure error
	dialer := net.Dialer{Timeout: timeout}
	for _, a := range addresses {
		address := netip.AddrPortFrom(a, port)
		if len(addresses) == 1 {
			return address, nil
		}
		conn, err := dialer.DialContext(ctx, "tcp", address.String())
		if err == nil {
			conn.Close()
			return address, nil
		}
		failure = err
	}
	return netip.AddrPort{}, fmt.Errorf("%w: none of %d addresses: %w", ErrUnreachable, len(addresses), failure)
}

// isLocal reports whether an address is one of this host's.
func isLocal(a netip.Addr) bool {
	if a.IsLoopback() || a.IsUnspecified() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, o := range own {
		if prefix, err := netip.ParsePrefix(o.String()); err == nil && prefix.Addr().Unmap() == a.WithZone("") {
			return true
		}
	}
	return false
}
