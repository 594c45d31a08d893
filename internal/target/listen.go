package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// acceptPause is how long accepting rests while descriptors or memory are
// short: about one connection's life under load.
const acceptPause = 10 * time.Millisecond

// listener accepts TCP connections, whichever server they are for. fasthttp would end on the
// first EMFILE, and net/http would rest for up to a second.
type listener struct {
	*net.TCPListener
	faults *faultLog
}

// sockets are what a server listens on.
type sockets struct {
	tcp *listener
	udp *net.UDPConn // of HTTP/3, on the port of the same number; nil: none
}

// portTries is how often a free TCP port is looked for whose UDP port is free
// too. Nearly every one is.
const portTries = 10

// listen opens what the configuration asks for, all of it or nothing.
func listen(ctx context.Context, cfg Config, faults *faultLog) (sockets, error) {
	for try := 1; ; try++ {
		tcp, err := listenTCP(ctx, cfg.Listen, cfg.ReusePort, faults)
		if err != nil || !cfg.HTTP3 {
			return sockets{tcp: tcp}, err
		}
		udp, err := listenUDP(ctx, tcp.Addr(), cfg.ReusePort)
		if err == nil {
			return sockets{tcp: tcp, udp: udp}, nil
		}
		if closeErr := tcp.Close(); closeErr != nil || try == portTries || !cfg.anyPort() || !errors.Is(err, unix.EADDRINUSE) {
			return sockets{}, errors.Join(err, closeErr)
		}
	}
}

// close takes back what listen has opened.
func (l sockets) close() error {
	err := l.tcp.Close()
	if l.udp != nil {
		err = errors.Join(err, l.udp.Close())
	}
	return err
}

// listenUDP opens a socket on the address of a TCP listener. What QUIC wants of
// it, such as larger buffers, quic-go sets itself.
func listenUDP(ctx context.Context, beside net.Addr, reusePort bool) (*net.UDPConn, error) {
	var lc net.ListenConfig
	if reusePort {
		lc.Control = shared
	}
	conn, err := lc.ListenPacket(ctx, "udp", beside.String())
	if err != nil {
		return nil, err // net's errors read "listen udp ADDRESS: ..."
	}
	return conn.(*net.UDPConn), nil // any other is of another network than udp
}

// listenTCP opens a plain TCP listener on address. Go's own defaults are not
// cheap: multipath TCP adds a layer to every socket, and keep-alive probes
// cost four setsockopt per accepted connection.
func listenTCP(ctx context.Context, address string, reusePort bool, faults *faultLog) (*listener, error) {
	lc := net.ListenConfig{KeepAlive: -1}
	if reusePort {
		lc.Control = shared
	}
	lc.SetMultipathTCP(false)
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err // net's errors read "listen tcp ADDRESS: ..."
	}
	tcp, isTCP := ln.(*net.TCPListener)
	if !isTCP {
		return nil, errors.Join(fmt.Errorf("listen %s: got a %T", address, ln), ln.Close())
	}
	if tcp.Addr().(*net.TCPAddr).IP.IsLoopback() {
		withoutPacing(tcp)
	}
	return &listener{TCPListener: tcp, faults: faults}, nil
}

// shared lets other sockets have the address of one that is not bound yet.
func shared(_, _ string, raw syscall.RawConn) error {
	var err error
	controlErr := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	return errors.Join(controlErr, err)
}

// withoutPacing gives the connections of a loopback listener the plainest
// congestion control (tcp(7), TCP_CONGESTION; accepted sockets inherit it).
// There is nothing to congest, and a host's default such as BBR holds every
// segment of a large body for a timer: 1 MiB left six times as slowly with it.
// Best effort: a host without it keeps its own.
func withoutPacing(ln *net.TCPListener) {
	raw, err := ln.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
	})
}

// Accept waits for a connection. It returns a bare *net.TCPConn, which
// sendfile(2) needs.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.TCPListener.AcceptTCP()
		if err == nil {
			return conn, nil
		}
		if !isShortage(err) {
			return nil, err
		}
		l.faults.Printf("%v; trying again", err)
		time.Sleep(acceptPause)
	}
}

// isShortage tells whether accept(2) failed for want of something that comes
// back when connections are closed.
func isShortage(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) ||
		errors.Is(err, unix.ENOBUFS) || errors.Is(err, unix.ENOMEM)
}
