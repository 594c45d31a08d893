// Package session keeps a host for one session at a time, and a session's files
// such that it survives being killed at any moment.
//
// # Terms
//
//   - host lock: a flock on one file of the host, and beside it an abstract unix
//     socket. Whoever holds both may measure ([Lock]).
//   - owner: the process that holds the host, and what it does with it ([Owner]).
//   - claim: to make a session's directory under a name that nobody has ([Claim]).
//   - key: which measurement of a session; round, run, variant, mode, scenario ([Key]).
//   - attempt: one try at a measurement, from 1 ([Attempt]). It is committed, or it was cut.
//   - cell: what became of a key by the journal ([Cell]).
//   - void: to give up a cell that has to be measured again, since it was cut or since
//     the other half of its pair was, or is to be made long after it. What was measured
//     stays on disk.
//   - row: a scenario in a mode, of all variants. One that is decided after a round is
//     in no later one ([Session.Decide]).
//   - seal: to write the summary.csv of every variant of a run, once ([Session.SealRun]).
//
// # Flow
//
//  1. [ChoosePath] finds the lock's place, [Acquire] or [Wait] takes it; [Lock.Held] is asked
//     before every measurement, [Lock.Tell] says what is going on.
//  2. [Claim] begins a session, [Resume] goes on with one. Both return a [Session].
//  3. For each round [Session.StartRound], or [Session.VoidOld] when it goes on; for each measurement [Session.Begin], files into
//     the attempt's directory, [Attempt.Commit]; where evidence asks for it [Session.Redo];
//     for each run [Session.SealRun]; then [Session.FinishRound], and [Session.Decide]
//     where a look at it says so.
//  4. [Session.Finish], or [Session.Stop] when a signal came; [Lock.Release].
//
// Beside the rounds: [Layout.BeginPass].
//
// From another terminal: [Look], [ProgressOf], [StopOwner], [AddNote].
//
// # What a kill leaves
//
// A measurement is made in a directory of its own, run-3/el8/static-small~attempt-1.part,
// which is synced and renamed to run-3/el8/static-small. This rename is the commit: before
// it the measurement never happened, after it it is never lost, whatever the journal got to
// say. Its row is in there, as measurement.csv. An attempt that is superseded is moved to
// static-small~attempt-1; nothing is deleted. A mode stands in front: multi+static-small.
// Neither ~ nor + can be in a name.
//
// summary.csv is written once, so not before it can no longer change: when the run of every
// variant is complete. Were it written when that of one variant is, a cut of the other
// half of a pair could not be made good any more, for both halves have to be redone.
//
// The journal tells what happened, one synced line an event. [Replay] makes the state of a
// session from it and nothing else. [Resume] asks the directories only for attempts that
// the journal left open.
//
// # Reading order
//
// The lock: owner.go, lock.go, lockfile.go, guard.go, busy.go, coverage.go. The session:
// state.go and apply.go, pair.go, recovery.go, all four without files; layout.go,
// journal.go, claim.go, resume.go, session.go, attempt.go, seal.go, durable.go. Then
// pass.go and status.go.
package session
