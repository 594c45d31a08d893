package measure

import (
	"fmt"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/host"
)

// MoveAside keeps this process off the CPUs of servers, helpers and generator, with all that
// looks at them from here, until [Bench.MoveBack]; false when the host has no other CPU for
// it. The CPUs that this process may use are to be looked at before.
func (b *Bench) MoveAside() (moved bool, err error) {
	to := aside(b.allowed, b.placement, host.NewFS("/").Topology().Siblings)
	if to == (cpuset.Set{}) {
		return false, nil
	}
	if err := cpuset.SetProcess(to); err != nil {
		return false, fmt.Errorf("keep off the CPUs of what is measured: %w", err)
	}
	b.aside = true
	return true, nil
}

// MoveBack ends that.
func (b *Bench) MoveBack() error {
	if !b.aside {
		return nil
	}
	b.aside = false
	return cpuset.SetProcess(b.allowed)
}

// aside are the CPUs that nothing is measured on, without their siblings if any are left
// then: those share execution units with what is measured.
func aside(allowed cpuset.Set, p Placement, siblings func(cpuset.Set) cpuset.Set) cpuset.Set {
	used := p.Server.Union(p.Upstream).Union(p.Generator)
	free := allowed.Minus(used)
	if apart := free.Minus(siblings(used)); apart != (cpuset.Set{}) {
		return apart
	}
	return free
}
