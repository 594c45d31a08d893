package target

import "github.com/scalws/scalbench/internal/cpuset"

// Place divides the CPUs that the generator leaves between a server and the
// upstream behind it. One CPU is shared: with two on the host, server and
// upstream are on the lower and the generator is alone. Of more each has a
// part of its own, as in the reports (server 0-3, upstream 4-7), so that a
// slower server is seen and not its fight with the upstream; the odd CPU is the
// upstream's, which must not be the limit.
//
// A scenario without an upstream has all of cpus for its server, so that its
// absolute numbers are not those of one with an upstream on fewer CPUs.
func Place(cpus cpuset.Set) (server, upstream cpuset.Set) {
	return cpus.LowerHalf(), cpus.UpperHalf()
}
