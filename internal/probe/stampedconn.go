package probe

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/scalws/scalbench/internal/mono"
)

// stampedConn is a TCP connection that knows when the kernel had the bytes of the
// last read, and what the socket reported when it failed.
//
// The stamp is that of the last segment the read took bytes of (tcp(7) keeps one
// per segment and recvmsg(2) returns the newest). Where several segments came
// before this process woke up, it is later than the first byte, and the own time
// that follows from it too small, never too large.
//
// Reads and writes may be of different goroutines, as with any net.Conn.
type stampedConn struct {
	net.Conn // not *net.TCPConn: its WriteTo would read past Read
	clock    mono.Clock
	raw      syscall.RawConn // nil: the kernel gives no stamps

	kernel atomic.Int64 // of the last read, a mono.Time; 0: none
	fault  atomic.Pointer[socketFault]
}

// newStampedConn takes over a connection. Where the kernel or a sandbox refuses
// stamps it goes without them.
func newStampedConn(conn *net.TCPConn, clock mono.Clock) *stampedConn {
	c := &stampedConn{Conn: conn, clock: clock}
	raw, err := conn.SyscallConn()
	if err != nil {
		return c
	}
	refused := raw.Control(func(fd uintptr) { err = enableStamps(int(fd)) })
	if errors.Join(refused, err) == nil {
		c.raw = raw
	}
	return c
}

// Read reads like any connection and keeps the stamp.
func (c *stampedConn) Read(b []byte) (n int, err error) {
	if c.raw == nil || len(b) == 0 {
		n, err = c.Conn.Read(b)
	} else {
		n, err = c.readStamped(b)
	}
	c.note("read", err)
	return n, err
}

// readStamped waits in the runtime's poller, where deadlines and Close end it
// like any read.
func (c *stampedConn) readStamped(b []byte) (n int, err error) {
	var realtime int64
	waiting := c.raw.Read(func(fd uintptr) (done bool) {
		n, realtime, err = receiveStamped(int(fd), b)
		return err != syscall.EAGAIN
	})
	switch {
	case waiting != nil:
		return 0, waiting
	case err != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", err)}
	case n == 0:
		return 0, io.EOF
	}
	var kernel mono.Time
	if realtime != 0 {
		kernel = mono.Time(realtime) + realtimeOffset(c.clock)
	}
	c.kernel.Store(int64(kernel))
	return n, nil
}

// Write writes like any connection.
func (c *stampedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.note("write", err)
	return n, err
}

// note keeps the first fault. That this side closed or gave up is none.
func (c *stampedConn) note(op string, err error) {
	if err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	c.fault.CompareAndSwap(nil, &socketFault{op, err})
}

// lastKernel is when the kernel had the bytes of the last read; zero: not known.
func (c *stampedConn) lastKernel() mono.Time { return mono.Time(c.kernel.Load()) }
