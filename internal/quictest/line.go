package quictest

import (
	"net"
	"sync/atomic"
	"time"
)

// line is a life's share of the server's socket, which it neither opens nor
// closes: a socket that closes between two lives would lose its port, or refuse
// with ICMP what arrives meanwhile. When the line is closed what the life sends
// vanishes and its reads end. It is the net.PacketConn of one endpoint.
type line struct {
	*net.UDPConn
	closed atomic.Bool
}

// newLine begins a share of the socket. The line before it must not be read any
// more.
func newLine(socket *net.UDPConn) *line {
	socket.SetReadDeadline(time.Time{})
	return &line{UDPConn: socket}
}

func (l *line) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := l.UDPConn.ReadFrom(b)
	if l.closed.Load() {
		return 0, nil, net.ErrClosed
	}
	return n, from, err
}

func (l *line) WriteTo(b []byte, to net.Addr) (int, error) {
	if l.closed.Load() {
		return len(b), nil
	}
	return l.UDPConn.WriteTo(b, to)
}

// Close ends a read that waits, by a deadline that has passed.
func (l *line) Close() error {
	l.closed.Store(true)
	return l.UDPConn.SetReadDeadline(time.Unix(1, 0))
}
