package loadgen

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
)

// bell ends a sleep of the goroutine that owns it: at an instant, or when it is
// rung. It is a timerfd (timerfd_create(2)) that the runtime waits for, because
// the runtime's own timers are rounded up to milliseconds when nothing else
// happens. set and ring want the worker's lock.
type bell struct {
	until mono.Time // its owner sleeps until then; 0: it does not, or is woken
	fd    int
	file  *os.File
	count [8]byte
}

func newBell() (*bell, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create timer: %w", err)
	}
	return &bell{fd: fd, file: os.NewFile(uintptr(fd), "timer")}, nil
}

// set fixes until when the next sleep lasts.
func (b *bell) set(until mono.Time) {
	b.until = until
	b.arm(max(until, 1)) // 0 would be never
}

// ring ends the sleep now.
func (b *bell) ring() { b.arm(1) }

func (b *bell) arm(at mono.Time) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(at))}
	_ = unix.TimerfdSettime(b.fd, unix.TFD_TIMER_ABSTIME, &spec, nil) // fails only for a bad descriptor
}

// sleep waits without the lock.
func (b *bell) sleep() { _, _ = b.file.Read(b.count[:]) }

func (b *bell) close() { _ = b.file.Close() }
