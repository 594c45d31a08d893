package host

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/scalws/scalbench/internal/units"
)

// Limits are what may happen without a measurement counting as disturbed. Zero is
// the default.
type Limits struct {
	ForeignFrac float64 // foreign share of the server's CPUs; default 0.01
	StealFrac   float64 // what a hypervisor took of any set; default 0.005
}

func (l Limits) foreignFrac() float64 { return cmp.Or(l.ForeignFrac, 0.01) }
func (l Limits) stealFrac() float64   { return cmp.Or(l.StealFrac, 0.005) }

// Verdict says whether a measurement was disturbed, by evidence from outside of it
// alone.
type Verdict struct {
	Interfered bool     `json:"interfered"`
	Reasons    []string `json:"reasons,omitempty"` // a sentence each

	Areas []AreaSum `json:"areas"`
	// Who are the foreign processes that were seen to use most, over the whole time.
	Who []Consumer `json:"who,omitempty"`

	// Sums over the rows; absent when no row has them.
	ThermalThrottles    *uint64 `json:"thermal_throttles,omitempty"`
	QuotaStoppedUS      *int64  `json:"quota_stopped_us,omitempty"`
	Retransmits         *uint64 `json:"retransmits,omitempty"`
	ListenOverflows     *uint64 `json:"listen_overflows,omitempty"`
	InvoluntarySwitches *uint64 `json:"involuntary_switches,omitempty"`
	RunQueueWaitUS      *int64  `json:"run_queue_wait_us,omitempty"`
	MajorFaults         *uint64 `json:"major_faults,omitempty"`

	PressureUS map[string]int64 `json:"pressure_us,omitempty"`
	// Kernel are the texts of its log that were not to be expected.
	Kernel []string `json:"kernel,omitempty"`
}

// AreaSum is an area over all rows, in shares of its time.
type AreaSum struct {
	Name           string  `json:"name"`
	Role           Role    `json:"role"`
	ForeignFrac    float64 `json:"foreign_frac"` // at least, as in [AreaRow]
	InterruptsFrac float64 `json:"interrupts_frac"`
	StealFrac      float64 `json:"steal_frac"`
	OwnUnknown     bool    `json:"own_unknown,omitempty"` // for some of the time, as in [AreaRow]
}

// Judge holds rows against the limits. It is a function of the rows: a caller may
// pass those of a part of the time. Foreign work is summed up before it is judged; a
// single second of one CPU is known to a hundredth only.
func (l Limits) Judge(rows []Row) Verdict {
	var v Verdict
	var elapsedUS int64
	for _, r := range rows {
		elapsedUS += r.ElapsedUS
		addTo(&v.ThermalThrottles, r.ThermalThrottles)
		addTo(&v.QuotaStoppedUS, r.QuotaStoppedUS)
		addTo(&v.Retransmits, r.Retransmits)
		addTo(&v.ListenOverflows, r.ListenOverflows)
		addTo(&v.InvoluntarySwitches, r.InvoluntarySwitches)
		addTo(&v.RunQueueWaitUS, r.RunQueueWaitUS)
		addTo(&v.MajorFaults, r.MajorFaults)
		for _, m := range r.KernelLog {
			if !m.Expected {
				v.Kernel = append(v.Kernel, m.Text)
			}
		}
		for resource, us := range r.PressureUS {
			if v.PressureUS == nil {
				v.PressureUS = map[string]int64{}
			}
			v.PressureUS[resource] += us
		}
	}
	v.Who = whoOf(rows, elapsedUS)
	for _, a := range sumAreas(rows) {
		v.Areas = append(v.Areas, a.sum())
	}
	v.Reasons = l.reasons(v)
	v.Interfered = len(v.Reasons) > 0
	return v
}

// reasons words each limit that was passed.
func (l Limits) reasons(v Verdict) []string {
	var reasons []string
	add := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	for _, a := range v.Areas {
		if a.Role == RoleServer && a.ForeignFrac > l.foreignFrac() {
			add("foreign work took at least %s of the CPUs of the %s, limit %s: %s",
				units.Percent(a.ForeignFrac), a.Name, units.Percent(l.foreignFrac()), consumersText(v.Who))
		}
		if (a.Role == RoleServer || a.Role == RoleSet) && a.StealFrac > l.stealFrac() {
			add("the hypervisor took %s of the CPUs of the %s, limit %s",
				units.Percent(a.StealFrac), a.Name, units.Percent(l.stealFrac()))
		}
	}
	if n := v.ThermalThrottles; n != nil && *n > 0 {
		add("CPUs were slowed down for heat %d times", *n)
	}
	if us := v.QuotaStoppedUS; us != nil && *us > 0 {
		add("the quota of a cgroup stopped our processes for %.1f ms", float64(*us)/1e3)
	}
	switch n := len(v.Kernel); {
	case n == 1:
		add("the kernel's log says: %s", v.Kernel[0])
	case n > 1:
		add("the kernel's log has %d lines that were not to be expected, the first: %s", n, v.Kernel[0])
	}
	return reasons
}

// sumAreas adds the rows of each area up, in the order in which they first appear.
func sumAreas(rows []Row) []AreaRow {
	var sums []AreaRow
	for _, r := range rows {
		for _, a := range r.Areas {
			i := slices.IndexFunc(sums, func(s AreaRow) bool { return s.Name == a.Name && s.Role == a.Role })
			if i < 0 {
				i = len(sums)
				sums = append(sums, AreaRow{Name: a.Name, Role: a.Role})
			}
			s := &sums[i]
			s.TotalUS += a.TotalUS
			s.TaskUS += a.TaskUS
			s.OwnUS += a.OwnUS
			s.InterruptsUS += a.InterruptsUS
			s.StealUS += a.StealUS
			s.OwnUnknown = s.OwnUnknown || a.OwnUnknown
			addTo(&s.ProcessesUS, a.ProcessesUS)
		}
	}
	return sums
}

// sum turns an area's times into shares.
func (r AreaRow) sum() AreaSum {
	total := float64(max(1, r.TotalUS))
	return AreaSum{
		Name: r.Name, Role: r.Role,
		ForeignFrac:    r.foreignFrac(),
		InterruptsFrac: float64(r.InterruptsUS) / total,
		StealFrac:      float64(r.StealUS) / total,
		OwnUnknown:     r.OwnUnknown,
	}
}

// whoOf adds up who was seen in the rows. A process that was not among the first
// five of a row is missed there.
func whoOf(rows []Row, elapsedUS int64) []Consumer {
	var who []Consumer
	for _, r := range rows {
		for _, c := range r.Who {
			used := c.Cores * float64(r.WhoOverUS) / float64(max(1, elapsedUS))
			i := slices.IndexFunc(who, func(w Consumer) bool { return w.PID == c.PID && w.Comm == c.Comm })
			if i < 0 {
				i = len(who)
				who = append(who, c)
				who[i].Cores = 0
			}
			who[i].Cores += used
		}
	}
	slices.SortStableFunc(who, func(a, b Consumer) int { return cmp.Compare(b.Cores, a.Cores) })
	return who[:min(whoMax, len(who))]
}

// addTo adds a number to a sum, either of which may be absent.
func addTo[N int64 | uint64](sum **N, n *N) {
	switch {
	case n == nil:
	case *sum == nil:
		first := *n
		*sum = &first
	default:
		**sum += *n
	}
}
