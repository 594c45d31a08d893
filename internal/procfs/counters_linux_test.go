package procfs

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// until repeats an attempt until it succeeds or five seconds have passed.
func until(t *testing.T, what string, attempt func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !attempt(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 5 s", what)
		}
	}
}

func counters(t *testing.T) NetCounters {
	t.Helper()
	c, err := NewFS("/proc").NetCounters()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// boundSocket is a socket on 127.0.0.1, bound to a port that was free.
func boundSocket(t *testing.T, kind int) (fd int, at unix.Sockaddr) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if at, err = unix.Getsockname(fd); err != nil {
		t.Fatal(err)
	}
	return fd, at
}

// A listener that never accepts, with a backlog of 1: its queue holds two
// connections (the kernel admits one more than the backlog), the third finds it full.
func TestListenOverflowIsCounted(t *testing.T) {
	listener, at := boundSocket(t, unix.SOCK_STREAM)
	if err := unix.Listen(listener, 1); err != nil {
		t.Fatal(err)
	}
	before := counters(t)
	for range 3 {
		fd, _ := boundSocket(t, unix.SOCK_STREAM)
		if err := unix.Connect(fd, at); err != nil && !errors.Is(err, unix.EINPROGRESS) {
			t.Fatal(err)
		}
	}
	until(t, "an overflow", func() bool {
		passed := counters(t).Sub(before)
		return passed.ListenOverflows >= 1 && passed.ListenDrops >= 1
	})
}

// Datagrams for a socket that nobody reads: a receive buffer of at most 64 KiB
// (twice what is asked for, socket(7)) cannot hold 200 of 1 KiB.
func TestReceiveDropsAreCounted(t *testing.T) {
	receiver, at := boundSocket(t, unix.SOCK_DGRAM)
	if err := unix.SetsockoptInt(receiver, unix.SOL_SOCKET, unix.SO_RCVBUF, 32<<10); err != nil {
		t.Fatal(err)
	}
	sender, _ := boundSocket(t, unix.SOCK_DGRAM)
	before := counters(t)
	sent := uint64(0)
	until(t, "200 datagrams", func() bool {
		err := unix.Sendto(sender, make([]byte, 1<<10), 0, at)
		if err == nil {
			sent++
		} else if !errors.Is(err, unix.EAGAIN) {
			t.Fatal(err)
		}
		return sent == 200
	})
	// 64 KiB hold at most 64 of them, so 136 are dropped.
	until(t, "the drops", func() bool {
		passed := counters(t).Sub(before)
		return passed.UDPReceiveDrops >= 136 && passed.UDPInErrors >= passed.UDPReceiveDrops
	})
}

// Of the host's own file only relations are known.
func TestOwnCPUTimes(t *testing.T) {
	times, err := NewFS("/proc").CPUTimes()
	if err != nil || len(times) == 0 {
		t.Fatalf("%v, %v", times, err)
	}
	for cpu, c := range times {
		if c.Busy <= 0 || c.Steal < 0 || c.Steal > c.Busy {
			t.Errorf("CPU %d: %+v, want 0 <= steal <= busy", cpu, c)
		}
	}
}
