package host

import (
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Watch is what a sampler looks at.
type Watch struct {
	// Sets are the CPUs that are used, with the processes that use them.
	Sets []WatchedSet
	// Own are more roots of process trees that are not foreign, wherever they run:
	// the driver itself.
	Own []int
	// Interval is how often is looked; zero: a second.
	Interval time.Duration
	// Limits are those of [Limits.Judge].
	Limits Limits
}

// WatchedSet is a set with what is own on it.
type WatchedSet struct {
	Name string
	CPUs cpuset.Set
	// Roots are the processes that were started on these CPUs; all below them belong
	// to them.
	Roots []int
	// Server: the limit of foreign work holds for this set. Its processes are those
	// whose involuntary switches are counted.
	Server bool
}

const defaultInterval = time.Second

func (w Watch) interval() time.Duration {
	if w.Interval == 0 {
		return defaultInterval
	}
	return w.Interval
}

// Role is why CPUs are looked at.
type Role string

// Roles of areas.
const (
	RoleServer   Role = "server"   // a set of which foreign work is judged
	RoleSet      Role = "set"      // another set
	RoleSiblings Role = "siblings" // share cores with a set, and are in none
	RoleSocket   Role = "socket"   // share a socket, with its caches and its power, with a set
)

// area is CPUs that are looked at together.
type area struct {
	name string
	role Role
	cpus cpuset.Set
	sets []int // those of the watch that have CPUs in it
}

// areas are the sets, the siblings of their CPUs and the rest of their sockets, each
// CPU in one of them if the sets are apart.
func (w Watch) areas(t Topology) ([]area, error) {
	var areas []area
	var all cpuset.Set
	for _, s := range w.Sets {
		if missing := s.CPUs.Minus(t.Online); s.CPUs == (cpuset.Set{}) || missing != (cpuset.Set{}) {
			return nil, fmt.Errorf("watch the %s: CPUs %q, of which %q are not online", s.Name, s.CPUs, missing)
		}
		role := RoleSet
		if s.Server {
			role = RoleServer
		}
		areas = append(areas, area{name: s.Name, role: role, cpus: s.CPUs, sets: w.setsOn(s.CPUs)})
		all = all.Union(s.CPUs)
	}
	siblings := t.Siblings(all)
	if siblings != (cpuset.Set{}) {
		areas = append(areas, area{name: "siblings", role: RoleSiblings, cpus: siblings})
	}
	if rest := t.Sockets(all).Minus(all).Minus(siblings); rest != (cpuset.Set{}) {
		areas = append(areas, area{name: "sockets", role: RoleSocket, cpus: rest})
	}
	return areas, nil
}

// setsOn are the sets that have one of the CPUs. Where they overlap, what is own on
// either is taken for own on both.
func (w Watch) setsOn(cpus cpuset.Set) []int {
	var sets []int
	for i, s := range w.Sets {
		if s.CPUs.Intersect(cpus) != (cpuset.Set{}) {
			sets = append(sets, i)
		}
	}
	return sets
}
