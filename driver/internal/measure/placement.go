package measure

import (
	"fmt"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/suite"
)

// Placement is which CPUs the parts of a measurement have, for a whole session: a server
// that had more CPUs in one scenario than in another could not be compared with itself.
type Placement struct {
	Server    cpuset.Set
	Upstream  cpuset.Set // of helpers; the server's where there are too few
	Generator cpuset.Set
	// Shared: the generator has CPUs of the server's, as on a host with only one. Each
	// takes time from the other then, and the numbers mean little.
	Shared bool
}

// Sets are the CPUs by their use, as a host is examined for; upstream is left out where it
// is the server's.
func (p Placement) Sets() []host.Set {
	sets := []host.Set{{Name: "server", CPUs: p.Server}}
	if p.Upstream != p.Server {
		sets = append(sets, host.Set{Name: "upstream", CPUs: p.Upstream})
	}
	return append(sets, host.Set{Name: "generator", CPUs: p.Generator})
}

// ChoosePlacement completes what a suite says from the CPUs that this process may use, as
// `scalbench load` chooses: a single CPU is shared; of two the server has the lower; of
// more the lower half, the generator has the rest. upstream says that helpers run beside
// the server: what the server would have is then halved between the two, and the odd CPU
// is the upstream's, which must not be the limit.
//
// The error says which CPUs this process may not use, or that the suite leaves none for
// some part.
func ChoosePlacement(said suite.Placement, allowed cpuset.Set, upstream bool) (Placement, error) {
	none := cpuset.Set{}
	p := Placement{Server: said.Server, Upstream: said.Upstream, Generator: said.Generator}
	taken := said.Server.Union(said.Upstream).Union(said.Generator)
	if outside := taken.Minus(allowed); outside != none {
		return Placement{}, fmt.Errorf("placement: CPUs %s, this process may only use %s", outside, allowed)
	}
	if p.Generator == none {
		p.Generator = allowed.UpperHalf()
		if rest := allowed.Minus(taken); taken != none {
			p.Generator = rest
		}
	}
	if p.Server == none {
		p.Server = allowed.Minus(p.Generator).Minus(said.Upstream)
		if said.Generator == none && allowed.Count() == 1 {
			p.Server = allowed
		}
		if upstream && said.Upstream == none && p.Server.Count() > 1 {
			p.Server, p.Upstream = p.Server.LowerHalf(), p.Server.UpperHalf()
		}
	}
	if p.Upstream == none {
		p.Upstream = p.Server
	}
	if p.Server == none || p.Generator == none {
		return Placement{}, fmt.Errorf("placement: of CPUs %s the suite leaves %q for the server and %q for the generator", allowed, p.Server, p.Generator)
	}
	p.Shared = p.Server.Intersect(p.Generator) != none
	return p, nil
}

// needsUpstream reports whether any helper runs beside the server.
func needsUpstream(s *suite.Suite) bool {
	beside := func(helpers []suite.Helper) bool {
		for _, h := range helpers {
			if h.CPUs == suite.BesideServer {
				return true
			}
		}
		return false
	}
	for _, sc := range s.Scenarios {
		if beside(sc.Helpers) {
			return true
		}
	}
	return beside(s.Helpers)
}
