package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

const (
	// quietInterval is how long the host is watched before the first load.
	quietInterval = time.Second
	// quietFrac of one CPU is what may be going on there: a few timers.
	quietFrac = 0.03
	// namedFrac of one CPU is what makes a process worth naming.
	namedFrac = 0.01
)

// neighbour is a process that uses CPUs it may share with the measurement.
type neighbour struct {
	pid  int
	name string
	frac float64 // of one CPU
}

// checkQuiet watches the CPUs of the measurement for a moment, and returns an
// error that names who else is running if one of them is not idle.
func checkQuiet(fs procfs.FS, cpus cpuset.Set) error {
	used, err := cpuTimes(fs)
	if err != nil {
		return err
	}
	before, err := fs.CPUTimes()
	if err != nil {
		return err
	}
	start := time.Now()
	time.Sleep(quietInterval)
	elapsed := time.Since(start)
	after, err := fs.CPUTimes()
	if err != nil {
		return err
	}
	var busiest float64
	for _, cpu := range cpus.CPUs() {
		busiest = max(busiest, after[cpu].BusyFrac(before[cpu]))
	}
	if busiest <= quietFrac {
		return nil
	}
	neighbours, err := findNeighbours(fs, cpus, used, elapsed)
	if err != nil {
		return err
	}
	return notQuiet(cpus, busiest, neighbours)
}

// cpuTimes reads the CPU time of every process.
func cpuTimes(fs procfs.FS) (map[int]time.Duration, error) {
	pids, err := fs.PIDs()
	if err != nil {
		return nil, err
	}
	used := make(map[int]time.Duration, len(pids))
	for _, pid := range pids {
		cpu, err := fs.CPUTime(pid)
		if errors.Is(err, procfs.ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		used[pid] = cpu
	}
	return used, nil
}

// findNeighbours lists the processes that used CPU time since and may run on
// the CPUs, the largest first. Where they really ran is not told per process.
func findNeighbours(fs procfs.FS, cpus cpuset.Set, used map[int]time.Duration, elapsed time.Duration) ([]neighbour, error) {
	now, err := cpuTimes(fs)
	if err != nil {
		return nil, err
	}
	var found []neighbour
	for pid, cpu := range now {
		// A process that is not in used has started since: all of its time counts.
		frac := float64(cpu-used[pid]) / float64(elapsed)
		if frac <= namedFrac {
			continue
		}
		allowed, err := fs.Allowed(pid)
		if err != nil || allowed.Intersect(cpus).Count() == 0 {
			continue
		}
		name, err := fs.Name(pid)
		if err != nil {
			continue
		}
		found = append(found, neighbour{pid: pid, name: name, frac: frac})
	}
	slices.SortFunc(found, func(a, b neighbour) int {
		if a.frac != b.frac {
			if a.frac > b.frac {
				return -1
			}
			return 1
		}
		return a.pid - b.pid
	})
	return found, nil
}

// notQuiet words the refusal.
func notQuiet(cpus cpuset.Set, busiest float64, neighbours []neighbour) error {
	var who []string
	for _, n := range neighbours {
		who = append(who, fmt.Sprintf("%s[%d] %s", n.name, n.pid, units.Percent(n.frac)))
	}
	if who == nil {
		who = []string{"no single process of note (short-lived ones, interrupts or the hypervisor)"}
	}
	return fmt.Errorf("CPUs %s are not idle: the busiest is %s busy: %s", cpus, units.Percent(busiest), strings.Join(who, ", "))
}
