package netloop

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
)

// sleeper waits on an epoll instance until an absolute instant.
//
// epoll_pwait2 does it in one call. Kernels before 5.11 answer ENOSYS, and
// system-call filters (containers) EPERM or ENOSYS; there a timerfd inside the
// epoll set carries the instant, re-armed only when the instant changes.
// Rounding to the milliseconds of epoll_wait was rejected: an open-loop
// schedule of 10 000 requests a second would come in bursts of ten.
type sleeper struct {
	ep      int
	pwait2  bool
	timer   int       // timerfd, or -1: not needed or refused too
	armed   mono.Time // what timer is set to; 0: nothing
	expired bool      // timer has fired since it was armed
}

// timerSlot marks the timerfd in the epoll set; no slot has this number.
const timerSlot = -1

// newSleeper probes what this kernel, or the filter before it, lets us use.
// withoutPwait2 forces the fallback, for tests.
func newSleeper(ep int, withoutPwait2 bool) (sleeper, error) {
	s := sleeper{ep: ep, timer: -1}
	if !withoutPwait2 {
		var probe [1]unix.EpollEvent
		_, errno := epollPwait2(ep, probe[:], 0)
		switch errno {
		case 0:
			s.pwait2 = true
			return s, nil
		case unix.ENOSYS, unix.EPERM:
		default:
			return s, fmt.Errorf("epoll_pwait2: %w", errno)
		}
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return s, nil // whole milliseconds then, rounded up
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN, Fd: timerSlot}
	if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &ev); err != nil {
		unix.Close(fd)
		return s, fmt.Errorf("watch timerfd: %w", err)
	}
	s.timer = fd
	return s, nil
}

// wait sleeps until a socket is ready or until is reached, and fills events.
// An until that has passed polls. An interrupted wait returns what is ready.
func (s *sleeper) wait(now, until mono.Time, events []unix.EpollEvent) (int, error) {
	d := max(until.Sub(now), 0)
	var n int
	var errno syscall.Errno
	switch {
	case s.pwait2:
		n, errno = epollPwait2(s.ep, events, d)
	case d == 0:
		n, errno = epollWait(s.ep, events, 0)
	case s.timer >= 0:
		if err := s.arm(until); err != nil {
			return 0, err
		}
		n, errno = epollWait(s.ep, events, -1)
	default:
		n, errno = epollWait(s.ep, events, int((d+time.Millisecond-1)/time.Millisecond))
	}
	if errno == unix.EINTR { // what is ready all the same must not be passed over
		n, errno = epollWait(s.ep, events, 0)
	}
	if errno != 0 {
		return 0, fmt.Errorf("epoll wait: %w", errno)
	}
	return n, nil
}

// arm sets the timerfd to until, unless it is set to that already. Setting it
// also clears an expiry that nobody has read.
func (s *sleeper) arm(until mono.Time) error {
	if s.armed == until && !s.expired {
		return nil
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(until))}
	if err := unix.TimerfdSettime(s.timer, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return fmt.Errorf("set timerfd: %w", err)
	}
	s.armed, s.expired = until, false
	return nil
}

// fired consumes the timerfd's expiry, or its level would end every wait.
func (s *sleeper) fired() {
	var count [8]byte
	receiveTimer(s.timer, count[:])
	s.expired = true
}

func (s *sleeper) close() {
	if s.timer >= 0 {
		unix.Close(s.timer)
	}
}
