package netloop

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Waker ends the sleep of a loop from another goroutine. It is an eventfd
// (eventfd(2)) that the loop watches: because a worker's thread may have a table
// of file descriptors of its own, it must be made before that table is.
type Waker struct{ fd int }

// NewWaker makes one. It fails when the process is out of file descriptors.
func NewWaker() (*Waker, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make waker: eventfd: %w", err)
	}
	return &Waker{fd}, nil
}

// Wake makes the present Wait of the loop return, or the next one. It may be
// called from any goroutine until Close.
func (w *Waker) Wake() {
	// The counter is never read: edge-triggered, each write is an edge. It
	// would be full after 2^64-2 of them.
	one := binary.NativeEndian.AppendUint64(make([]byte, 0, 8), 1)
	_, _ = unix.Write(w.fd, one)
}

// Close ends it; the loop is shut down before.
func (w *Waker) Close() { unix.Close(w.fd) }

// wakerSlot is what the events of the waker carry instead of a slot.
const wakerSlot = -2

// watchWaker registers it for good.
func (l *Loop) watchWaker(w *Waker) error {
	if w == nil {
		return nil
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET&0xffffffff, Fd: wakerSlot}
	if err := unix.EpollCtl(l.ep, unix.EPOLL_CTL_ADD, w.fd, &ev); err != nil {
		return fmt.Errorf("watch waker: epoll_ctl: %w", err)
	}
	return nil
}
