package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/units"
)

// cpuFacts are those of the processors. Sources: kernel documentation,
// admin-guide/pm/cpufreq.rst, admin-guide/pm/intel_pstate.rst, admin-guide/cputopology.rst.
func (f FS) cpuFacts(t Topology) map[string]string {
	info, _ := f.text("proc/cpuinfo")
	return map[string]string{
		"cpu_model":        firstKeyed(info, "model name", "Model", "cpu model"),
		"microcode":        firstKeyed(info, "microcode"),
		"cpu_flags":        flagsHash(info),
		"sockets":          countFact(len(t.sockets)),
		"cores":            countFact(t.cores()),
		"cpus":             cpusFact(t.Online),
		"smt":              f.smt(),
		"numa":             numaFact(t),
		"governor":         f.governor(t.Online),
		"frequency_driver": f.eachCPU(t.Online, "cpufreq/scaling_driver"),
		"frequency_limits": f.frequencyLimits(t.Online),
		"turbo":            f.turbo(),
		"idle_driver":      f.fact("sys/devices/system/cpu/cpuidle/current_driver"),
		"isolated":         f.fact("sys/devices/system/cpu/isolated"),
		"nohz_full":        f.fact("sys/devices/system/cpu/nohz_full"),
	}
}

// firstKeyed is the value of the first of the keys that cpuinfo has; they differ
// between architectures. All CPUs of a host are taken for alike here: the limits of
// their frequencies tell where they are not.
func firstKeyed(info string, keys ...string) string {
	for _, key := range keys {
		if value, ok := keyed(info, key, ":"); ok && value != "" {
			return value
		}
	}
	return units.NotAvailable
}

// flagsHash shortens the long list of what the CPU can, which the kernel, its
// microcode and a hypervisor change, to a hash of its sorted words.
func flagsHash(info string) string {
	words := strings.Fields(firstKeyed(info, "flags", "Features"))
	if len(words) == 1 && words[0] == units.NotAvailable {
		return units.NotAvailable
	}
	slices.Sort(words)
	sum := sha256.Sum256([]byte(strings.Join(words, " ")))
	return fmt.Sprintf("%d flags, sha256 %s", len(words), hex.EncodeToString(sum[:8]))
}

// countFact is a count, or n/a for none: a host without a single socket is one that
// does not tell.
func countFact(n int) string {
	if n == 0 {
		return units.NotAvailable
	}
	return strconv.Itoa(n)
}

// cpusFact is a set, or n/a for none.
func cpusFact(s cpuset.Set) string {
	if s == (cpuset.Set{}) {
		return units.NotAvailable
	}
	return s.String()
}

// smt is whether cores run several hardware threads now.
func (f FS) smt() string { return f.onOff("sys/devices/system/cpu/smt/active", "1") }

// onOff reads a file that is one value for on, and any other for off.
func (f FS) onOff(name, on string) string {
	text, ok := f.text(name)
	switch {
	case !ok:
		return units.NotAvailable
	case text == on:
		return "on"
	}
	return "off"
}

// turbo is whether CPUs may run above their nominal frequency: by the switch of
// intel_pstate, else by that of the other drivers.
func (f FS) turbo() string {
	if fact := f.onOff("sys/devices/system/cpu/intel_pstate/no_turbo", "0"); fact != units.NotAvailable {
		return fact
	}
	return f.onOff("sys/devices/system/cpu/cpufreq/boost", "1")
}

// numaFact is the CPUs of each node: "0: 0-7,16-23; 1: 8-15,24-31".
func numaFact(t Topology) string {
	if t.Nodes == nil {
		return units.NotAvailable
	}
	var parts []string
	for _, node := range slices.Sorted(maps.Keys(t.Nodes)) {
		parts = append(parts, fmt.Sprintf("%d: %s", node, t.Nodes[node]))
	}
	return strings.Join(parts, "; ")
}

// governor is what chooses the frequency of the CPUs.
func (f FS) governor(cpus cpuset.Set) string { return f.eachCPU(cpus, "cpufreq/scaling_governor") }

// frequencyLimits are the lowest and the highest frequency that each CPU may run at.
func (f FS) frequencyLimits(cpus cpuset.Set) string {
	return eachCPU(cpus, func(cpu int) string {
		low, ok1 := f.number(cpuDir(cpu) + "/cpufreq/scaling_min_freq")
		high, ok2 := f.number(cpuDir(cpu) + "/cpufreq/scaling_max_freq")
		if !ok1 || !ok2 {
			return units.NotAvailable
		}
		return fmt.Sprintf("%d-%d MHz", low/1000, high/1000) // the files are in kHz
	})
}

// eachCPU reads a file of each CPU.
func (f FS) eachCPU(cpus cpuset.Set, name string) string {
	return eachCPU(cpus, func(cpu int) string { return f.fact(cpuDir(cpu) + "/" + name) })
}

// eachCPU is the value that all CPUs have, or each value with those that have it:
// "0-3 performance; 4-7 powersave".
func eachCPU(cpus cpuset.Set, value func(cpu int) string) string {
	by := map[string]cpuset.Set{}
	for _, cpu := range cpus.CPUs() {
		v := value(cpu)
		s := by[v]
		_ = s.Add(cpu) // it came out of a set
		by[v] = s
	}
	var parts []string
	for v, s := range by {
		if len(by) == 1 {
			return v
		}
		parts = append(parts, s.String()+" "+v)
	}
	if parts == nil {
		return units.NotAvailable
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}
