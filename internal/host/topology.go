package host

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Topology is which CPUs there are and what they share.
type Topology struct {
	// Online are the CPUs that programs may run on; empty when the host does not
	// tell.
	Online cpuset.Set
	// Nodes are the online CPUs of each NUMA node that has any; nil when the host
	// does not tell.
	Nodes map[int]cpuset.Set

	sockets  map[int]cpuset.Set // by package number
	siblings map[int]cpuset.Set // by CPU, itself among them
}

// Topology reads what sysfs tells. Source: kernel documentation,
// admin-guide/cputopology.rst.
func (f FS) Topology() Topology {
	t := Topology{Online: f.online(), sockets: map[int]cpuset.Set{}, siblings: map[int]cpuset.Set{}}
	for _, cpu := range t.Online.CPUs() {
		dir := cpuDir(cpu) + "/topology"
		// Kernels before 5.1 know the file by the older name only; both are there since.
		list, ok := f.text(dir + "/thread_siblings_list")
		if siblings, err := cpuset.Parse(list); ok && err == nil {
			t.siblings[cpu] = siblings.Intersect(t.Online)
		}
		if socket, ok := f.number(dir + "/physical_package_id"); ok {
			s := t.sockets[int(socket)]
			_ = s.Add(cpu) // it came out of a set
			t.sockets[int(socket)] = s
		}
	}
	for _, name := range f.names("sys/devices/system/node") {
		node, err := strconv.Atoi(strings.TrimPrefix(name, "node"))
		if err != nil {
			continue // "online", "possible" and the like
		}
		list, _ := f.text("sys/devices/system/node/" + name + "/cpulist")
		if cpus, err := cpuset.Parse(list); err == nil && cpus != (cpuset.Set{}) {
			if t.Nodes == nil {
				t.Nodes = map[int]cpuset.Set{}
			}
			t.Nodes[node] = cpus
		}
	}
	return t
}

// online reads the list of CPUs, or takes those that have spent time.
func (f FS) online() cpuset.Set {
	if list, ok := f.text("sys/devices/system/cpu/online"); ok {
		if online, err := cpuset.Parse(list); err == nil {
			return online
		}
	}
	work, err := f.proc.CPUWork()
	if err != nil {
		return cpuset.Set{}
	}
	online, err := cpuset.Of(slices.Collect(maps.Keys(work))...)
	if err != nil {
		return cpuset.Set{} // more CPUs than a set holds
	}
	return online
}

// cpuDir is the directory of a CPU.
func cpuDir(cpu int) string { return fmt.Sprintf("sys/devices/system/cpu/cpu%d", cpu) }

// Siblings returns the CPUs outside of a set that share a core with one inside;
// none where the host does not tell.
func (t Topology) Siblings(s cpuset.Set) cpuset.Set {
	var all cpuset.Set
	for _, cpu := range s.CPUs() {
		all = all.Union(t.siblings[cpu])
	}
	return all.Minus(s)
}

// Sockets returns all CPUs of the sockets that a set is on, those of the set among
// them; none where the host does not tell.
func (t Topology) Sockets(s cpuset.Set) cpuset.Set {
	var all cpuset.Set
	for _, cpus := range t.sockets {
		if cpus.Intersect(s) != (cpuset.Set{}) {
			all = all.Union(cpus)
		}
	}
	return all
}

// NodesOf returns the NUMA nodes that a set is on, ascending.
func (t Topology) NodesOf(s cpuset.Set) []int {
	var nodes []int
	for _, node := range slices.Sorted(maps.Keys(t.Nodes)) {
		if t.Nodes[node].Intersect(s) != (cpuset.Set{}) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// cores counts groups of siblings.
func (t Topology) cores() int {
	cores := map[cpuset.Set]bool{}
	for _, siblings := range t.siblings {
		cores[siblings] = true
	}
	return len(cores)
}
