package loadgen

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/cpuset"
)

// prepareThread pins the calling thread to the worker's CPU, gives it a table of
// file descriptors of its own, and asks for timers without slack: by default
// the kernel may be 50 us late on purpose (prctl(2), PR_SET_TIMERSLACK).
func (w *worker) prepareThread() error {
	if w.cpu >= 0 {
		set, err := cpuset.Of(w.cpu)
		if err == nil {
			err = cpuset.SetThread(set)
		}
		if err != nil {
			return fmt.Errorf("prepare worker thread: %w", err)
		}
	}
	if err := ownDescriptors(); err != nil {
		return fmt.Errorf("prepare worker thread: %w", err)
	}
	// A filter may refuse it; timers are then late by the default slack.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return nil
}

// isFirstThread reports whether the caller is on the thread the process began
// with.
func isFirstThread() bool { return unix.Gettid() == unix.Getpid() }

// ownDescriptors gives the calling thread a table of file descriptors that it
// shares with nobody (unshare(2), CLONE_FILES). Each system call on a socket
// then finds its file without counting references to it atomically, and
// opening and closing connections takes no lock that other workers hold.
//
// The Go runtime supports it: while a goroutine is locked to a thread, new
// threads are cloned from another one, and the thread ends with the goroutine.
// Two things are seen to here. The copies that the new table begins with would
// keep sockets and pipes alive that others close, so they are closed at once;
// the runtime's own epoll instance and eventfd stay. And a worker never runs on
// the process's first thread, whose table is the one that /proc/PID/fd shows.
// Where a system-call filter refuses, the table stays shared: that is only
// slower.
func ownDescriptors() error {
	if unix.Unshare(unix.CLONE_FILES) != nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/thread-self/fd")
	if err != nil {
		return fmt.Errorf("list own file descriptors: %w", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		var info unix.Stat_t
		if unix.Fstat(fd, &info) != nil {
			continue // the directory that was just read
		}
		if kind := info.Mode & unix.S_IFMT; kind == unix.S_IFSOCK || kind == unix.S_IFIFO {
			unix.Close(fd)
		}
	}
	return nil
}

// use reads what the calling thread has used so far, the CPU time to the
// nanosecond (clock_gettime(2)).
func (w *worker) use() threadUse {
	u := threadUse{at: w.clock.Now()}
	if w.quic != nil {
		return w.useQUIC(u)
	}
	u.bytesIn, u.bytesOut = w.loop.Bytes()
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) == nil {
		u.cpu = time.Duration(ts.Nano())
	}
	if w.open != nil {
		u.spun = w.open.spun
	}
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &ru) == nil {
		u.switches = ru.Nivcsw
	}
	u.waiting = waitedForCPU("/proc/thread-self/schedstat")
	return u
}

// waitedForCPU is how long a thread has been ready to run without running, in all:
// the second number of its schedstat (kernel documentation,
// scheduler/sched-stats.rst). 0 where the kernel does not count it. Not by
// os.ReadFile: it tells the runtime's epoll of the file, by the number that it has in
// the worker's own table of descriptors.
func waitedForCPU(schedstat string) time.Duration {
	fd, err := unix.Open(schedstat, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	var text [80]byte // three numbers of 64 bits at most
	n, err := unix.Read(fd, text[:])
	if unix.Close(fd) != nil || err != nil {
		return 0
	}
	fields := bytes.Fields(text[:n])
	if len(fields) != 3 {
		return 0
	}
	ns, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(ns)
}
