package target

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
)

// alarm ends the sleep of the one goroutine that waits for it, at an instant of
// CLOCK_MONOTONIC: a timerfd (timerfd_create(2)) that the runtime's poller
// watches. The runtime's own timers are kept by the timeout of its epoll_wait(2),
// which in a process that is otherwise idle is rounded up to whole milliseconds.
//
// A thread of its own that sleeps in clock_nanosleep(2) was rejected: when it
// wakes it must first get hold of a processor of the runtime, and a server that is
// pinned to one CPU has one. So was looking at the clock for the last stretch: it
// would take that CPU from the requests which wait for nothing.
type alarm struct {
	file  *os.File
	fd    int // of file; taken once, since os.File.Fd would make it blocking
	count [8]byte
}

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a timer for delays: %w", err)
	}
	return &alarm{file: os.NewFile(uintptr(fd), "timer"), fd: fd}, nil
}

// set makes the next sleep end at an instant, at once if that has passed. What it
// was set to before is forgotten, a ring that nobody has heard yet too.
func (a *alarm) set(at mono.Time) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(at, 1)))} // 0 would be never
	_ = unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &spec, nil)      // it fails for a bad descriptor alone
}

// sleep waits for the ring; an error is the end of the alarm.
func (a *alarm) sleep() error {
	_, err := a.file.Read(a.count[:])
	return err
}

// close ends a sleep, too. Nothing may be set any more.
func (a *alarm) close() error { return a.file.Close() }
