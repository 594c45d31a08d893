package target

import (
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Accepting survives a lack of descriptors and hands out bare TCP connections.
func TestAcceptWithoutDescriptors(t *testing.T) {
	log := new(lockedBuffer)
	ln, err := listenTCP(t.Context(), "127.0.0.1:0", false, newFaultLog(log))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	dial(t, ln.Addr().String()) // waits in the backlog, its own descriptor is taken

	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	// No new descriptor is below 3; those that are open stay usable.
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	}()
	deadline := time.Now().Add(5 * time.Second)
	for !strings.Contains(log.String(), "too many open files; trying again") && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}

	conn := <-accepted
	defer conn.Close()
	if _, isTCP := conn.(*net.TCPConn); !isTCP {
		t.Errorf("accepted a %T, sendfile needs a *net.TCPConn", conn)
	}
	if !strings.Contains(log.String(), "too many open files; trying again") {
		t.Errorf("log %q, want the shortage in it", log)
	}
}

// A connection over loopback is not paced, whatever the host's default is.
func TestLoopbackIsNotPaced(t *testing.T) {
	ln, err := listenTCP(t.Context(), "127.0.0.1:0", false, newFaultLog(new(lockedBuffer)))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	dial(t, ln.Addr().String())
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var readErr error
	if err := raw.Control(func(fd uintptr) {
		name, readErr = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	}); err != nil || readErr != nil || name != "reno" {
		t.Errorf("congestion control %q, %v, %v, want reno", name, err, readErr)
	}
}

// Servers that share a port are both there; others find it taken.
func TestReusePort(t *testing.T) {
	first, err := listenTCP(t.Context(), "127.0.0.1:0", true, newFaultLog(new(lockedBuffer)))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := listenTCP(t.Context(), first.Addr().String(), true, newFaultLog(new(lockedBuffer)))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if third, err := listenTCP(t.Context(), first.Addr().String(), false, newFaultLog(new(lockedBuffer))); !errors.Is(err, unix.EADDRINUSE) {
		t.Errorf("a listener that does not share: %v, %v, want EADDRINUSE", third, err)
	}
}
