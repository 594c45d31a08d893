package host

import (
	"fmt"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// reading is one look of a sampler; what cannot be read is nil. It is cheap: the
// processes of the host, of which there may be thousands, are not in it.
type reading struct {
	at       mono.Time
	work     map[int]procfs.CPUWork
	own      []processTable          // of each set of the watch
	switches map[int]procfs.Switches // of each process of the server
	net      *procfs.NetCounters
	quota    *cpuset.Throttling
	thermal  *uint64 // times that a CPU of the sets was slowed down for heat
	load1    *float64
}

// Not read are the frequencies of the CPUs (asking for scaling_cur_freq interrupts
// the CPU that is asked), temperatures, and the kernel's log, which an ordinary user
// may not read.
func (s *Sampler) read() reading {
	r := reading{at: s.clock.Now()}
	if work, err := s.fs.proc.CPUWork(); err == nil {
		r.work = work
	}
	r.own = make([]processTable, len(s.watch.Sets))
	r.switches = make(map[int]procfs.Switches)
	for i, set := range s.watch.Sets {
		r.own[i] = s.fs.treeTable(set.Roots)
		for pid := range r.own[i] {
			s.own[pid] = true
			if set.Server {
				s.fs.addSwitches(r.switches, pid)
			}
		}
	}
	if net, err := s.fs.proc.NetCounters(); err == nil {
		r.net = &net
	}
	if quota, err := s.fs.cpus.Throttling(); err == nil {
		r.quota = &quota
	}
	if load, err := s.fs.proc.Load1(); err == nil {
		r.load1 = &load
	}
	r.thermal = s.fs.throttles(s.thermal)
	return r
}

// treeTable looks at the processes of some trees. Their CPU time is read to the
// nanosecond where that is possible: against a step of 10 ms of each of a hundred
// processes everything would be foreign.
func (f FS) treeTable(roots []int) processTable {
	t := processTable{}
	pids, err := f.proc.Descendants(roots)
	if err != nil {
		return t
	}
	for _, pid := range pids {
		p, err := f.proc.Process(pid)
		if err != nil {
			continue // it ended meanwhile
		}
		if cpu, err := f.proc.CPUTime(pid); err == nil {
			p.CPU = cpu
		}
		t[pid] = p
	}
	return t
}

// switchedThreads is of how many threads of a process the switches are counted: a
// file is read for each. A server has one or a few for each CPU.
const switchedThreads = 64

func (f FS) addSwitches(to map[int]procfs.Switches, pid int) {
	if sum, _, ok, err := f.proc.ProcessSwitches(pid, switchedThreads); ok && err == nil {
		to[pid] = sum
	}
}

// thermalFiles are the counters of slowing down for heat, of each CPU of a set and of
// each socket that it is on. Only Intel's processors have them. Source: kernel
// documentation, admin-guide/abi (sysfs-devices-system-cpu, thermal_throttle).
func (f FS) thermalFiles(t Topology, cpus cpuset.Set) []string {
	var files []string
	add := func(cpu int, name string) {
		if file := fmt.Sprintf("%s/thermal_throttle/%s", cpuDir(cpu), name); f.exists(file) {
			files = append(files, file)
		}
	}
	for _, cpu := range cpus.CPUs() {
		add(cpu, "core_throttle_count")
	}
	for _, socket := range t.sockets {
		if on := socket.Intersect(cpus).CPUs(); len(on) > 0 {
			add(on[0], "package_throttle_count") // the same for all its CPUs
		}
	}
	return files
}

// throttles adds counters up; nil when there are none.
func (f FS) throttles(files []string) *uint64 {
	var sum uint64
	known := false
	for _, file := range files {
		if n, ok := f.number(file); ok && n >= 0 {
			sum += uint64(n)
			known = true
		}
	}
	if !known {
		return nil
	}
	return &sum
}
