// Package profile says what a server's CPU time went into, from samples of its stacks, and
// how much of a measured difference between two variants that explains. It is arithmetic:
// package perf takes the samples, internal/record keeps what was made of them.
//
// # Terms
//
//   - sample: what a CPU did at one moment: the innermost function, its callers, and whose
//     process it was ([Sample]).
//   - frame: one function of them, with the file that it is in ([Frame]); leaf: the
//     innermost.
//   - group: functions that serve one purpose, such as seccomp, as regular expressions
//     ([Group]). Every sample is in exactly one.
//   - share: of a server's samples, the fraction in a group, with its standard error
//     ([Share]).
//   - cost: a share of the CPU time of a request ([Cost]): share x measured cpu_us.
//   - cause: a group of a known purpose in which the costs of two variants differ by more
//     than chance makes of it.
//
// # In which group a sample is
//
// Its frames are looked at from the leaf outwards, and the first that a group knows
// decides. The leaf knows best what is done: a copy is a copy, whoever asked for it. What
// everybody uses, a lock or a reference count, is in no group, and so goes to whom it is
// done for: the nearest caller that is in one. The kernel's time is never its callers' in
// the server: a write that a TLS library makes is the network's.
//
// A sample that no group knows is in one of the rest, by its leaf: the server's own code,
// libraries, the kernel, or what has no name at all.
//
// # Flow
//
//  1. [Compile] makes [Groups] of the table of a suite and the one that is built in
//     ([Default]).
//  2. [Tally.Add] takes the server's samples: it counts them by group, by the leaf's
//     symbol, and by whole stacks ([Tally.WriteFolded]).
//  3. [Explain] holds what two variants have in each group against the measured difference.
//
// # Reading order
//
// sample.go, group.go, table.go, tally.go, share.go, explain.go.
package profile
