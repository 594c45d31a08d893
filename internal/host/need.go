package host

import (
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// Need is what a session is going to use of a host. The zero value asks only what
// the host is like.
type Need struct {
	// Sets are the CPUs by their use; none: all that are online.
	Sets []Set
	// MayOverlap: sets may have CPUs in common, as on a host with one or two of
	// them. It is a warning then.
	MayOverlap bool

	Connections int    // at a time, of the generator to the servers
	Ports       []Port // that servers and helpers are going to listen on

	// ResultsDir is where files go; it need not exist yet. "": disk space is not
	// looked at.
	ResultsDir string
	// DiskBytes and MemoryBytes are what has to be free. Zero: 256 MiB and 512 MiB.
	DiskBytes, MemoryBytes int64

	// Watch is how long the host is watched for what moves: who uses the CPUs, what
	// the hypervisor takes, whether memory is swapped. 0: 1 s.
	Watch time.Duration

	// Require are facts that must have a value, as "governor=performance".
	Require []string
}

// Set is CPUs with a use.
type Set struct {
	Name string // server, upstream, generator, driver
	CPUs cpuset.Set
}

// Port is one that has to be free.
type Port struct {
	Network procfs.Network
	Number  uint16
}

func (p Port) String() string { return fmt.Sprintf("%s port %d", p.Network, p.Number) }

// What is free at least, and how long the host is watched, when a session does not say.
const (
	defaultWatch       = time.Second
	defaultDiskBytes   = 256 << 20
	defaultMemoryBytes = 512 << 20
)

func (n Need) diskBytes() int64 {
	if n.DiskBytes == 0 {
		return defaultDiskBytes
	}
	return n.DiskBytes
}

func (n Need) memoryBytes() int64 {
	if n.MemoryBytes == 0 {
		return defaultMemoryBytes
	}
	return n.MemoryBytes
}

func (n Need) watch() time.Duration {
	if n.Watch == 0 {
		return defaultWatch
	}
	return n.Watch
}

// cpus are the CPUs of all sets, or those that are online when there is none.
func (n Need) cpus(t Topology) cpuset.Set {
	var all cpuset.Set
	for _, s := range n.Sets {
		all = all.Union(s.CPUs)
	}
	if all == (cpuset.Set{}) {
		return t.Online
	}
	return all
}
