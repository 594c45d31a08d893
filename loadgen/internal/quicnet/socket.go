package quicnet

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/quic-go/quic-go"
	"golang.org/x/sys/unix"
)

// socket is the UDP socket under a quic.Transport. It is connected to the
// server, so that the kernel looks the route up once and tells when nothing
// listens there. It gathers datagrams: what arrives is read many at a time, and
// what the connections answer leaves together.
//
// One goroutine of the transport calls ReadBatch, those of the connections call
// WriteMsgUDP.
type socket struct {
	*net.UDPConn // for all that is not about datagrams
	e            *Engine
	transport    *quic.Transport
	raw          syscall.RawConn
	fd           int
	server       *net.UDPAddr // as what arrives is said to be from: addressOf no connection

	receiver receiver

	mu      sync.Mutex // of what follows
	sender  sender
	waiting bool // the reader waits: nobody will send what is gathered

	bytesIn, bytesOut atomic.Uint64
}

// socketBuffer is what is asked for on both sides. A server that answers all
// connections at once must find room; datagrams that do not are lost.
const socketBuffer = 7 << 20

func newSocket(e *Engine, source netip.Addr, server netip.AddrPort) (*socket, error) {
	var local *net.UDPAddr
	if source.IsValid() {
		local = net.UDPAddrFromAddrPort(netip.AddrPortFrom(source, 0))
	}
	udp, err := net.DialUDP("udp", local, net.UDPAddrFromAddrPort(server))
	if err != nil {
		return nil, err
	}
	s := &socket{UDPConn: udp, e: e, server: addressOf(server, noConnection)}
	if err := s.prepare(); err != nil {
		udp.Close()
		return nil, fmt.Errorf("prepare UDP socket: %w", err)
	}
	s.receiver.init()
	s.sender.init(server.Addr().Is4())
	s.transport = &quic.Transport{Conn: s}
	return s, nil
}

// prepare takes the descriptor, which stays valid until close, and asks for
// large buffers and for datagrams that the kernel has not cut apart.
func (s *socket) prepare() (err error) {
	if s.raw, err = s.UDPConn.SyscallConn(); err != nil {
		return err
	}
	return s.raw.Control(func(fd uintptr) {
		s.fd = int(fd)
		for _, o := range []struct{ forced, asked int }{{unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}} {
			if unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, o.forced, socketBuffer) != nil {
				// Up to the host's limit; less is only less room.
				_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, o.asked, socketBuffer)
			}
		}
		_ = unix.SetsockoptInt(s.fd, unix.SOL_UDP, unix.UDP_GRO, 1) // before Linux 5.0 each comes alone
	})
}

// SyscallConn gives quic-go the descriptor for its socket options.
func (s *socket) SyscallConn() (syscall.RawConn, error) { return s.raw, nil }

// ReadMsgUDP is never called: there is ReadBatch.
func (s *socket) ReadMsgUDP([]byte, []byte) (int, int, int, *net.UDPAddr, error) {
	return 0, 0, 0, nil, errors.ErrUnsupported
}

// SetReadBuffer does nothing: the buffers have been set, and quic-go complains
// on standard error when it finds them smaller than it wants.
func (s *socket) SetReadBuffer(int) error { return nil }

// SetWriteBuffer likewise.
func (s *socket) SetWriteBuffer(int) error { return nil }

// close ends the transport's goroutines and the socket.
func (s *socket) close() error {
	return errors.Join(s.transport.Close(), s.UDPConn.Close())
}
