package quictest

import (
	"net"
	"net/netip"
	"testing"
)

// maxDatagramBytes is the most that UDP over IPv4 can carry (RFC 768, RFC 791).
const maxDatagramBytes = 65507

// listen opens a UDP socket at a port of 127.0.0.1 that the kernel chooses. The
// caller closes it.
func listen(t testing.TB) *net.UDPConn {
	t.Helper()
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	growBuffer(socket)
	return socket
}

// listenUntilEnd closes the socket at the end of the test.
func listenUntilEnd(t testing.TB) *net.UDPConn {
	t.Helper()
	socket := listen(t)
	t.Cleanup(func() { socket.Close() })
	return socket
}

// receiveBufferBytes holds a few congestion windows, so that what is lost is what
// the test wants lost. A kernel that allows less gives what it allows.
const receiveBufferBytes = 4 << 20

func growBuffer(socket *net.UDPConn) { socket.SetReadBuffer(receiveBufferBytes) }

func addrOf(socket *net.UDPConn) netip.AddrPort {
	return socket.LocalAddr().(*net.UDPAddr).AddrPort()
}
