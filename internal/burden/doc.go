// Package burden takes a known share of CPUs from whoever else runs on them: the
// positive control of a calibration. A gate that does not see it would not see a
// server that became slower by as much.
//
// # Terms
//
//   - share: CPU time that the burden takes / time that passes, of each CPU.
//   - period: how often a CPU is given back. It is short against the latency of a
//     loaded server, so that the burden costs rate and adds no stalls of its own.
//
// # Flow
//
// [Run] pins a thread to each CPU that the process may use. In every period the thread
// spins until it has had its share of the time since it began, and sleeps for the rest.
// What counts is the CPU time of the thread and not the time that passes: beside a busy
// server it spins for longer, and takes the same.
//
// Read burden.go; the clock and the sleep are in thread_linux.go.
package burden
