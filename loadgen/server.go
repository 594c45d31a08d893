package loadgen

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// findProcesses finds out whose the server is: the process that was named, or
// all that hold the listening socket, with everything they have started. When
// it cannot be told, the run goes on without, and says why.
func (s *server) findProcesses(pid int) {
	if pid == ServerNone {
		return
	}
	fs := procfs.NewFS("/proc")
	pids, err := s.processes(fs, pid)
	if err == nil && slices.Contains(pids, os.Getpid()) {
		err = errors.New("the server runs in the generator's own process")
	}
	if err == nil {
		s.cpus, err = allowed(fs, pids)
	}
	if err != nil {
		w := warningf(ServerUnknown, "what the server uses is not known: %v", err)
		s.warning = &w
		return
	}
	s.pids = pids
}

func (s *server) processes(fs procfs.FS, pid int) ([]int, error) {
	if pid != ServerAuto {
		return trees(fs, []int{pid})
	}
	owners, err := fs.ListenerOwners(s.address)
	if err != nil {
		return nil, err
	}
	if owners.Access == procfs.AccessDenied {
		return nil, fmt.Errorf("the listener at %s belongs to a process of another user", s.address)
	}
	return trees(fs, owners.PIDs)
}

// trees returns the processes with all that descend from them, ascending. This
// process and what it has started are no part of a server, even where a server
// has started us.
func trees(fs procfs.FS, roots []int) ([]int, error) {
	own, err := fs.Tree(os.Getpid())
	if err != nil {
		return nil, err
	}
	var all []int
	for _, root := range roots {
		tree, err := fs.Tree(root)
		if errors.Is(err, procfs.ErrGone) && len(roots) > 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, pid := range tree {
			if pid == root || !slices.Contains(own, pid) {
				all = append(all, pid)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// allowed returns the CPUs that any of the processes may run on.
func allowed(fs procfs.FS, pids []int) (cpuset.Set, error) {
	var all cpuset.Set
	for _, pid := range pids {
		set, err := fs.Allowed(pid)
		if err != nil {
			return all, err
		}
		all = all.Union(set)
	}
	return all, nil
}
