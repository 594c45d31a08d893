package host

import (
	"context"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Examine holds the host against a need and returns what each check says, in the
// order in which a person reads them. It takes as long as the need says. The error is
// the context's.
func (f FS) Examine(ctx context.Context, need Need, clock Clock) ([]Finding, error) {
	e := examination{f: f, need: need, topology: f.Topology()}
	e.cpus = need.cpus(e.topology)
	e.before = f.glance(clock)
	if err := clock.Sleep(ctx, need.watch()); err != nil {
		return nil, err
	}
	e.after = f.glance(clock)

	var findings []Finding
	for _, check := range []func(examination) []Finding{
		examination.checkSets,
		examination.checkSiblings,
		examination.checkNodes,
		examination.checkGovernor,
		examination.checkTurbo,
		examination.checkASLR,
		examination.checkTHP,
		examination.checkVirtualization,
		examination.checkSteal,
		examination.checkMemory,
		examination.checkSwap,
		examination.checkDisk,
		examination.checkDescriptors,
		examination.checkPorts,
		examination.checkLocalPorts,
		examination.checkContainers,
		examination.checkBusy,
		examination.checkRequire,
	} {
		findings = append(findings, check(e)...)
	}
	return findings, nil
}

// examination is what the checks look at.
type examination struct {
	f        FS
	need     Need
	topology Topology
	cpus     cpuset.Set // those that the session uses

	before, after glance
}

// one is the result of a check that has one thing to say.
func one(f Finding) []Finding { return []Finding{f} }

// glance is one look at what moves; what cannot be read is nil.
type glance struct {
	moment
	swapped *int64 // pages written to and read from swap since boot
}

func (f FS) glance(clock Clock) glance {
	g := glance{moment: f.moment(clock)}
	vmstat, _ := f.text("proc/vmstat")
	in, ok1 := vmstatCount(vmstat, "pswpin")
	out, ok2 := vmstatCount(vmstat, "pswpout")
	if ok1 && ok2 {
		sum := in + out
		g.swapped = &sum
	}
	return g
}
