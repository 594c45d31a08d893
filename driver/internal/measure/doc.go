// Package measure makes one measurement and what surrounds it: it starts a variant with
// its helpers, proves what runs, has a generator load it, looks at everything while that
// lasts, and makes of it a line of a summary.csv with the evidence for it.
//
// It decides nothing about a session: in which order, whether again, on what host. It
// writes no results either: evidence comes back as named bytes.
//
// # Terms
//
//   - bench: what is the same for all measurements of a session, such as which CPUs are
//     whose (Bench).
//   - running: a variant that was started and is the one that was meant, with the helpers
//     beside it (Running).
//   - instance: one of a variant's processes with what came of it; a variant without
//     instances has one.
//   - generator: the child process that puts the load, `scalbench load`.
//   - window: the time that is measured. The generator announces its edges ahead, in
//     CLOCK_MONOTONIC, so that what servers used is read at these very instants.
//   - turns: one measurement of two variants that are both up, base and new, which one
//     generator loads in slices of time. Its halves are a row each, and a pair with one id.
//   - twin: a variant that is another under a second name, from a copy of its program;
//     with a burden when a spin loop beside it takes a known share of its CPUs ([Twin]).
//   - invalid: that what was, or would be, measured is worth nothing, with the reason. A
//     measurement is Invalid, or a start fails with an InvalidError; any other error is
//     about us and not about the variant.
//   - flag: what must be read with a valid measurement.
//
// # Flow
//
//  1. [NewBench] chooses the CPUs; it is made once a session.
//  2. [Bench.StartVariant] chooses ports, starts the helpers and waits until they are
//     ready, makes the directory and the effective configuration of each instance, starts
//     them, waits, and looks whether they are what was meant.
//  3. [Bench.Measure] asks the scenario's URL once, starts the generator, and watches:
//     identity and interference every second, CPU time and memory at the window's edges.
//     Then it reads the result and the logs, and judges.
//  4. [Running.Stop] ends everything, and tells whether something had ended by itself.
//
// [Bench.MeasureTurns] does step 3 for two that run: the parts are the same, and what makes
// one half invalid makes both.
//
// [Bench.Attach] takes a server that somebody else has started for a variant.
// [Bench.CountSyscalls] loads as a measurement does and counts system calls, which costs
// the server time: it is for a pass of its own and never for a round. So is [Bench.Profile],
// which samples the server's CPUs.
//
// # Modes
//
// A variant of layout multi is as many processes as it has instances, each on one CPU of
// the server's, all at the same ports (SO_REUSEPORT); of layout single it is one process
// that is told to have as many workers, on as many CPUs. What they used is added up.
//
// # Reading order
//
// bench.go, placement.go, aside.go; start.go with ports.go, layout.go, helpers.go, prepare.go,
// twin.go, running.go and identity.go; measure.go with ready.go, generator.go, watch.go, edges.go,
// row.go, logs.go, verdict.go,
// memory.go, clocks.go and evidence.go; turns.go; stop.go, attach.go,
// syscalls.go, profile.go; errors.go.
package measure
