package host

import (
	"testing"

	"github.com/scalws/scalbench/internal/cpuset"
)

func TestTopology(t *testing.T) {
	m := machineOf(t, "xeon")
	topology := m.fs().Topology()
	for _, tt := range []struct {
		set, siblings, sockets string
		nodes                  []int
	}{
		{"0-3", "16-19", "0-7,16-23", []int{0}}, // CPU i has the sibling i+16
		{"0,16", "", "0-7,16-23", []int{0}},     // a whole core
		{"7-8", "23-24", "0-31", []int{0, 1}},
		{"", "", "", nil},
	} {
		s := cpus(t, tt.set)
		check(t, "siblings of "+tt.set, topology.Siblings(s), cpus(t, tt.siblings))
		check(t, "sockets of "+tt.set, topology.Sockets(s), cpus(t, tt.sockets))
		check(t, "nodes of "+tt.set, topology.NodesOf(s), tt.nodes)
	}
}

// Without sysfs, as in some containers, the CPUs are those that spend time.
func TestTopologyWithoutSysfs(t *testing.T) {
	m := machineOf(t, "vm")
	m.remove("sys")
	topology := m.fs().Topology()
	check(t, "online", topology.Online, cpus(t, "0-1"))
	check(t, "siblings", topology.Siblings(topology.Online), cpuset.Set{})
	if topology.Nodes != nil {
		t.Errorf("nodes %v", topology.Nodes)
	}
}
