// Package perf counts the system calls of running processes, and samples what CPUs do, with
// the program perf of the kernel's tools. It needs a kernel with tracepoints, and a user who
// may read them: mostly root. Both cost the processes time; nothing is measured meanwhile.
//
// # Terms
//
//   - tracepoint: a place in the kernel that can be counted, such as
//     syscalls:sys_enter_writev.
//   - events: a pattern of tracepoints ([Events]): every system call by its name, or all
//     of them in one number.
//   - count: how often one system call was made ([Count]).
//   - recording: perf at work on some CPUs, whoever runs there ([Recording]).
//   - counter: perf at work on some processes, all their threads, and whatever these
//     start ([Counter]).
//
// # Flow
//
//  1. [Find] looks for the program, and tries which events this user may count. That
//     none can is an [Unavailable], with the reason.
//  2. [Program.Keep] holds the tracepoints open for as long as one counter comes after
//     another, since the kernel takes ten seconds and more to give hundreds of them up.
//  3. [Program.Start] opens the tracepoints for processes and returns when it could begin
//     to count at once, so that opening hundreds of them is in no window.
//  4. [Counter.Enable] and [Counter.Disable] are the edges of a window.
//  5. [Counter.End] ends perf and returns the counts, and what it has written.
//
// Samples are taken likewise: [FindSampler], [Sampler.Record], its edges, and
// [Recording.End], which has `perf script` write the samples as text and reads that.
//
// # Reading order
//
// program.go; counter.go with control.go and child.go; keeper.go; parse.go; sampler.go,
// script.go.
package perf
