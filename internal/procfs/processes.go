package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Process is what a look at many processes keeps of each: who it is, what it has
// used and where it ran. All of it is from /proc/PID/stat, one file a process.
type Process struct {
	PID, PPID int
	Comm      string        // as in [Stat]
	Start     time.Duration // as in [Stat]: tells two processes with the same PID apart
	// CPU is the time of all threads it ever had, in steps of 10 ms.
	CPU time.Duration
	// Reaped is the CPU time of the children that it has waited for, and of those
	// that they had waited for; steps of 10 ms.
	Reaped      time.Duration
	MajorFaults uint64 // as in [Stat]
	// LastCPU is where the main thread runs, or ran last. The other threads may be
	// elsewhere.
	LastCPU int
}

// Kernel reports whether it is a thread of the kernel: kthreadd, which is always
// process 2, or a child of it.
func (p Process) Kernel() bool { return p.PID == 2 && p.PPID == 0 || p.PPID == 2 }

// Processes looks at all processes, by ascending PID. One that ends meanwhile is
// left out; so are all of other users where the file system is mounted with
// hidepid. It costs a few microseconds of CPU for each process.
func (f FS) Processes() ([]Process, error) {
	pids, err := f.PIDs()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	processes := make([]Process, 0, len(pids))
	for _, pid := range pids {
		p, err := f.Process(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		processes = append(processes, p)
	}
	return processes, nil
}

// Process looks at one process; ErrGone if there is none. Source:
// proc_pid_stat(5).
func (f FS) Process(pid int) (Process, error) {
	data, err := f.readProcess(pid, "stat")
	if err != nil {
		return Process{}, err
	}
	p, err := parseProcess(data)
	if err != nil {
		return Process{}, fmt.Errorf("read stat of process %d: %w", pid, err)
	}
	return p, nil
}

// Fields of /proc/PID/stat beside those of parseStat.
const (
	statReapedUser   = 16
	statReapedSystem = 17
	statLastCPU      = 39
)

// parseProcess reads what parseStat does and three fields more.
func parseProcess(data []byte) (Process, error) {
	s, err := parseStat(data)
	if err != nil {
		return Process{}, err
	}
	rest := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(rest) <= statLastCPU-statState {
		return Process{}, fmt.Errorf("%q has %d fields after the name, want at least %d", data, len(rest), statLastCPU-statState+1)
	}
	var numbers [3]int64
	for i, field := range [...]int{statReapedUser, statReapedSystem, statLastCPU} {
		text := rest[field-statState]
		if numbers[i], err = strconv.ParseInt(string(text), 10, 64); err != nil {
			return Process{}, fmt.Errorf("%q is not a number in %q", text, data)
		}
	}
	return Process{
		PID: s.PID, PPID: s.PPID, Comm: s.Comm, Start: s.Start,
		CPU:     s.User + s.System,
		Reaped:  time.Duration(numbers[0]+numbers[1]) * userTick,
		LastCPU: int(numbers[2]), MajorFaults: s.MajorFaults,
	}, nil
}
