package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"
)

// CPUTime returns the CPU time of all threads the process ever had. Of a
// zombie it is the whole of its life.
//
// Three sources were compared:
//
//   - The process's CPU clock (clock_gettime with a clock made of its PID)
//     counts nanoseconds, includes threads that ended, and is open to every
//     user for every process: the kernel checks no permission for reading it.
//     A thread that runs without a break is counted up to the last timer tick
//     or switch, so a reading is late by at most one tick for each such thread
//     (4 ms at HZ=250: 0.04 % of a 10 s window). A server that waits in epoll is
//     exact at every wait.
//   - /proc/PID/task/*/schedstat has the same numbers per thread, without the
//     threads that ended.
//   - utime + stime of /proc/PID/stat includes them, each rounded down to 10 ms.
//
// The clock is taken where there is one. Elsewhere (a proc tree of another PID
// namespace, a filtered system call) the larger of the other two: each is a
// lower bound of the truth. Adding what ended threads used to the sum of the
// live ones is not possible; the kernel tells it nowhere.
func (f FS) CPUTime(pid int) (time.Duration, error) {
	if f.live() {
		cpu, err := processClock(pid)
		if err == nil || errors.Is(err, ErrGone) {
			return cpu, err
		}
	}
	s, err := f.Stat(pid)
	if err != nil {
		return 0, err
	}
	// Without schedstat (it is a kernel option) the ticks have to do.
	running, err := f.taskRunTime(pid)
	if err != nil {
		running = 0
	}
	return max(s.User+s.System, running), nil
}

// taskRunTime sums the time the threads that are alive have run, from
// /proc/PID/task/*/schedstat.
func (f FS) taskRunTime(pid int) (time.Duration, error) {
	threads, err := f.threads(pid)
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, tid := range threads {
		data, err := f.readProcess(pid, "task/"+strconv.Itoa(tid)+"/schedstat")
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return 0, err
		}
		ran, _, err := parseSchedstat(data)
		if err != nil {
			return 0, fmt.Errorf("read schedstat of thread %d: %w", tid, err)
		}
		sum += ran
	}
	return sum, nil
}

// threads lists the threads of a process.
func (f FS) threads(pid int) ([]int, error) {
	tids, err := numericNames(f.path(pid, "task"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list threads of process %d: %w", pid, ErrGone)
	}
	if err != nil {
		return nil, fmt.Errorf("list threads of process %d: %w", pid, err)
	}
	return tids, nil
}

// parseSchedstat reads "RAN WAITED SLICES": nanoseconds on a CPU, nanoseconds
// waiting for one, and the number of time slices. Source: kernel documentation,
// scheduler/sched-stats.rst.
func parseSchedstat(data []byte) (ran, waited time.Duration, err error) {
	fields := bytes.Fields(data)
	if len(fields) != 3 {
		return 0, 0, fmt.Errorf("%q is not three numbers", data)
	}
	var nanos [2]int64
	for i := range nanos {
		if nanos[i], err = strconv.ParseInt(string(fields[i]), 10, 64); err != nil {
			return 0, 0, fmt.Errorf("%q is not three numbers", data)
		}
	}
	return time.Duration(nanos[0]), time.Duration(nanos[1]), nil
}
