// Package procfs reads what the kernel tells about processes (their CPU time,
// memory, placement and listening sockets), and what went wrong on their host
// meanwhile.
//
// An [FS] is a mounted proc file system. Its directory is a value, so that tests
// point it at a tree of fixtures. Readers are methods of FS and open files;
// parsers are functions of bytes and never do. Kernel units (ticks, KiB, octets
// in host order) do not leave this package: times are time.Duration, sizes are
// bytes.
//
// # Terms
//
//   - process: a thread group, named by its PID; its tree is itself and all
//     descendants.
//   - CPU time: user plus system time of all threads the process ever had.
//   - peak RSS: the most memory a process had resident since it started (VmHWM).
//   - listener: a TCP socket in state LISTEN; its holders are the processes that
//     have it open, usually a master and the workers it forked.
//
// # Flow
//
//  1. [FS.ListenerOwners] finds the processes behind an address, or [FS.Tree] those
//     below a process that was started.
//  2. [FS.Usage] reads CPU time, memory and placement of these processes, once
//     at each edge of the measured window.
//  3. [Between] subtracts the two readings, and says which processes ended.
//
// Beside it, [FS.CPUTimes] tells how busy the host is and how much of a CPU the
// hypervisor took, [FS.NetCounters] what the network stack had to drop or send
// again, [FS.Threads] what each thread of a process has used and how often it had to make
// way, [FS.Placement] on which node its memory lies, and [FS.Age] how long ago it was
// started.
//
// Read fs.go, stat.go, status.go, cputime.go, usage.go, then listener.go, then
// those beside: cpustat.go, netcounters.go, switches.go, thread.go, numamaps.go, ports.go.
package procfs
