package cpuset

import (
	"fmt"
	"strconv"
	"strings"
)

// speedTolerance is how much slower than the fastest a CPU may be and still
// count as equal. Favoured cores of one kind differ by a few percent in their
// highest boost frequency (6.0 against 5.6 GHz); efficiency cores stay 15 % and
// more below performance cores.
const speedTolerance = 0.10

// Heterogeneous is NewFS("/").Heterogeneous(s).
func Heterogeneous(s Set) bool { return NewFS("/").Heterogeneous(s) }

// Heterogeneous reports whether the CPUs of the set differ in speed by more
// than a tenth, by the scheduler's capacity (cpu_capacity, 1024 for the
// fastest) or else by their highest frequency (cpufreq/cpuinfo_max_freq). CPUs
// of which neither is known count as equal.
//
// Source: kernel documentation, ABI/testing/sysfs-devices-system-cpu.
func (fs FS) Heterogeneous(s Set) bool {
	return fs.differs(s, "cpu_capacity") || fs.differs(s, "cpufreq/cpuinfo_max_freq")
}

// differs compares one number of each CPU's directory.
func (fs FS) differs(s Set, name string) bool {
	slowest, fastest := 0.0, 0.0
	for _, cpu := range s.CPUs() {
		text := strings.TrimSpace(fs.read(fmt.Sprintf("sys/devices/system/cpu/cpu%d/%s", cpu, name)))
		speed, err := strconv.ParseUint(text, 10, 64)
		if err != nil || speed == 0 {
			continue
		}
		if slowest == 0 || float64(speed) < slowest {
			slowest = float64(speed)
		}
		fastest = max(fastest, float64(speed))
	}
	return slowest < fastest*(1-speedTolerance)
}
