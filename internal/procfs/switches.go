package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// Switches counts how often a thread has left its CPU since it was started.
type Switches struct {
	Voluntary   uint64 // it waited for something
	Involuntary uint64 // it had to make way, for another thread or at the end of its slice
}

// Sub returns the switches since an earlier reading of the same thread.
func (s Switches) Sub(earlier Switches) Switches {
	return Switches{s.Voluntary - earlier.Voluntary, s.Involuntary - earlier.Involuntary}
}

// ThreadSwitches reads those of one thread; ErrGone when it has ended. Any
// thread may ask for any other, so a worker need not be disturbed for it.
// [Status] has them for the main thread alone, and 0 where the kernel does not
// tell; here that is an error. Source: proc_pid_status(5).
func (f FS) ThreadSwitches(pid, tid int) (Switches, error) {
	data, err := f.readProcess(pid, "task/"+strconv.Itoa(tid)+"/status")
	if err != nil {
		return Switches{}, err
	}
	s, err := parseSwitches(data)
	if err != nil {
		return Switches{}, fmt.Errorf("read status of thread %d: %w", tid, err)
	}
	return s, nil
}

// parseSwitches finds the two lines, which are the last of the file.
func parseSwitches(data []byte) (Switches, error) {
	voluntary, err1 := countAfter(data, "\nvoluntary_ctxt_switches:\t")
	involuntary, err2 := countAfter(data, "\nnonvoluntary_ctxt_switches:\t")
	return Switches{voluntary, involuntary}, errors.Join(err1, err2)
}

// countAfter reads the number between a key and the end of its line.
func countAfter(data []byte, key string) (uint64, error) {
	_, rest, found := bytes.Cut(data, []byte(key))
	if !found {
		return 0, fmt.Errorf("no line %q", bytes.TrimSpace([]byte(key)))
	}
	text, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("line %q: %q is not a count", bytes.TrimSpace([]byte(key)), text)
	}
	return n, nil
}
