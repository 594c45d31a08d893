package procfs

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// processClock reads the CPU clock of a process. The clock's number is made as
// by clock_getcpuclockid(3): the complement of the PID, shifted by three bits,
// and CPUCLOCK_SCHED (2) for the scheduler's nanoseconds.
func processClock(pid int) (time.Duration, error) {
	const cpuclockSched = 2
	var ts unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|cpuclockSched), &ts)
	if errors.Is(err, unix.EINVAL) { // what the kernel says for "no such process"
		return 0, fmt.Errorf("read CPU clock of process %d: %w", pid, ErrGone)
	}
	if err != nil {
		return 0, fmt.Errorf("read CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// SinceBoot reads CLOCK_BOOTTIME, the clock of [Stat.Start]. Unlike
// CLOCK_MONOTONIC it counts while the host is suspended, so the two differ by
// more than a constant and only differences of the same clock may be formed.
func SinceBoot() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, fmt.Errorf("read CLOCK_BOOTTIME: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}
