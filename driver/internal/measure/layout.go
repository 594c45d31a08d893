package measure

import (
	"strconv"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/suite"
)

// seat is what one instance of a variant is given.
type seat struct {
	number  int    // from 1; 0: the variant is one server
	label   string // {instance}; "": it has none
	cpus    cpuset.Set
	workers int
}

// seats are the instances of a variant on the server's CPUs.
//
// Instances have as many CPUs as they are, the lowest, so that both layouts have the same
// ones: multi a process each on one of them, single one process on all. Where there are
// fewer, processes share.
func seats(v suite.Variant, cpus cpuset.Set) []seat {
	count := v.Instances.Count
	switch v.Instances.Layout {
	case suite.Multi:
		all := cpus.CPUs()
		list := make([]seat, count)
		for i := range list {
			list[i] = seat{number: i + 1, label: v.Instances.ID + strconv.Itoa(i+1), cpus: lowest(all[i%len(all):], 1), workers: 1}
		}
		return list
	case suite.Single:
		return []seat{{label: v.Instances.ID + "1", cpus: lowest(cpus.CPUs(), count), workers: count}}
	}
	workers := v.Workers
	if workers == 0 {
		workers = cpus.Count()
	}
	return []seat{{cpus: cpus, workers: workers}}
}

// lowest are the first n CPUs of an ascending list, or all.
func lowest(cpus []int, n int) cpuset.Set {
	var set cpuset.Set
	for _, cpu := range cpus[:min(n, len(cpus))] {
		_ = set.Add(cpu) // it came from a set
	}
	return set
}
