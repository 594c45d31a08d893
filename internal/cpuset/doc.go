// Package cpuset names CPUs, and says which of them this process may use.
//
// A [Set] is a value: up to [MaxCPUs] CPU numbers as bits, comparable with ==,
// written and read in the kernel's list format ("0-3,8").
//
// # Terms
//
//   - affinity: the CPUs the scheduler may run a thread on; inherited by the
//     threads and processes it starts.
//   - quota: how much CPU time a cgroup may use, in CPUs (1.5 = one and a half
//     CPUs' worth, on whichever CPUs the affinity allows).
//   - throttled: stopped until the next period, because the quota was used up.
//   - heterogeneous: the CPUs are not equally fast (big and little cores), so
//     that a result depends on which of them was used.
//
// # Flow
//
//  1. [Allowed] reads the affinity of the process, [Quota] what its cgroups
//     leave of it.
//  2. The caller chooses: [Parse] of what the user said, or [Set.LowerHalf] and
//     [Set.UpperHalf] for server and generator, less the CPUs of a listener
//     ([Set.Minus]); [Heterogeneous] advises against choosing.
//  3. [SetThread] pins one worker, [SetProcess] everything.
//  4. [FS.Throttling], read before and after, says whether the quota was felt.
//
// Read set.go, list.go, affinity_linux.go, cgroup.go, quota.go, throttling.go,
// speed.go.
package cpuset
