package loadgen

import (
	"github.com/scalws/scalbench/internal/cpuset"
)

// placement says which CPUs the workers get, and what there is to know of it.
type placement struct {
	cpus     []int // one for each worker; -1: not pinned
	warnings []Warning
}

// place chooses the CPUs of the workers and fills them into the plan, so that
// its echo says what was done.
//
// For a server on this host the generator takes the upper half of the CPUs that
// the process may use, less those the server is bound to, as long as that
// leaves any; for a remote one, all. Where CPUs differ in speed nothing is
// pinned: which of them a worker sits on would decide the result.
func place(p Plan, s server) (Plan, placement, error) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		return p, placement{}, err
	}
	var pl placement
	switch chosen := p.CPUs != (cpuset.Set{}); {
	case chosen && p.CPUs.Intersect(allowed) != p.CPUs:
		return p, pl, faultf("cpus %s: this process may only use %s", p.CPUs, allowed)
	case chosen:
	case !s.local:
		p.CPUs = allowed
	default:
		p.CPUs = allowed.UpperHalf()
		if rest := p.CPUs.Minus(s.cpus); s.cpus != allowed && rest.Count() > 0 {
			p.CPUs = rest
		}
		if allowed.Count() == 1 {
			pl.warnings = append(pl.warnings, warningf(SharedCPU, "server and generator share CPU %s: each takes time from the other", allowed))
		}
	}
	if s.local && len(pl.warnings) == 0 && s.cpus.Count() > 0 && s.cpus.Minus(p.CPUs).Count() == 0 {
		pl.warnings = append(pl.warnings, warningf(SharedCPU, "the server may only use CPUs of the generator, %s: each takes time from the other", p.CPUs))
	}
	if cpuset.Heterogeneous(p.CPUs) {
		p.NoPin = true
	}
	if p.NoPin {
		pl.warnings = append(pl.warnings, warningf(NotPinned, "workers are not pinned to CPUs"))
	}
	pl.warnings = append(pl.warnings, quotaWarning(p.CPUs)...)
	for _, cpu := range p.CPUs.CPUs()[:min(p.CPUs.Count(), p.Connections)] {
		if p.NoPin {
			cpu = -1
		}
		pl.cpus = append(pl.cpus, cpu)
	}
	return p, pl, nil
}

// quotaWarning tells when a cgroup gives less CPU time than the workers can use.
func quotaWarning(cpus cpuset.Set) []Warning {
	quota, err := cpuset.Quota()
	if err != nil || quota == 0 || quota >= float64(cpus.Count()) {
		return nil
	}
	return []Warning{warningf(CPUQuota, "a cgroup quota of %.2f CPUs may stop the %d workers for part of each period", quota, cpus.Count())}
}

// share splits n among k so that the parts differ by at most one; i is the part.
func share(n int64, k, i int) int64 {
	part := n / int64(k)
	if int64(i) < n%int64(k) {
		part++
	}
	return part
}
