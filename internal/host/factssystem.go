package host

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// systemFacts are those of the kernel and of what it runs in.
func (f FS) systemFacts() map[string]string {
	return map[string]string{
		"machine":        f.machine(),
		"distribution":   f.distribution(),
		"kernel":         f.fact("proc/sys/kernel/osrelease"),
		"kernel_build":   f.fact("proc/sys/kernel/version"),
		"cmdline":        f.fact("proc/cmdline"),
		"lsm":            f.fact("sys/kernel/security/lsm"),
		"clocksource":    f.fact("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		"virtualization": f.virtualization(),
		"container":      f.container(),
		"cgroup":         f.cgroupVersion(),
		"irqbalance":     f.irqbalance(),
	}
}

// machine is a hash of /etc/machine-id. The id itself must not leave the host and is
// to be hashed with the name of the application as a key: machine-id(5).
func (f FS) machine() string {
	id, ok := f.text("etc/machine-id")
	if !ok || len(id) != 32 { // "" and "uninitialized" are of images
		return units.NotAvailable
	}
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte("scalbench"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// distribution is PRETTY_NAME of os-release(5).
func (f FS) distribution() string {
	for _, name := range []string{"etc/os-release", "usr/lib/os-release"} {
		text, _ := f.text(name)
		if value, ok := keyed(text, "PRETTY_NAME", "="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return units.NotAvailable
}

// virtualization says what the host runs in: "none", or the hypervisor as far as it
// shows itself.
func (f FS) virtualization() string {
	info, _ := f.text("proc/cpuinfo")
	flags, isX86 := keyed(info, "flags", ":")
	guest := strings.Contains(" "+flags+" ", " hypervisor ")
	if isX86 && !guest {
		return none
	}
	if kind, ok := f.text("sys/hypervisor/type"); ok && kind != "" {
		return kind
	}
	var names []string
	for _, file := range []string{"sys_vendor", "product_name"} {
		if name, ok := f.text("sys/class/dmi/id/" + file); ok && name != "" {
			names = append(names, name)
		}
	}
	clock, _ := f.text("sys/devices/system/clocksource/clocksource0/available_clocksource")
	switch {
	case guest && len(names) > 0:
		return strings.Join(names, " ")
	case strings.Contains(clock, "kvm-clock"):
		return "kvm"
	case guest:
		return "yes"
	}
	return units.NotAvailable // an architecture whose CPUs do not say
}

// container says whether these files are those of a container.
func (f FS) container() string {
	if kind, ok := f.text("run/systemd/container"); ok && kind != "" {
		return kind
	}
	switch {
	case f.exists(".dockerenv"):
		return "docker"
	case f.exists("run/.containerenv"):
		return "podman"
	}
	return none
}

// cgroupVersion tells the two versions apart by what is mounted. Source: cgroups(7).
func (f FS) cgroupVersion() string {
	mounts, ok := f.text("proc/self/mountinfo")
	if !ok {
		return units.NotAvailable
	}
	v1, v2 := strings.Contains(mounts, " - cgroup "), strings.Contains(mounts, " - cgroup2 ")
	switch {
	case v1 && v2:
		return "hybrid"
	case v2:
		return "v2"
	case v1:
		return "v1"
	}
	return none
}

// irqbalance is whether something moves interrupts between CPUs. In a container, or
// with a proc file system that hides the processes of others, that cannot be seen.
func (f FS) irqbalance() string {
	processes, err := f.proc.Processes()
	if err != nil || len(processes) == 0 || processes[0].PID != 1 || f.container() != none {
		return units.NotAvailable
	}
	for _, p := range processes {
		if p.Comm == "irqbalance" {
			return "running"
		}
	}
	return "not running"
}

// memoryStep is what the size of the memory is rounded to. The kernel's own share,
// which is not in it, differs by a few MiB from boot to boot.
const memoryStep = 64 << 20

// memoryFacts are those of the memory and how it is used. Sources: kernel
// documentation, admin-guide/mm/transhuge.rst, admin-guide/sysctl/kernel.rst and vm.rst.
func (f FS) memoryFacts() map[string]string {
	swap, memory := units.NotAvailable, units.NotAvailable
	if total, ok := f.memory("MemTotal"); ok {
		memory = strconv.FormatInt((total+memoryStep/2)/memoryStep*(memoryStep>>20), 10) + " MiB"
	}
	if total, ok := f.memory("SwapTotal"); ok {
		swap = map[bool]string{true: "on", false: "off"}[total > 0]
	}
	return map[string]string{
		"memory":     memory,
		"swap":       swap,
		"thp":        chosen(f.fact("sys/kernel/mm/transparent_hugepage/enabled")),
		"thp_defrag": chosen(f.fact("sys/kernel/mm/transparent_hugepage/defrag")),
		"aslr":       f.fact("proc/sys/kernel/randomize_va_space"),
		"swappiness": f.fact("proc/sys/vm/swappiness"),
		"overcommit": f.fact("proc/sys/vm/overcommit_memory"),
	}
}

// memory is a size of /proc/meminfo in bytes. Source: proc_meminfo(5).
func (f FS) memory(key string) (bytes int64, ok bool) {
	text, _ := f.text("proc/meminfo")
	value, ok := keyed(text, key, ":")
	if !ok {
		return 0, false
	}
	kib, err := strconv.ParseInt(strings.TrimSuffix(value, " kB"), 10, 64)
	return kib << 10, err == nil
}

// networkFacts are the settings of the network stack that a server under load feels.
func (f FS) networkFacts() map[string]string {
	facts := map[string]string{}
	for _, name := range fixedFacts {
		if strings.HasPrefix(name, "net.") {
			facts[name] = f.fact("proc/sys/" + strings.ReplaceAll(name, ".", "/"))
		}
	}
	return facts
}

// mitigations are what the kernel does about each weakness of the CPU. Source:
// kernel documentation, ABI/testing/sysfs-devices-system-cpu.
func (f FS) mitigations() map[string]string {
	const dir = "sys/devices/system/cpu/vulnerabilities"
	facts := map[string]string{}
	for _, name := range f.names(dir) {
		facts[mitigationPrefix+name] = f.fact(path.Join(dir, name))
	}
	return facts
}

// momentFacts are those that change without anybody having set up anything anew.
func (f FS) momentFacts(t Topology) map[string]string {
	facts := map[string]string{
		"load":             f.fact("proc/loadavg"),
		"uptime_s":         f.fact("proc/uptime"),
		"cpu_pressure":     f.fact("proc/pressure/cpu"),
		"frequency":        f.eachCPU(t.Online, "cpufreq/scaling_cur_freq"),
		"cpus_allowed":     cpusFact(f.allowed()),
		"cpu_quota":        units.NotAvailable,
		"memory_available": units.NotAvailable,
		"swap_used":        units.NotAvailable,
		"nofile":           units.NotAvailable,
		"scalbench_sha256": f.ownHash(),
	}
	if quota, err := f.cpus.Quota(); err == nil {
		facts["cpu_quota"] = none
		if quota > 0 {
			facts["cpu_quota"] = fmt.Sprintf("%.2f CPUs", quota)
		}
	}
	if bytes, ok := f.memory("MemAvailable"); ok {
		facts["memory_available"] = units.Bytes(bytes)
	}
	if bytes, ok := f.swapUsed(); ok {
		facts["swap_used"] = units.Bytes(bytes)
	}
	if soft, hard, ok := f.descriptorLimit(); ok {
		facts["nofile"] = fmt.Sprintf("%s, at most %s", limitText(soft), limitText(hard))
	}
	return facts
}
