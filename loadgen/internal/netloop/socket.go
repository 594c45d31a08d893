package netloop

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
)

// socket is the state of one slot. gen outlives the sockets it counts.
type socket struct {
	fd         int32
	gen        uint32
	connecting bool
	writable   bool  // queued for the flush of the next Wait
	blocked    bool  // the last send met EAGAIN: the writable edge will come
	broken     bool  // sending failed with writeErrno: read to the end, then say so
	place      int32 // its place in the work of the turn, from 1; 0: none
	ended      bool  // End, Failed or WriteFailed was reported
	writeErrno uint16
	out        []byte     // what is still to be sent
	sent       *mono.Time // where the stamp of the first byte goes; nil when stamped
	discard    int64      // how many of the next received bytes to drop
}

// noSocket is the fd of an empty slot.
const noSocket = -1

// Connect starts a TCP connection in an empty slot, from a local address or,
// with from nil, from one that the kernel chooses. It never blocks: Connected
// or ConnectFailed follows, unless the call that failed is named right away,
// with its errno; the slot then stays empty.
func (l *Loop) Connect(slot int, to, from *Address) (failed string, errno syscall.Errno) {
	s := &l.sockets[slot]
	if s.fd != noSocket {
		panic(fmt.Sprintf("BUG: connect in slot %d, which has a socket", slot))
	}
	fd, errno := openSocket(to.family)
	if errno != 0 {
		return "socket", errno
	}
	gen := s.gen + 1
	if failed, errno = l.start(fd, slot, gen, to, from); errno != 0 {
		closeFD(fd)
		return failed, errno
	}
	*s = socket{fd: fd, gen: gen, place: s.place, connecting: true}
	return "", 0
}

// start connects fd and registers it, once and for all, for everything.
func (l *Loop) start(fd int32, slot int, gen uint32, to, from *Address) (failed string, errno syscall.Errno) {
	// Without TCP_NODELAY a request that follows an unacknowledged one waits
	// for the peer's delayed ACK (RFC 896).
	if errno := setNoDelay(fd); errno != 0 {
		return "set TCP_NODELAY", errno
	}
	if len(l.congestion) > 0 {
		setCongestion(fd, l.congestion)
	}
	if from != nil {
		if errno := bind(fd, from); errno != 0 {
			return "bind", errno
		}
	}
	if errno := connect(fd, to); errno != 0 && errno != unix.EINPROGRESS {
		return "connect", errno
	}
	l.registration = unix.EpollEvent{Events: interest, Fd: int32(slot), Pad: int32(gen)}
	if errno := watch(l.ep, fd, &l.registration); errno != 0 {
		return "watch socket", errno
	}
	return "", 0
}

// interest is what every socket is registered for.
const interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | (unix.EPOLLET & 0xffffffff)

// connectResult reads how a connection attempt ended (connect(2), EINPROGRESS).
func connectResult(fd int32) syscall.Errno {
	soError, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return syscall.Errno(soError)
}

// Send queues b for the socket in slot. It leaves at the next Wait; just before
// its first byte is handed to the kernel, the instant is written to *sent. The
// caller may not change b before it has left whole: that is so after the next
// Wait, unless Blocked says otherwise, and then with the event Sent. A Send
// while an earlier one has not left is a fault of the caller.
func (l *Loop) Send(slot int, b []byte, sent *mono.Time) {
	s := &l.sockets[slot]
	if len(s.out) > 0 || s.fd == noSocket || len(b) == 0 {
		panic(fmt.Sprintf("BUG: send of %d bytes in slot %d, which has %d to send on fd %d", len(b), slot, len(s.out), s.fd))
	}
	s.out, s.sent = b, sent
	s.writable = true
	l.queue = append(l.queue, ready{slot: int32(slot), gen: s.gen})
}

// Blocked reports whether part of the last Send has not left yet.
func (l *Loop) Blocked(slot int) bool { return len(l.sockets[slot].out) > 0 }

// Discard lets the kernel drop the next n received bytes of the slot without
// copying them. They are reported as Data with Discarded set.
func (l *Loop) Discard(slot int, n int64) { l.sockets[slot].discard = n }

// Close empties the slot: nothing more is sent or reported for its socket.
// With reset the kernel sends RST instead of FIN and keeps no TIME_WAIT
// (socket(7), SO_LINGER with a time of zero).
func (l *Loop) Close(slot int, reset bool) {
	s := &l.sockets[slot]
	if s.fd == noSocket {
		return
	}
	if reset {
		// Best effort: a socket that cannot linger is closed all the same.
		_ = unix.SetsockoptLinger(int(s.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	}
	closeFD(s.fd) // leaves the epoll set with its last reference
	*s = socket{fd: noSocket, gen: s.gen, place: s.place}
}

// Shutdown closes every socket and the loop itself.
func (l *Loop) Shutdown() {
	for slot := range l.sockets {
		l.Close(slot, false)
	}
	l.sleeper.close()
	unix.Close(l.ep)
}
