package probe

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// pairSlack is how far a stamp may be off: half the gap of a clock pair, which a
// preemption makes long in the worst of its tries only.
const pairSlack = 200 * time.Microsecond

func newClock(t *testing.T) mono.Clock {
	t.Helper()
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	return clock
}

// connected returns both ends of a connection.
func connected(t *testing.T, clock mono.Clock) (client *stampedConn, server *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	client, server = newStampedConn(conn.(*net.TCPConn), clock), accepted.(*net.TCPConn)
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client, server
}

// stampsSupported reports whether the kernel gives stamps here: they are switched
// on from a work queue, so that the first bytes may have none.
func stampsSupported(t *testing.T) bool {
	t.Helper()
	defer keepStamping().release()
	client, server := connected(t, newClock(t))
	if client.raw == nil {
		return false
	}
	b := make([]byte, 1)
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		server.Write([]byte("x"))
		if _, err := client.Read(b); err != nil {
			t.Fatal(err)
		}
		if client.lastKernel() != 0 {
			return true
		}
	}
	return false
}

// The kernel has the bytes after they are sent and before they are read.
func TestStampLiesBetweenSendAndRead(t *testing.T) {
	if !stampsSupported(t) {
		t.Skip("no SO_TIMESTAMPING on this host")
	}
	defer keepStamping().release()
	clock := newClock(t)
	client, server := connected(t, clock)
	stamped := 0
	b := make([]byte, 64)
	for range 50 {
		sent := clock.Now()
		server.Write([]byte("hello"))
		n, err := client.Read(b)
		read := clock.Now()
		if err != nil || string(b[:n]) != "hello" {
			t.Fatalf("read %q, %v", b[:n], err)
		}
		kernel := client.lastKernel()
		if kernel == 0 {
			continue // not switched on yet
		}
		stamped++
		if kernel < sent.Add(-pairSlack) || kernel > read.Add(pairSlack) {
			t.Errorf("stamp %s after sending, read %s after it", kernel.Sub(sent), read.Sub(sent))
		}
	}
	if stamped == 0 {
		t.Error("none of 50 reads had a stamp")
	}
}

// What waits in the kernel before it is read is not young: the stamp is of its
// arrival, so that a reader that comes late sees how late it is.
func TestStampIsOfTheArrival(t *testing.T) {
	if !stampsSupported(t) {
		t.Skip("no SO_TIMESTAMPING on this host")
	}
	defer keepStamping().release()
	clock := newClock(t)
	client, server := connected(t, clock)
	b := make([]byte, 64)
	const late = 20 * time.Millisecond
	for range 5 {
		server.Write([]byte("hello"))
		sent := clock.Now()
		<-time.After(late) // the thing that is measured
		if _, err := client.Read(b); err != nil {
			t.Fatal(err)
		}
		kernel := client.lastKernel()
		if kernel == 0 {
			continue
		}
		// write(2) on loopback delivers before it returns, or a softirq soon after.
		if own := clock.Now().Sub(kernel); own < late-pairSlack-(5*time.Millisecond) {
			t.Errorf("own time %s of bytes that waited %s (stamp %s after sending)", own, late, kernel.Sub(sent))
		}
		return
	}
	t.Error("none of 5 reads had a stamp")
}

// It is a connection like any other at its end.
func TestStampedConnEnds(t *testing.T) {
	b := make([]byte, 8)
	t.Run("FIN", func(t *testing.T) {
		client, server := connected(t, newClock(t))
		server.Close()
		if n, err := client.Read(b); n != 0 || err != io.EOF {
			t.Errorf("read %d, %v, want EOF", n, err)
		}
		if f := client.fault.Load(); f == nil || f.Error() != "the server closed the connection" {
			t.Errorf("fault %v", f)
		}
	})
	t.Run("RST", func(t *testing.T) {
		client, server := connected(t, newClock(t))
		server.SetLinger(0)
		server.Close()
		if _, err := client.Read(b); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%v, want ECONNRESET", err)
		}
		if f := client.fault.Load(); f == nil || f.Error() != "read: connection reset by peer" {
			t.Errorf("fault %v", f)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		client, _ := connected(t, newClock(t))
		client.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := client.Read(b)
		var timeout net.Error
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%v, want a timeout", err)
		}
		if f := client.fault.Load(); f != nil {
			t.Errorf("fault %v, want none: this side gave up", f)
		}
	})
	t.Run("close", func(t *testing.T) {
		client, _ := connected(t, newClock(t))
		time.AfterFunc(10*time.Millisecond, func() { client.Close() })
		if _, err := client.Read(b); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v, want closed", err)
		}
		if f := client.fault.Load(); f != nil {
			t.Errorf("fault %v, want none: this side closed", f)
		}
	})
}
