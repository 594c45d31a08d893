package host

import (
	"maps"
	"slices"
	"strings"
)

// Facts are what was found out about a host. A fact that the host, or this user,
// cannot tell is "n/a"; one of which there is nothing is "none".
type Facts struct {
	Name   string `json:"name"`
	BootID string `json:"boot_id,omitempty"`

	// Fixed must be equal for rounds of two sessions to form one gate: what the
	// machine is, and how its system is set up. [FixedFacts] lists the names.
	Fixed map[string]string `json:"fixed"`
	// Now are facts of the moment and of this process: load, frequencies, free
	// memory, limits, versions of tools.
	Now map[string]string `json:"now"`
}

// Facts reads the fingerprint of the host. It takes some milliseconds, and the time
// of hashing the running executable.
func (f FS) Facts() Facts {
	boot, _ := f.text("proc/sys/kernel/random/boot_id")
	t := f.Topology()
	return Facts{
		Name:   f.fact("proc/sys/kernel/hostname"),
		BootID: boot,
		Fixed:  f.fixed(t),
		Now:    f.momentFacts(t),
	}
}

// fixed are the facts that must be equal.
func (f FS) fixed(t Topology) map[string]string {
	facts := map[string]string{}
	maps.Copy(facts, f.cpuFacts(t))
	maps.Copy(facts, f.systemFacts())
	maps.Copy(facts, f.memoryFacts())
	maps.Copy(facts, f.networkFacts())
	maps.Copy(facts, f.mitigations())
	return facts
}

// mitigationPrefix begins the name of a fact about a weakness of the CPU:
// "mitigation.meltdown". Which ones there are depends on the kernel.
const mitigationPrefix = "mitigation."

// fixedFacts are the names of all fixed facts but the mitigations. A suite may
// require a value of each.
var fixedFacts = []string{
	"cpu_model", "microcode", "cpu_flags", "sockets", "cores", "cpus", "smt", "numa",
	"governor", "frequency_driver", "frequency_limits", "turbo", "idle_driver", "isolated", "nohz_full",
	"machine", "distribution", "kernel", "kernel_build", "cmdline", "lsm", "clocksource", "virtualization", "container", "cgroup", "irqbalance",
	"memory", "swap", "thp", "thp_defrag", "aslr", "swappiness", "overcommit",
	"net.core.somaxconn", "net.core.netdev_max_backlog", "net.core.rmem_max", "net.core.wmem_max",
	"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_max_syn_backlog",
	"net.ipv4.tcp_congestion_control", "net.ipv4.ip_local_port_range",
}

// FixedFacts returns the names of the fixed facts that every host has, in the order
// in which they are told. Names that begin with "mitigation." come on top.
func FixedFacts() []string { return slices.Clone(fixedFacts) }

// isFixedFact reports whether a fact of this name can be asked for.
func isFixedFact(name string) bool {
	return slices.Contains(fixedFacts, name) || strings.HasPrefix(name, mitigationPrefix)
}
