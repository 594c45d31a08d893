package procfs

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// userTick is the unit of the times in /proc/PID/stat. The kernel scales them
// to USER_HZ, which is 100 on every architecture Go runs on, whatever the
// kernel's own HZ. It could be read (AT_CLKTCK in the auxiliary vector, which
// is what sysconf(_SC_CLK_TCK) returns), but that adds a way to fail and cannot
// give another number.
const userTick = time.Second / 100

// Stat is what scalbench uses of /proc/PID/stat.
type Stat struct {
	PID int
	// Comm is the name of the main thread: at most 15 bytes, often the start of
	// the executable's, but a process may set any bytes, spaces and parentheses
	// included.
	Comm string
	// State is R (running), S, D (sleeping), T, t (stopped), Z (zombie), X (dead)
	// or I (idle kernel thread).
	State byte
	// PPID is the parent; 0 for the first process and for one whose parent is
	// outside of the PID namespace.
	PPID int
	// MajorFaults are those of all threads: a page had to be read from a disk.
	MajorFaults uint64
	// User and System are the CPU time of all threads, also of those that ended,
	// in steps of 10 ms. [FS.CPUTime] is finer.
	User, System time.Duration
	Threads      int
	// Start is when the process was started, as time since boot (CLOCK_BOOTTIME),
	// rounded down to 10 ms. With the PID it names a process for good: PIDs alone
	// are used again.
	Start time.Duration
}

// zombie reports whether the process has ended and only waits to be reaped. A
// main thread may end before the others: that is a zombie too by its letter,
// but not the end of the process.
func (s Stat) zombie() bool { return (s.State == 'Z' || s.State == 'X') && s.Threads <= 1 }

// Stat reads /proc/PID/stat. Source: proc_pid_stat(5).
func (f FS) Stat(pid int) (Stat, error) {
	data, err := f.readProcess(pid, "stat")
	if err != nil {
		return Stat{}, err
	}
	s, err := parseStat(data)
	if err != nil {
		return Stat{}, fmt.Errorf("read stat of process %d: %w", pid, err)
	}
	return s, nil
}

// Fields of /proc/PID/stat, numbered from 1 as in the manual page. Those after
// the name are counted from the state, field 3.
const (
	statState       = 3
	statPPID        = 4
	statMajorFaults = 12
	statUser        = 14
	statSystem      = 15
	statThreads     = 20
	statStart       = 22
)

// parseStat reads "PID (COMM) STATE PPID ...". The name ends at the last
// closing parenthesis, since it may hold any but the other fields are numbers.
func parseStat(data []byte) (Stat, error) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return Stat{}, fmt.Errorf("%q has no name in parentheses", data)
	}
	rest := bytes.Fields(data[end+1:])
	if len(rest) <= statStart-statState {
		return Stat{}, fmt.Errorf("%q has %d fields after the name, want at least %d", data, len(rest), statStart-statState+1)
	}
	var parseErr error
	number := func(text []byte) int64 {
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil && parseErr == nil {
			parseErr = fmt.Errorf("%q is not a number in %q", text, data)
		}
		return n
	}
	field := func(n int) int64 { return number(rest[n-statState]) }
	s := Stat{
		PID:     int(number(bytes.TrimSpace(data[:open]))),
		Comm:    string(data[open+1 : end]),
		State:   rest[0][0],
		PPID:    int(field(statPPID)),
		User:    time.Duration(field(statUser)) * userTick,
		System:  time.Duration(field(statSystem)) * userTick,
		Threads: int(field(statThreads)),
		Start:   time.Duration(field(statStart)) * userTick,

		MajorFaults: uint64(field(statMajorFaults)),
	}
	if parseErr != nil {
		return Stat{}, parseErr
	}
	return s, nil
}
