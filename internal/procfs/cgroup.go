package procfs

import (
	"slices"
	"strings"
)

// Cgroup returns the control group of a process, as in "/system.slice/cron.service"
// or "/docker/0123…": the one that tells best what started it. That is the group of
// version 2; on a host of version 1 the group of systemd's own hierarchy, else the
// one that accounts for CPU time, else any that is not the top. "/" is the top, and
// what a process in a cgroup namespace of its own shows. Source: cgroups(7).
func (f FS) Cgroup(pid int) (string, error) {
	data, err := f.readProcess(pid, "cgroup")
	if err != nil {
		return "", err
	}
	return parseCgroup(string(data)), nil
}

// parseCgroup reads lines of "ID:CONTROLLERS:PATH". On a hybrid host processes may
// be at the top of one hierarchy and deep in another.
func parseCgroup(text string) string {
	const preferences = 4
	var best [preferences]string
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 || fields[2] == "/" || fields[2] == "" {
			continue
		}
		controllers := strings.Split(fields[1], ",")
		rank := 3
		switch {
		case fields[1] == "":
			rank = 0
		case fields[1] == "name=systemd":
			rank = 1
		case slices.Contains(controllers, "cpu"), slices.Contains(controllers, "cpuacct"):
			rank = 2
		}
		if best[rank] == "" {
			best[rank] = fields[2]
		}
	}
	for _, group := range best {
		if group != "" {
			return group
		}
	}
	return "/"
}
