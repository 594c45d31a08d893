package serverproc

import (
	"errors"
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// Subject is a tree to look at.
type Subject struct {
	PID  int   // the server
	Tree []int // its processes, PID among them ([Server.Tree])
	// Siblings are the processes of other instances that share the server's ports.
	Siblings []int
	Ports    []Port // to look at; nil: none
}

// Subject returns the server's tree as it is now, to look at with the ports. The error is
// that of [Server.Tree].
func (s *Server) Subject(ports []Port) (Subject, error) {
	tree, err := s.Tree()
	return Subject{PID: s.pid, Tree: tree, Ports: ports}, err
}

// Observation is what was seen of a tree at one moment.
type Observation struct {
	// Gone: the server's process has ended, or is a zombie. Nothing else is set.
	Gone bool

	Server  ProcessFacts
	Members []Member // of the tree, the server included; zombies left out
	Ports   []PortFacts
	// PortsSkipped: the ports were not looked at this time, since that had cost too
	// much. Ports is nil.
	PortsSkipped bool
}

// Observer looks at trees. It remembers the hashes of executables, so one serves a
// whole session; its methods may be called from several goroutines.
type Observer struct {
	proc string
	fs   procfs.FS
	sums hashes
}

// NewObserver returns one for the proc file system mounted at proc, "/proc" for this
// host.
func NewObserver(proc string) *Observer {
	return &Observer{proc: proc, fs: procfs.NewFS(proc)}
}

// Observe looks once. What this user may not read is n/a in the observation; an error
// is something that the kernel should not have said.
func (o *Observer) Observe(s Subject) (Observation, error) {
	seen, err := o.observeTree(s)
	if err != nil || seen.Gone {
		return seen, err
	}
	seen.Ports = o.observePorts(s)
	return seen, nil
}

func (o *Observer) observeTree(s Subject) (Observation, error) {
	if stat, err := o.fs.Stat(s.PID); errors.Is(err, procfs.ErrGone) || err == nil && isZombie(stat) {
		return Observation{Gone: true}, nil
	}
	server, err := o.processFacts(s.PID)
	if errors.Is(err, procfs.ErrGone) {
		return Observation{Gone: true}, nil
	}
	if err != nil {
		return Observation{}, fmt.Errorf("observe server: %w", err)
	}
	seen := Observation{Server: server}
	for _, pid := range s.Tree {
		m, err := o.member(pid)
		if errors.Is(err, procfs.ErrGone) {
			continue
		}
		if err != nil {
			return Observation{}, fmt.Errorf("observe server: %w", err)
		}
		seen.Members = append(seen.Members, m)
	}
	return seen, nil
}

func (o *Observer) observePorts(s Subject) (seen []PortFacts) {
	for _, p := range s.Ports {
		seen = append(seen, o.portFacts(s, p))
	}
	return seen
}

// isZombie reports whether a process has ended and only waits to be reaped. A main
// thread may end before the others.
func isZombie(s procfs.Stat) bool { return (s.State == 'Z' || s.State == 'X') && s.Threads <= 1 }

// portBudget is how often the time that a look at the ports took has to pass before
// the next: half a percent of a CPU. Which process holds a socket is only told by the
// descriptors of every process, and a host may have many.
const portBudget = 200

// Watch returns a function that observes, for a [Sampler]. It asks for the subject
// each time, since a tree changes, and leaves the ports out where looking at them
// would cost more than half a percent of a CPU. now is the clock, time.Now but for
// tests.
func (o *Observer) Watch(subject func() (Subject, error), now func() time.Time) func() (Observation, error) {
	var portsNext time.Time
	return func() (Observation, error) {
		s, err := subject()
		if errors.Is(err, procfs.ErrGone) {
			return Observation{Gone: true}, nil
		}
		if err != nil {
			return Observation{}, err
		}
		seen, err := o.observeTree(s)
		if err != nil || seen.Gone {
			return seen, err
		}
		begin := now()
		if seen.PortsSkipped = len(s.Ports) > 0 && begin.Before(portsNext); !seen.PortsSkipped {
			seen.Ports = o.observePorts(s)
			end := now()
			portsNext = end.Add(portBudget * end.Sub(begin))
		}
		return seen, nil
	}
}
