package cpuset

import (
	"path"
	"slices"
	"strings"
)

// cpuGroup is a cgroup that may limit the CPU time of this process.
type cpuGroup struct {
	version int
	dir     string // where its files are, below the root of the FS
}

// ownGroups returns the groups this process is in: of each mounted hierarchy its
// own, then that one's parents up to the mount point. Files that cannot be read
// are no groups.
func (fs FS) ownGroups() []cpuGroup {
	memberships := parseMemberships(fs.read("proc/self/cgroup"))
	var groups []cpuGroup
	for _, m := range parseCgroupMounts(fs.read("proc/self/mountinfo")) {
		group, ok := memberships[m.version]
		if !ok {
			continue
		}
		for group = m.relative(group); ; group = path.Dir(group) {
			groups = append(groups, cpuGroup{m.version, path.Join(m.point, group)})
			if group == "/" {
				break
			}
		}
	}
	return groups
}

// cgroupMount is one mounted hierarchy that may limit CPU time.
type cgroupMount struct {
	version int    // 1 (with the cpu controller) or 2
	root    string // the group that is mounted, "/" unless the mount shows a part
	point   string // the directory it is mounted on
}

// relative returns a group's path below the mount point. In a container
// without a cgroup namespace the mount shows only the container's own group,
// while /proc/self/cgroup names it from the top. A group outside of what is
// mounted has no files here; the top of the mount is the nearest there is.
func (m cgroupMount) relative(group string) string {
	rest := group
	if m.root != "/" {
		var inside bool
		if rest, inside = strings.CutPrefix(group, m.root); !inside {
			return "/"
		}
	}
	if !strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "/..") {
		return "/"
	}
	return rest
}

// parseMemberships reads /proc/self/cgroup into the group of this process by
// cgroup version. Lines are "ID:controllers:path"; version 2 has the id 0 and
// no controllers, of version 1 only the hierarchy with "cpu" is kept. Source:
// cgroups(7), "/proc files".
func parseMemberships(text string) map[int]string {
	groups := make(map[int]string)
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[0] == "0" && fields[1] == "":
			groups[2] = fields[2]
		case slices.Contains(strings.Split(fields[1], ","), "cpu"):
			groups[1] = fields[2]
		}
	}
	return groups
}

// parseCgroupMounts reads /proc/self/mountinfo. A line is
//
//	36 35 0:30 ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER_OPTIONS
//
// with the controllers of version 1 among the super options. Source:
// proc_pid_mountinfo(5).
func parseCgroupMounts(text string) []cgroupMount {
	var mounts []cgroupMount
	for line := range strings.Lines(text) {
		before, after, found := strings.Cut(line, " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if !found || len(head) < 5 || len(tail) < 3 {
			continue
		}
		m := cgroupMount{root: unescape(head[3]), point: unescape(head[4])}
		switch {
		case tail[0] == "cgroup2":
			m.version = 2
		case tail[0] == "cgroup" && slices.Contains(strings.Split(tail[2], ","), "cpu"):
			m.version = 1
		default:
			continue
		}
		mounts = append(mounts, m)
	}
	return mounts
}

// unescape undoes the octal escapes mountinfo uses for white space and
// backslashes in paths.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}
