package host

import (
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// reading is one look of a sampler; what cannot be read is nil. It is cheap: the
// processes of the host, of which there may be thousands, are not in it.
type reading struct {
	at       mono.Time
	work     map[int]procfs.CPUWork
	own      []processTable           // of each set of the watch
	threads  map[int]threadSum        // of each process of the server
	faults   map[int]uint64           // major ones, of each process of the server
	pressure map[string]time.Duration // PSI: how long some task has waited for a resource
	net      *procfs.NetCounters
	quota    *cpuset.Throttling
	thermal  *uint64 // times that a CPU of the sets was slowed down for heat
	load1    *float64
}

// threadSum is what the threads of a process have had to bear, those that are alive.
type threadSum struct {
	involuntary uint64        // switches
	waited      time.Duration // for a CPU
	timed       bool          // waited is known
}

// resources are those of which the kernel tells the pressure.
var resources = [...]string{"cpu", "io", "memory"}

// Not read are the frequencies of the CPUs (asking for scaling_cur_freq interrupts
// the CPU that is asked) and temperatures.
func (s *Sampler) read() reading {
	r := reading{at: s.clock.Now()}
	if work, err := s.fs.proc.CPUWork(); err == nil {
		r.work = work
	}
	r.own = make([]processTable, len(s.watch.Sets))
	r.threads, r.faults, r.pressure = map[int]threadSum{}, map[int]uint64{}, map[string]time.Duration{}
	for i, set := range s.watch.Sets {
		r.own[i] = s.fs.treeTable(set.Roots)
		for pid, process := range r.own[i] {
			s.own[pid] = true
			if set.Server {
				s.fs.addThreads(r.threads, pid)
				r.faults[pid] = process.MajorFaults
			}
		}
	}
	for _, resource := range resources {
		if total, err := s.fs.proc.PressureTotal(resource); err == nil {
			r.pressure[resource] = total
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

// threadsMax is how many threads of a process are looked at: two files are read for each.
// A server has one or a few for each CPU.
const threadsMax = 64

func (f FS) addThreads(to map[int]threadSum, pid int) {
	threads, err := f.proc.Threads(pid, threadsMax)
	if err != nil {
		return
	}
	sum := threadSum{timed: len(threads) > 0}
	for _, t := range threads {
		sum.involuntary += t.Switches.Involuntary
		sum.waited += t.Waited
		sum.timed = sum.timed && t.Timed
	}
	to[pid] = sum
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
