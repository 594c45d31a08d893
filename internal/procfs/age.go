package procfs

import "time"

// Age returns how long ago a process was started. The kernel tells the start
// in steps of 10 ms, rounded down, so the true age is between Age - 10 ms and
// Age. Read at the first request, it is the time the program took to get there.
func (f FS) Age(pid int) (time.Duration, error) {
	s, err := f.Stat(pid)
	if err != nil {
		return 0, err
	}
	now, err := SinceBoot()
	if err != nil {
		return 0, err
	}
	return now - s.Start, nil
}
