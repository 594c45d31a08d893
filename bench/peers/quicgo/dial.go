package quicgo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// dialTimeout bounds a handshake.
const dialTimeout = 5 * time.Second

// pool is the connections of a client, all over one socket.
type pool struct {
	socket      *net.UDPConn
	transport   *quic.Transport
	connections []*http3.ClientConn
}

// dial opens a pool. A server's certificate is not verified.
func dial(l Load) (*pool, error) {
	u, err := url.Parse(l.URL)
	if err != nil {
		return nil, err
	}
	server, err := net.ResolveUDPAddr("udp", u.Host)
	if err != nil {
		return nil, err
	}
	local := &net.UDPAddr{}
	if server.IP.IsLoopback() {
		local.IP = server.IP
	}
	socket, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, err
	}
	p := &pool{socket: socket, transport: &quic.Transport{Conn: socket}}
	secrets := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http3.NextProtoH3}, ServerName: u.Hostname()}
	// Without compression nobody sends Accept-Encoding here.
	clients := &http3.Transport{DisableCompression: true}
	for n := range l.Connections {
		if err := p.add(server, secrets, clients); err != nil {
			return nil, errors.Join(fmt.Errorf("open connection %d to %s: %w", n+1, server, err), p.close())
		}
	}
	return p, nil
}

// add opens one connection more.
func (p *pool) add(server net.Addr, secrets *tls.Config, clients *http3.Transport) error {
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	conn, err := p.transport.Dial(ctx, server, secrets, &quic.Config{})
	if err != nil {
		return err
	}
	p.connections = append(p.connections, clients.NewClientConn(conn))
	return nil
}

// close says goodbye on every connection, and closes the socket.
func (p *pool) close() error {
	var faults []error
	for _, c := range p.connections {
		faults = append(faults, c.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), ""))
	}
	return errors.Join(append(faults, p.transport.Close(), p.socket.Close())...)
}
