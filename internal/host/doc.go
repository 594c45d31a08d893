// Package host says what a host is, whether it is fit to measure on, whether it is
// quiet now, and who disturbed it while something was measured.
//
// An [FS] is the root directory of a host, so that tests point it at recorded trees.
// What a host lacks (a virtual machine has no governor, an ordinary user may not see
// everything) is "n/a" with the reason and never an error. Nothing here changes
// anything on the host.
//
// # Terms
//
//   - fact: one thing that is known of a host, as text ([Facts]); fixed ones must be
//     equal for rounds of two sessions to form one gate, the others are of the moment.
//   - set: CPUs with a name and a use: those of the server, the upstream, the
//     generator.
//   - siblings: hardware threads of one core, which share its execution units.
//   - node: memory and the CPUs that are near to it (NUMA).
//   - own: belonging to a process tree that the session started. Foreign is all
//     other work, of processes and of the kernel.
//   - interrupts: time in hard and soft interrupts, and in ksoftirqd, which goes on where
//     these end. The network stack works in them, for us as for others, so that they are
//     neither own nor foreign.
//   - finding: what one check of the host said, with its [Level].
//
// # Flow
//
//  1. [FS.Facts] reads the fingerprint, once for a session.
//  2. [FS.Examine] holds the host against what a session needs ([Need]) and returns
//     findings; [Refused] picks those that forbid to begin.
//  3. [FS.WaitQuiet] waits before each round until the host is quiet, and says what
//     it waits for.
//  4. [FS.StartSampler] looks at the sets every second while something is measured;
//     [Sampler.Stop] returns the rows, [Limits.Judge] what they amount to.
//
// Time is passed in ([Clock]).
//
// # Reading order
//
// fs.go, clock.go, topology.go; facts.go with factscpu.go, factssystem.go and
// tools.go; finding.go, need.go and doctor.go with the checks (checkcpu.go,
// checksets.go, checkmemory.go, checkports.go, checkothers.go, require.go); spent.go
// and consumer.go (who used the CPU), quiet.go; watch.go, reading.go, row.go,
// kernellog.go, sampler.go and judge.go (interference).
package host
