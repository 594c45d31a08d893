package cpuset

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Allowed returns the CPUs this process may use: what any of its threads is
// allowed, which includes the limits of its cpuset cgroup. All threads are
// asked because one of them may be a pinned worker, and it may well be the
// main thread: the runtime runs any goroutine on it.
func Allowed() (Set, error) {
	threads, err := threadIDs()
	if err != nil {
		return Set{}, fmt.Errorf("read CPU affinity: %w", err)
	}
	s, err := affinityOf(threads)
	if err != nil || s != (Set{}) {
		return s, err
	}
	// None of them exists: /proc is that of another PID namespace.
	return affinityOf([]int{callingThread})
}

// callingThread stands for itself in the affinity calls.
const callingThread = 0

// affinityOf is the union over threads; those that have ended count for nothing.
func affinityOf(threads []int) (Set, error) {
	var s Set
	for _, tid := range threads {
		var mask unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &mask); errors.Is(err, unix.ESRCH) {
			continue // ended meanwhile
		} else if err != nil {
			return Set{}, fmt.Errorf("read CPU affinity of thread %d: %w", tid, err)
		}
		for cpu := range MaxCPUs {
			if mask.IsSet(cpu) {
				s.words[cpu/wordBits] |= 1 << (cpu % wordBits)
			}
		}
	}
	return s, nil
}

// SetThread pins the calling thread to the set. The goroutine must hold the
// thread (runtime.LockOSThread) and should end with it locked, so that the
// pinned thread ends too instead of serving other goroutines. The runtime
// starts new threads from an unpinned one while a goroutine is locked, so that
// the pinning does not spread. A process started by this thread inherits it.
func SetThread(s Set) error {
	if err := setAffinity(0, s); err != nil {
		return fmt.Errorf("pin thread to CPUs %q: %w", s, err)
	}
	return nil
}

// maxRounds bounds SetProcess. A thread that is started during a round by one
// that is not pinned yet is found by the next; each round needs a new thread
// of that kind to make another necessary.
const maxRounds = 8

// SetProcess pins every thread of this process to the set, also those that it
// starts later: threads inherit the affinity of the one that starts them.
func SetProcess(s Set) error {
	pinned := make(map[int]bool)
	for range maxRounds {
		fresh, err := pinNewThreads(s, pinned)
		if err != nil {
			return fmt.Errorf("pin process to CPUs %q: %w", s, err)
		}
		if fresh == 0 {
			return nil
		}
	}
	return fmt.Errorf("pin process to CPUs %q: new threads still appear after %d rounds", s, maxRounds)
}

// pinNewThreads pins the threads that are not in pinned yet, adds them to it
// and returns their number. A thread that ends meanwhile is no error.
func pinNewThreads(s Set, pinned map[int]bool) (fresh int, err error) {
	threads, err := threadIDs()
	if err != nil {
		return 0, err
	}
	for _, tid := range threads {
		if pinned[tid] {
			continue
		}
		if err := setAffinity(tid, s); err != nil && !errors.Is(err, unix.ESRCH) {
			return fresh, err
		}
		pinned[tid] = true
		fresh++
	}
	return fresh, nil
}

// threadIDs lists the threads of this process.
func threadIDs() ([]int, error) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	threads := make([]int, 0, len(tasks))
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			return nil, fmt.Errorf("list threads: %w", err)
		}
		threads = append(threads, tid)
	}
	return threads, nil
}

// setAffinity is sched_setaffinity(2); thread 0 is the calling one. The kernel
// ignores CPUs that do not exist or that the cgroup forbids and fails only
// when none is left, so the caller's set may be wider than what it gets.
func setAffinity(thread int, s Set) error {
	var mask unix.CPUSet
	for _, cpu := range s.CPUs() {
		mask.Set(cpu)
	}
	return unix.SchedSetaffinity(thread, &mask)
}
