package host

import (
	"fmt"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
)

// checkSets wants CPUs that are there, that this process may use, and that no other
// set has.
func (e examination) checkSets() []Finding {
	const name = "sets"
	var found []Finding
	allowed := e.f.allowed()
	for i, s := range e.need.Sets {
		if s.CPUs == (cpuset.Set{}) {
			found = append(found, findingf(name, Refuse, "the %s has no CPU", s.Name))
			continue
		}
		if off := s.CPUs.Minus(e.topology.Online); off != (cpuset.Set{}) && e.topology.Online != (cpuset.Set{}) {
			found = append(found, findingf(name, Refuse, "CPUs %s of the %s are not online; online are %s", off, s.Name, e.topology.Online))
		} else if denied := s.CPUs.Minus(allowed); denied != (cpuset.Set{}) && allowed != (cpuset.Set{}) {
			found = append(found, findingf(name, Refuse, "CPUs %s of the %s are not among those that this process may use, %s", denied, s.Name, allowed))
		}
		for _, other := range e.need.Sets[i+1:] {
			if shared := s.CPUs.Intersect(other.CPUs); shared != (cpuset.Set{}) {
				level := Refuse
				if e.need.MayOverlap {
					level = Warn
				}
				found = append(found, findingf(name, level, "%s and %s share CPUs %s: each takes time from the other", s.Name, other.Name, shared))
			}
		}
	}
	if found == nil && len(e.need.Sets) > 0 {
		found = one(findingf(name, OK, "%s: apart, online and ours", setsText(e.need.Sets)))
	}
	return found
}

// setsText is "server 0-3, generator 8-15".
func setsText(sets []Set) string {
	texts := make([]string, len(sets))
	for i, s := range sets {
		texts[i] = fmt.Sprintf("%s %s", s.Name, s.CPUs)
	}
	return strings.Join(texts, ", ")
}

// checkSiblings wants no core that works for two sets, and tells of siblings that
// are left to whoever comes.
func (e examination) checkSiblings() []Finding {
	const name = "siblings"
	if len(e.topology.siblings) == 0 {
		return one(findingf(name, NA, "this host does not tell which CPUs share a core"))
	}
	var found []Finding
	var ours, free cpuset.Set
	for _, s := range e.need.Sets {
		ours = ours.Union(s.CPUs)
	}
	for i, s := range e.need.Sets {
		siblings := e.topology.Siblings(s.CPUs)
		free = free.Union(siblings.Minus(ours))
		for _, other := range e.need.Sets[i+1:] {
			if shared := siblings.Intersect(other.CPUs); shared != (cpuset.Set{}) {
				found = append(found, findingf(name, Warn, "CPUs %s of the %s share their cores with the %s: each slows the other", shared, other.Name, s.Name))
			}
		}
	}
	if free != (cpuset.Set{}) {
		found = append(found, findingf(name, Note, "CPUs %s share cores with the sets and are in none: foreign work there slows us", free))
	}
	if found == nil && len(e.need.Sets) > 0 {
		found = one(findingf(name, OK, "no set shares a core with anything else"))
	}
	return found
}

// checkNodes wants each set near to its memory.
func (e examination) checkNodes() []Finding {
	const name = "numa"
	if e.topology.Nodes == nil {
		return one(findingf(name, NA, "this host does not tell its NUMA nodes"))
	}
	var found []Finding
	for _, s := range e.need.Sets {
		if nodes := e.topology.NodesOf(s.CPUs); len(nodes) > 1 {
			found = append(found, findingf(name, Warn, "the %s is on NUMA nodes %s: where its memory lies is chance", s.Name, joined(nodes)))
		}
	}
	if found == nil && len(e.need.Sets) > 0 {
		found = one(findingf(name, OK, "each set is on one NUMA node"))
	}
	return found
}

// joined is "0 and 1", or "0, 1 and 2".
func joined(numbers []int) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
	if i := strings.LastIndex(text, ", "); i >= 0 {
		text = text[:i] + " and " + text[i+2:]
	}
	return text
}

// allowed are the CPUs that any thread of this process may use; empty when that
// cannot be read. All threads are asked, since one may be pinned for a while.
func (f FS) allowed() cpuset.Set {
	const dir = "proc/self/task"
	var all cpuset.Set
	for _, thread := range f.names(dir) {
		status, _ := f.text(dir + "/" + thread + "/status")
		list, _ := keyed(status, "Cpus_allowed_list", ":")
		if cpus, err := cpuset.Parse(list); err == nil {
			all = all.Union(cpus)
		}
	}
	return all
}
