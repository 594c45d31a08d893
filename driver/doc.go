// Package driver measures the variants of suites in sessions that can be trusted and
// that survive: it sequences, and leaves records on disk. It judges nothing; package gate
// does, from the records alone.
//
// # Terms
//
// Suite, scenario, variant, plan and preset are those of internal/suite; run, round,
// session and measurement those of internal/record.
//
//   - order: what somebody wants measured, as data ([Order]).
//   - task: one suite of an order, with the order's changes.
//   - sitting: one process at a session, from its beginning, or from where an earlier
//     sitting was stopped or killed, to its end or its own.
//   - turn: one start of a variant and the measurements that it serves.
//   - duel: one start of both variants of a comparison, which take turns in slices of time, and
//     the measurements that it serves, two by two (interleave: sliced).
//   - look: what is said of the rows of a session after a round, where rounds are added
//     until all is decided; a row that is decided leaves the plan.
//   - gap: a row that is not measured: N/A, the variant cannot; NOT RUN, the host cannot.
//   - stand-in: the embedded target in the place of every server, to try a suite out.
//   - twin: a variant under a second name, from a copy of its program, which is measured
//     against it ([Twin]).
//   - rig: what a sitting touches of the world, so that tests can have another.
//
// # Flow
//
//  1. [Run] reads the suites and tells all their faults at once, waits for the time at
//     which to begin, and takes the host's lock, which it holds to the end.
//  2. For each suite: what earlier sessions left running is told, the host is held
//     against what the suite needs, the plan is made and its session claimed. [Resume]
//     comes in here, with a session that is there.
//  3. For each round: look whether a row needs it, wait until the host is quiet, write its order down, and for each
//     run make what is missing, turn by turn: start the variant, measure, commit; or duel by
//     duel: start both, measure both at once, commit both.
//  4. When a run is complete its evidence is looked at: pairs that something was wrong
//     with are made again, at most twice. Then the run is sealed.
//  5. A round ends with who was seen to run and in what the variants differed, and with
//     its aggregate.
//
// After the rounds, where the order says so, the system calls of each variant are counted
// in a pass of their own, which costs the servers time and is no measurement. So are the
// server's CPUs sampled, of all rows or of those that fail. A session that is done can have
// that later.
//
// Whatever ends a sitting (a signal, a refusal, the time, an error), the variant that
// runs is stopped, the session says why, and it can be resumed.
//
// # What decides to measure again
//
// Evidence from beside the numbers alone: an error, another program than the one meant,
// somebody else on the CPUs. Never a number, or one could measure until it pleases.
//
// # Reading order
//
// order.go, surroundings.go, errors.go; read.go, plan.go, sources.go, lacking.go, gaps.go; run.go with lock.go
// and fitness.go; sitting.go, looks.go, turn.go, duel.go, redo.go, complaints.go, identity.go,
// progress.go; resume.go, cutlogs.go,
// rates.go, passes.go, syscalls.go, profile.go, tools.go, preview.go, status.go, standin.go; twin.go for calibrations; sidebyside.go and shell.go for two
// servers at a time; rig.go and measurer.go. The parts are below internal: order
// (what comes after what), measure (one measurement), session (lock, journal, files).
package driver
