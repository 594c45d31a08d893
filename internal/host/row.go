package host

import (
	"math"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// Row is what happened in one interval, a line of an interference log. What is not
// known is absent.
type Row struct {
	AtNS      mono.Time `json:"at_ns"` // the interval's end
	ElapsedUS int64     `json:"elapsed_us"`
	Areas     []AreaRow `json:"areas"`

	// Who are the five foreign processes that used most, and WhoOverUS over what time,
	// which ends with the interval and may be longer. Looking for them costs more than
	// all the rest, so that it is done only when an area shows more work than ours.
	Who       []Consumer `json:"who,omitempty"`
	WhoOverUS int64      `json:"who_over_us,omitempty"`

	Load1            *float64 `json:"load1,omitempty"`
	ThermalThrottles *uint64  `json:"thermal_throttles,omitempty"` // of the sets' CPUs and sockets
	QuotaStoppedUS   *int64   `json:"quota_stopped_us,omitempty"`  // how long a quota stopped our cgroups
	Retransmits      *uint64  `json:"retransmits,omitempty"`       // TCP segments of the whole host
	ListenOverflows  *uint64  `json:"listen_overflows,omitempty"`  // connections that found a listen queue full
	// InvoluntarySwitches are those of the server's threads: it had to make way.
	InvoluntarySwitches *uint64 `json:"involuntary_switches,omitempty"`
	// RunQueueWaitUS is how long they were ready and others had their CPUs, and MajorFaults
	// how often they waited for a page from a disk.
	RunQueueWaitUS *int64  `json:"run_queue_wait_us,omitempty"`
	MajorFaults    *uint64 `json:"major_faults,omitempty"`
	// PressureUS is how long some task of the host waited for a resource (cpu, io, memory).
	PressureUS map[string]int64 `json:"pressure_us,omitempty"`
	// KernelLog is what the kernel wrote into its log, and KernelLogDropped how much more
	// that was.
	KernelLog        []KernelMessage `json:"kernel_log,omitempty"`
	KernelLogDropped int             `json:"kernel_log_dropped,omitempty"`
}

// AreaRow is how CPUs spent an interval, in CPU time.
type AreaRow struct {
	Name    string `json:"name"`
	Role    Role   `json:"role"`
	TotalUS int64  `json:"total_us"` // CPUs x time
	TaskUS  int64  `json:"task_us"`  // in processes and threads of the kernel
	OwnUS   int64  `json:"own_us"`   // in our processes, of all that run on sets in the area
	// OwnUnknown: the processes of a set could not be read (they ended, or are hidden
	// from this user). All work is taken for ours then: nothing can be said.
	OwnUnknown   bool  `json:"own_unknown,omitempty"`
	InterruptsUS int64 `json:"interrupts_us"`
	StealUS      int64 `json:"steal_us"`
	// ProcessesUS is what foreign processes used that ran last in the area, over the
	// time of Who.
	ProcessesUS *int64 `json:"processes_us,omitempty"`
	// ForeignFrac is the share of TotalUS that foreign work took at least.
	ForeignFrac float64 `json:"foreign_frac"`
}

// row subtracts two readings.
func (s *Sampler) row(before, after reading) Row {
	r := Row{AtNS: after.at, ElapsedUS: after.at.Sub(before.at).Microseconds(), Load1: after.load1}
	own := make([]ownTime, len(s.watch.Sets))
	for i, set := range s.watch.Sets {
		own[i] = ownBetween(set, before.own[i], after.own[i])
	}
	if before.work != nil && after.work != nil {
		for _, a := range s.areas {
			r.Areas = append(r.Areas, a.row(before, after, own))
		}
	}
	if from, to := before.net, after.net; from != nil && to != nil {
		d := to.Sub(*from)
		overflows := max(d.ListenOverflows, d.ListenDrops)
		r.Retransmits, r.ListenOverflows = &d.RetransmittedSegments, &overflows
	}
	if from, to := before.quota, after.quota; from != nil && to != nil {
		us := to.Sub(*from).Stopped.Microseconds()
		r.QuotaStoppedUS = &us
	}
	if from, to := before.thermal, after.thermal; from != nil && to != nil {
		d := *to - min(*from, *to)
		r.ThermalThrottles = &d
	}
	r.InvoluntarySwitches, r.RunQueueWaitUS = threadsBetween(before.threads, after.threads)
	r.MajorFaults = faultsBetween(before.faults, after.faults)
	for resource, to := range after.pressure {
		if from, known := before.pressure[resource]; known {
			if r.PressureUS == nil {
				r.PressureUS = map[string]int64{}
			}
			r.PressureUS[resource] = (to - from).Microseconds()
		}
	}
	return r
}

// ownTime is the CPU time of the processes of a set.
type ownTime struct {
	used  time.Duration
	known bool
}

func ownBetween(set WatchedSet, before, after processTable) ownTime {
	own := ownTime{known: len(set.Roots) == 0 || len(before) > 0 && len(after) > 0}
	for _, used := range spent(before, after) {
		own.used += used
	}
	return own
}

func (a area) row(before, after reading, own []ownTime) AreaRow {
	w := procfs.SumWork(after.work, a.cpus).Sub(procfs.SumWork(before.work, a.cpus))
	r := AreaRow{
		Name: a.name, Role: a.role,
		TotalUS: w.Total().Microseconds(), TaskUS: w.Task.Microseconds(),
		InterruptsUS: w.Interrupts.Microseconds(), StealUS: w.Steal.Microseconds(),
	}
	for _, i := range a.sets {
		r.OwnUS += own[i].used.Microseconds()
		r.OwnUnknown = r.OwnUnknown || !own[i].known
	}
	if r.OwnUnknown {
		r.OwnUS = r.TaskUS + r.InterruptsUS
	}
	r.ForeignFrac = r.foreignFrac()
	return r
}

// threadsBetween adds up what was counted for the processes in both readings; nil when
// there is none. A thread that has ended takes what it had with it.
func threadsBetween(before, after map[int]threadSum) (switches *uint64, waitedUS *int64) {
	for pid, to := range after {
		from, ok := before[pid]
		if !ok {
			continue
		}
		n := to.involuntary - min(from.involuntary, to.involuntary)
		addTo(&switches, &n)
		if us := max(0, to.waited-from.waited).Microseconds(); from.timed && to.timed {
			addTo(&waitedUS, &us)
		}
	}
	return switches, waitedUS
}

// faultsBetween adds up those of the processes in both readings; nil when there is none.
func faultsBetween(before, after map[int]uint64) (sum *uint64) {
	for pid, to := range after {
		if from, ok := before[pid]; ok {
			n := to - min(from, to)
			addTo(&sum, &n)
		}
	}
	return sum
}

// highest is how much of the area's time may have been foreign at most, in
// microseconds.
func (r AreaRow) highest() float64 { return float64(r.TaskUS + r.InterruptsUS - r.OwnUS) }

// foreignFrac is how much of the area's time was foreign at least.
//
// Whether the time of interrupts counts for the process that was interrupted depends
// on the kernel (see [procfs.CPUWork]), and under load over loopback it is a tenth
// and more of a CPU. So the difference of all work and ours has two bounds: without
// the interrupts it is right for one kind of kernel and too low for the other, with
// them right for the other and too high for the first. The lower one is believed;
// the upper one only as far as there are foreign processes that used the time.
//
// Work is known from samples of the clock tick, 100 a second and CPU or more: of n
// of them a share p is uncertain by the square root of p (1 - p) / n. Twice that is
// taken off, so that a short interval shows nothing rather than noise.
func (r AreaRow) foreignFrac() float64 {
	if r.TotalUS <= 0 {
		return 0
	}
	const tickUS = 10_000
	total := float64(r.TotalUS)
	busy := min(1, float64(r.TaskUS)/total)
	uncertain := 2 * math.Sqrt(busy*(1-busy)*tickUS/total) * total
	lowest := float64(r.TaskUS-r.OwnUS) - uncertain
	if r.ProcessesUS != nil {
		lowest = max(lowest, min(float64(*r.ProcessesUS), r.highest()+uncertain))
	}
	return max(0, lowest/total)
}
