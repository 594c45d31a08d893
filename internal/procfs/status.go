package procfs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Status is what scalbench uses of /proc/PID/status.
type Status struct {
	// Name is the name of the main thread, with the kernel's escapes for control
	// characters and backslashes.
	Name string
	// RealUID and EffectiveUID are the owner and whose rights it acts with.
	RealUID, EffectiveUID int
	// PeakRSSBytes (VmHWM) and RSSBytes (VmRSS) are 0 for a zombie and for a
	// kernel thread, which have no memory of their own. Pages shared between
	// processes count in each of them.
	PeakRSSBytes, RSSBytes int64
	Threads                int
	// Allowed is the affinity of the main thread. Other threads may be pinned
	// elsewhere: [FS.Allowed] looks at all of them.
	Allowed cpuset.Set
	// VoluntarySwitches and InvoluntarySwitches are those of the main thread
	// alone: waiting for something, and having to make way.
	VoluntarySwitches, InvoluntarySwitches uint64
}

// Status reads /proc/PID/status. Source: proc_pid_status(5).
func (f FS) Status(pid int) (Status, error) {
	data, err := f.readProcess(pid, "status")
	if err != nil {
		return Status{}, err
	}
	s, err := parseStatus(data)
	if err != nil {
		return Status{}, fmt.Errorf("read status of process %d: %w", pid, err)
	}
	return s, nil
}

// Allowed returns the CPUs that any thread of the process may run on.
func (f FS) Allowed(pid int) (cpuset.Set, error) {
	threads, err := f.threads(pid)
	if err != nil {
		return cpuset.Set{}, err
	}
	var all cpuset.Set
	for _, tid := range threads {
		data, err := f.readProcess(pid, "task/"+strconv.Itoa(tid)+"/status")
		if err != nil {
			continue // a thread that ended no longer runs anywhere
		}
		s, err := parseStatus(data)
		if err != nil {
			return cpuset.Set{}, fmt.Errorf("read status of thread %d: %w", tid, err)
		}
		all = all.Union(s.Allowed)
	}
	return all, nil
}

// parseStatus reads lines of "Key:\tvalue". Unknown keys are skipped, keys that
// are absent leave their field at zero.
func parseStatus(data []byte) (Status, error) {
	var s Status
	for line := range bytes.Lines(data) {
		key, value, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":")
		if !found {
			continue
		}
		if err := s.set(key, strings.TrimPrefix(value, "\t")); err != nil {
			return Status{}, fmt.Errorf("line %q: %w", line, err)
		}
	}
	return s, nil
}

// set stores the value of one line.
func (s *Status) set(key, value string) (err error) {
	switch key {
	case "Name":
		s.Name = value
	case "Uid": // real, effective, saved, file system
		_, err = fmt.Sscan(value, &s.RealUID, &s.EffectiveUID)
	case "VmHWM":
		s.PeakRSSBytes, err = parseKiB(value)
	case "VmRSS":
		s.RSSBytes, err = parseKiB(value)
	case "Threads":
		s.Threads, err = strconv.Atoi(value)
	case "Cpus_allowed_list":
		s.Allowed, err = cpuset.Parse(value)
	case "voluntary_ctxt_switches":
		s.VoluntarySwitches, err = strconv.ParseUint(value, 10, 64)
	case "nonvoluntary_ctxt_switches":
		s.InvoluntarySwitches, err = strconv.ParseUint(value, 10, 64)
	}
	return err
}

// parseKiB reads "  12345 kB", which the kernel counts in 1024 bytes.
func parseKiB(value string) (bytes int64, err error) {
	digits, found := strings.CutSuffix(strings.TrimSpace(value), " kB")
	if !found {
		return 0, fmt.Errorf("%q is not a size in kB", value)
	}
	kib, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size in kB", value)
	}
	return kib << 10, nil
}
