package loadgen

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// findProcesses finds out whose the server is: the processes that were named with
// all that descend from them, or those that hold the listening socket (of which a
// server's workers are some; what else the listener may have started need not
// belong to it). When it cannot be told, the run goes on without, and says why.
func (s *server) findProcesses(p Protocol, pids []int) {
	if pids[0] == ServerNone {
		return
	}
	s.processes = processes{fs: procfs.NewFS("/proc"), roots: pids, descend: pids[0] != ServerAuto}
	err := error(nil)
	if pids[0] == ServerAuto {
		s.processes.roots, err = owners(s.processes.fs, p, s.address)
	}
	if err == nil && slices.Contains(s.processes.roots, os.Getpid()) {
		err = errors.New("the server runs in the generator's own process")
	}
	if err == nil {
		s.cpus, err = s.processes.allowed()
	}
	if err != nil {
		w := warningf(ServerUnknown, "what the server uses is not known: %v", err)
		s.warning = &w
		s.processes = processes{}
	}
}

// owners returns the processes that hold the listening socket at an address.
func owners(fs procfs.FS, p Protocol, address netip.AddrPort) ([]int, error) {
	find := fs.ListenerOwners
	if p == HTTP3 {
		find = fs.UDPOwners
	}
	owners, err := find(address)
	if err != nil {
		return nil, err
	}
	if owners.Access == procfs.AccessDenied {
		return nil, fmt.Errorf("the listener at %s belongs to a process of another user", address)
	}
	return owners.PIDs, nil
}

// processes is a server's processes. The zero value is nobody.
type processes struct {
	fs      procfs.FS
	roots   []int // as they were found; the first stands for all
	descend bool  // with all that descend from them
}

// list returns the processes there are now, ascending. Where a server has
// started us, this process and what it has started are no part of it.
func (p processes) list() ([]int, error) {
	if !p.descend {
		return p.roots, nil
	}
	own, err := p.fs.Tree(os.Getpid())
	if err != nil {
		return nil, err
	}
	var all []int
	for _, root := range p.roots {
		tree, err := p.fs.Tree(root)
		if err != nil {
			return nil, err
		}
		ourChild := slices.Contains(own, root)
		for _, pid := range tree {
			if ourChild || !slices.Contains(own, pid) {
				all = append(all, pid)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// allowed returns the CPUs that any of the processes may run on.
func (p processes) allowed() (cpuset.Set, error) {
	var all cpuset.Set
	pids, err := p.list()
	if err != nil {
		return all, err
	}
	for _, pid := range pids {
		set, err := p.fs.Allowed(pid)
		if errors.Is(err, procfs.ErrGone) && len(pids) > 1 {
			continue
		}
		if err != nil {
			return all, err
		}
		all = all.Union(set)
	}
	return all, nil
}
