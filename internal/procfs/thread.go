package procfs

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Thread is a reading of one thread.
type Thread struct {
	TID  int
	Name string // as in [Status]
	// Ran is the time that it was on a CPU since it was started, and Waited the time that
	// it was ready and another had its CPU. Timed is false where the kernel does not tell
	// (it is an option): both are 0 then.
	Ran, Waited time.Duration
	Timed       bool
	Switches    Switches
}

// ErrTooMany says that a process has more threads than somebody wants to read.
var ErrTooMany = errors.New("too many threads")

// Threads reads the threads of a process, by ascending number; two files for each, so that
// a caller who does so every second wants a bound: with more than most of them nothing is
// read (ErrTooMany). 0 is no bound. One that ends meanwhile is left out.
func (f FS) Threads(pid, most int) ([]Thread, error) {
	tids, err := f.threads(pid)
	if err != nil {
		return nil, err
	}
	if most > 0 && len(tids) > most {
		return nil, fmt.Errorf("read threads of process %d: %d: %w", pid, len(tids), ErrTooMany)
	}
	threads := make([]Thread, 0, len(tids))
	for _, tid := range tids {
		t, err := f.thread(pid, tid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		threads = append(threads, t)
	}
	return threads, nil
}

func (f FS) thread(pid, tid int) (Thread, error) {
	task := "task/" + strconv.Itoa(tid) + "/"
	data, err := f.readProcess(pid, task+"status")
	if err != nil {
		return Thread{}, err
	}
	status, err := parseStatus(data)
	if err != nil {
		return Thread{}, fmt.Errorf("read status of thread %d: %w", tid, err)
	}
	t := Thread{TID: tid, Name: status.Name, Switches: Switches{status.VoluntarySwitches, status.InvoluntarySwitches}}
	if data, err = f.readProcess(pid, task+"schedstat"); err != nil {
		return t, nil // where the status was there it is the option that is missing, or it ends now
	}
	if t.Ran, t.Waited, err = parseSchedstat(data); err != nil {
		return Thread{}, fmt.Errorf("read schedstat of thread %d: %w", tid, err)
	}
	t.Timed = true
	return t, nil
}
