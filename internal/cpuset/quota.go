package cpuset

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// FS is the file system below which the kernel's files are found: the root
// directory is a value, so that tests point it at a tree of fixtures.
type FS struct {
	root string
}

// NewFS returns the view of a host whose proc and sys directories are in root;
// "/" is this host.
func NewFS(root string) FS { return FS{root: root} }

// Quota is NewFS("/").Quota().
func Quota() (float64, error) { return NewFS("/").Quota() }

// Quota returns how much CPU time the cgroups of this process allow it, in
// CPUs, 0 if they set no limit. The limits of all groups up to the mount point
// hold, so the smallest counts; version 2 (cpu.max) and version 1
// (cpu.cfs_quota_us / cpu.cfs_period_us) are both looked at, since a hybrid
// host has both mounted and the cpu controller in one of them.
//
// Files that do not exist or cannot be opened are "no quota". Only a limit
// that is there and cannot be understood is an error.
//
// Source: kernel documentation, admin-guide/cgroup-v2.rst ("cpu.max") and
// scheduler/sched-bwc.rst.
func (fs FS) Quota() (float64, error) {
	smallest := 0.0
	for _, g := range fs.ownGroups() {
		quota, err := fs.groupQuota(g)
		if err != nil {
			return 0, err
		}
		if quota > 0 && (smallest == 0 || quota < smallest) {
			smallest = quota
		}
	}
	return smallest, nil
}

// groupQuota reads the limit of one group.
func (fs FS) groupQuota(g cpuGroup) (quota float64, err error) {
	if g.version == 2 {
		name := path.Join(g.dir, "cpu.max")
		if quota, err = parseCPUMax(fs.read(name)); err != nil {
			return 0, fmt.Errorf("read %s: %w", name, err)
		}
		return quota, nil
	}
	name := path.Join(g.dir, "cpu.cfs_quota_us")
	quota, err = parseCFSQuota(fs.read(name), fs.read(path.Join(g.dir, "cpu.cfs_period_us")))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	return quota, nil
}

// read returns the content of a file below the root, "" if there is none.
func (fs FS) read(name string) string {
	data, err := os.ReadFile(filepath.Join(fs.root, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return string(data)
}

// parseCPUMax reads cpu.max: "max 100000" or "150000 100000", quota and period
// in microseconds. "" is no limit.
func parseCPUMax(text string) (float64, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 || fields[0] == "max" {
		return 0, nil
	}
	if len(fields) != 2 {
		return 0, fmt.Errorf("%q is not a quota and a period", text)
	}
	return parseCFSQuota(fields[0], fields[1])
}

// parseCFSQuota divides a quota by its period, both in microseconds as text.
// A quota of -1, or none, is no limit.
func parseCFSQuota(quotaText, periodText string) (float64, error) {
	quotaText, periodText = strings.TrimSpace(quotaText), strings.TrimSpace(periodText)
	if quotaText == "" || quotaText == "-1" {
		return 0, nil
	}
	quotaMicros, err := strconv.ParseInt(quotaText, 10, 64)
	if err != nil || quotaMicros <= 0 {
		return 0, fmt.Errorf("quota %q is not a positive number of microseconds", quotaText)
	}
	periodMicros, err := strconv.ParseInt(periodText, 10, 64)
	if err != nil || periodMicros <= 0 {
		return 0, fmt.Errorf("period %q is not a positive number of microseconds", periodText)
	}
	return float64(quotaMicros) / float64(periodMicros), nil
}
