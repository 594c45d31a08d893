package netloop

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls of the hot path, without the wrappers of x/sys: those take
// an extra branch for a nil slice and build error values. RawSyscall does not
// tell the Go scheduler, which is right only for calls that cannot block:
// sends and receives on non-blocking sockets, epoll_wait with a zero timeout.
// A wait that may sleep uses Syscall6, or as many pinned workers as GOMAXPROCS
// would keep every other goroutine, timer and signal from running.

// openSocket makes a non-blocking TCP socket.
func openSocket(family int) (int32, syscall.Errno) {
	fd, _, errno := syscall.RawSyscall(unix.SYS_SOCKET, uintptr(family), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	return int32(fd), errno
}

func setNoDelay(fd int32) syscall.Errno {
	one := int32(1)
	_, _, errno := syscall.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY,
		uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one), 0)
	return errno
}

// setCongestion is best effort: an unknown or forbidden name changes nothing.
func setCongestion(fd int32, name []byte) {
	syscall.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION,
		uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), 0)
}

// bind chooses the local address of a socket and leaves its port to connect,
// which may then use one that is taken towards other addresses (ip(7),
// IP_BIND_ADDRESS_NO_PORT; it serves IPv6 sockets too). Without it the 28 000
// ports of a host would be for all destinations together.
func bind(fd int32, from *Address) syscall.Errno {
	one := int32(1)
	_, _, errno := syscall.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT,
		uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one), 0)
	if errno != 0 {
		return errno
	}
	_, _, errno = syscall.RawSyscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&from.raw)), from.size)
	return errno
}

func connect(fd int32, to *Address) syscall.Errno {
	_, _, errno := syscall.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&to.raw)), to.size)
	return errno
}

func watch(ep int, fd int32, ev *unix.EpollEvent) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(ep), unix.EPOLL_CTL_ADD, uintptr(fd), uintptr(unsafe.Pointer(ev)), 0, 0)
	return errno
}

// closeFD closes a socket. It does not block: no socket here lingers with a
// time above zero.
func closeFD(fd int32) { syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }

// send hands b to the kernel. b must not be empty.
func send(fd int32, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
		unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// receive fills b. b must not be empty.
func receive(fd int32, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
		unix.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}

// discardMax bounds one discarding recv, so that a turn stays short.
const discardMax = 16 << 20

// discard drops up to n received bytes inside the kernel without copying them
// (tcp(7), MSG_TRUNC). scratch only lends a valid address.
func discard(fd int32, scratch []byte, n int64) (int, syscall.Errno) {
	r, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&scratch[0])), uintptr(min(n, discardMax)),
		unix.MSG_DONTWAIT|unix.MSG_TRUNC, 0, 0)
	return int(r), errno
}

// epollPwait2 waits up to d (0: does not wait; negative: for ever) with a
// timeout of nanosecond resolution (epoll_pwait2(2), Linux 5.11).
func epollPwait2(ep int, events []unix.EpollEvent, d time.Duration) (int, syscall.Errno) {
	var ts unix.Timespec
	tsp := unsafe.Pointer(&ts)
	if d < 0 {
		tsp = nil
	} else {
		ts = unix.NsecToTimespec(int64(d))
	}
	var n uintptr
	var errno syscall.Errno
	if d == 0 {
		n, _, errno = syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(tsp), 0, 0)
	} else {
		n, _, errno = syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(tsp), 0, 0)
	}
	return int(n), errno
}

// nanosleep sleeps for d, or less when a signal comes (clock_nanosleep(2)).
func nanosleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	syscall.Syscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
}

// epollWait waits up to ms milliseconds (0: does not wait; -1: for ever).
// epoll_pwait stands in for epoll_wait, which not every architecture has.
func epollWait(ep int, events []unix.EpollEvent, ms int) (int, syscall.Errno) {
	var n uintptr
	var errno syscall.Errno
	if ms == 0 {
		n, _, errno = syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	} else {
		n, _, errno = syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(ms), 0, 0)
	}
	return int(n), errno
}

// receiveTimer reads the expiry count of a timerfd (timerfd_create(2)). An
// EAGAIN means that it was set anew in between, which is as good.
func receiveTimer(fd int, count []byte) {
	syscall.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&count[0])), uintptr(len(count)))
}
