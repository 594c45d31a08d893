package host

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checkContainers warns of containers and virtual machines that run: they start work
// of their own accord. They are known by the control groups of their processes, and
// virtual machines also by the names of the programs that run them.
func (e examination) checkContainers() []Finding {
	const name = "containers"
	if len(e.after.processes) == 0 {
		return one(findingf(name, NA, "the processes of this host cannot be seen"))
	}
	ours := guestOf(e.f.ownGroup())
	running := map[string]bool{}
	for pid, p := range e.after.processes {
		if p.Kernel() {
			continue
		}
		group, err := e.f.proc.Cgroup(pid)
		if err != nil {
			continue
		}
		switch guest := guestOf(group); {
		case guest != "" && guest != ours:
			running[guest] = true
		case guest == "" && isHypervisor(p.Comm):
			running[p.Comm] = true
		}
	}
	if len(running) == 0 {
		return one(findingf(name, OK, "no container and no virtual machine runs here"))
	}
	names := slices.Sorted(maps.Keys(running))
	more := ""
	if len(names) > listed {
		names, more = names[:listed], " and others"
	}
	return one(findingf(name, Warn, "running here: %s%s", strings.Join(names, ", "), more))
}

// ownGroup is the control group of this process, "" when it is not known.
func (f FS) ownGroup() string {
	stat, _ := f.text("proc/self/stat")
	first, _, _ := strings.Cut(stat, " ")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return ""
	}
	group, _ := f.proc.Cgroup(pid)
	return group
}

// guestGroups are parts of control groups' names that container engines and libvirt
// give to what they run.
var guestGroups = []string{"docker", "libpod", "containerd", "crio", "kubepods", "lxc", "machine-qemu", "machine.slice", "nspawn", "garden"}

// guestOf returns the part of a control group that names a container or a virtual
// machine, "" when it is neither: of "/system.slice/docker-0123.scope/init" it is
// "docker-0123.scope", of "/docker/0123/init" it is "docker/0123". Services of the
// engines themselves (docker.service) are none.
func guestOf(group string) string {
	parts := strings.Split(group, "/")
	for i, part := range parts {
		engine := slices.IndexFunc(guestGroups, func(g string) bool { return strings.Contains(part, g) })
		switch {
		case engine < 0, strings.HasSuffix(part, ".service"):
		case i+1 < len(parts) && (part == guestGroups[engine] || strings.HasSuffix(part, ".slice")):
			return part + "/" + parts[i+1]
		default:
			return part
		}
	}
	return ""
}

// isHypervisor knows the programs that run a virtual machine.
func isHypervisor(comm string) bool {
	for _, program := range []string{"qemu", "firecracker", "cloud-hyperviso", "VBoxHeadless", "vmware-vmx"} {
		if strings.HasPrefix(comm, program) {
			return true
		}
	}
	return false
}

// eaterCores is how much of a CPU a process may use before it is told of.
const eaterCores = 0.05

// checkBusy warns of processes that use the CPUs now. They are found by what they
// use and not by a list of names such as make or dnf: one that sleeps does no harm,
// and the next to come is on no list.
func (e examination) checkBusy() []Finding {
	const name = "busy"
	if len(e.before.processes) == 0 || len(e.after.processes) == 0 {
		return one(findingf(name, NA, "the processes of this host cannot be seen"))
	}
	eaters := e.f.busiest(e.before.moment, e.after.moment, e.cpus)
	eaters = slices.DeleteFunc(eaters, func(c Consumer) bool { return c.Cores < eaterCores })
	if len(eaters) == 0 {
		return one(findingf(name, OK, "no process used more than %.2f CPUs", eaterCores))
	}
	return one(findingf(name, Warn, "using the CPUs now: %s", consumersText(eaters)))
}
