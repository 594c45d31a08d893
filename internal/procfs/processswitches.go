package procfs

import (
	"errors"
	"fmt"
)

// ProcessSwitches adds up the switches of the threads of a process that are alive,
// and says how many threads that are. With more than most threads nothing is read
// and ok is false: a file is read for each, and a caller that does so every second
// wants a bound. A thread that ends takes its switches out of the sum.
func (f FS) ProcessSwitches(pid, most int) (sum Switches, threads int, ok bool, err error) {
	tids, err := f.threads(pid)
	if err != nil {
		return Switches{}, 0, false, err
	}
	if len(tids) > most {
		return Switches{}, len(tids), false, nil
	}
	for _, tid := range tids {
		s, err := f.ThreadSwitches(pid, tid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return Switches{}, 0, false, fmt.Errorf("read switches of process %d: %w", pid, err)
		}
		sum.Voluntary += s.Voluntary
		sum.Involuntary += s.Involuntary
	}
	return sum, len(tids), true, nil
}
