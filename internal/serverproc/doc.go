// Package serverproc runs one server of a variant, or a helper beside it, as a tree
// of processes, and proves what that tree is.
//
// A [Spec] is plain data; a [Server] is the live thing made of it. Everything else
// looks at processes from outside, by their PIDs, so that it serves a server that
// somebody else has started as well.
//
// # Terms
//
//   - server: the process that was started. Its tree is itself and all that came of
//     it, those included whose parent has ended.
//   - supervisor: a process of this program between the driver and one server. It
//     starts the server, adopts what the server leaves behind, and ends all of it
//     when it is told to, or when the driver is gone, however that ended.
//   - session token: SCALBENCH_SESSION in the environment of everything a session
//     starts; an orphan carries one and no supervisor stands above it.
//   - observation: what was seen of a tree at one moment. A fact that this user may
//     not read is n/a, with a sentence ([Fact]).
//   - violation: a fact that is not what was expected. One seen within the grace
//     after the start is early, and not held against the variant.
//   - neighbour: a process outside the tree that listens at an address of the
//     server's, as SO_REUSEPORT allows; the kernel gives it a part of the load.
//
// # Flow
//
//  1. [Environment.List] makes the complete environment, [FreePorts] says that nobody
//     is in the way, [Start] starts the supervisor, which starts the server: pinned
//     before its first instruction, as another user if asked.
//  2. [Server.AwaitReady] polls until the server answers as it should.
//  3. [Observer.Observe] looks at the tree, [Check] holds it against an [Expect]. A
//     [Sampler] does both every second and counts in a [Tally].
//  4. A [Meter] reads CPU time, switches and memory at both edges of the window.
//  5. [Server.Stop] ends the tree and waits for it, [LogPatterns.Scan] reads its logs.
//  6. [Differs] compares two variants as they ran, [ReadBinary] tells about a program.
//
// [Orphans] finds what a session has left that was killed together with its
// supervisors, and [Reap] ends it.
//
// # Why a supervisor
//
// A parent-death signal (PR_SET_PDEATHSIG) reaches the child alone, and not its
// workers; it follows the thread that forked, and is lost when a set-user-ID program
// is executed. A supervisor is a child subreaper, so whatever the server forks stays
// below it, also what forks twice and begins a session of its own. It holds the read
// end of a pipe of which the driver has the only write end: the kernel closes that
// when the driver dies, by kill -9 too. The death signal is set all the same, for the
// case that somebody kills the supervisor.
//
// # Reading order
//
// spec.go, user.go, environment.go, ports.go; server.go, order.go,
// supervise_linux.go, launch_linux.go, stop.go; ready.go, listening.go, tail.go;
// fact.go, observe.go, processfacts.go, securityfacts.go, executable.go,
// portfacts.go; expect.go, uidrule.go, check.go, tally.go, sampler.go; meter.go,
// treeusage.go, worker.go; differs.go, places.go; binary.go, elfnotes.go, libc.go; logscan.go,
// logline.go; orphans.go, reap_linux.go.
package serverproc
