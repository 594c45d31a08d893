package suite

import (
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Placement is which CPUs the parts of a measurement have. An empty set is chosen
// later, from what the process may use.
type Placement struct {
	Server    cpuset.Set
	Upstream  cpuset.Set // of helpers and applications; may be the server's
	Generator cpuset.Set // none of the others'
}

// Quiet is the host that a round may begin on. A suite's is complete: the default is
// a load of 2, 2 % busy, and the time of the plan's preset.
type Quiet struct {
	Load1    float64       // load average of a minute, below
	BusyFrac float64       // busy share of the CPUs of the placement, below; 0 to 1
	Timeout  time.Duration // for how long that is waited for; 0: not at all
}

// With takes the time from a preset.
func (q Quiet) With(p Preset) Quiet {
	q.Timeout = p.Quiet
	return q
}

// Requirement is a fact of the host without which nothing is measured:
// governor=performance. Who knows the facts knows the keys.
type Requirement struct {
	Key, Value string
}

// String returns KEY=VALUE, the form of the file.
func (r Requirement) String() string { return r.Key + "=" + r.Value }
