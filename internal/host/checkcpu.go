package host

import (
	"fmt"

	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// checkGovernor wants CPUs that do not change their frequency by themselves.
func (e examination) checkGovernor() []Finding {
	const name = "governor"
	switch fact := e.f.governor(e.cpus); fact {
	case "performance":
		return one(findingf(name, OK, "governor is performance on CPUs %s", e.cpus))
	case units.NotAvailable:
		return one(findingf(name, NA, "this host does not show the frequency of its CPUs").flagged("unknown-frequency"))
	default:
		return one(findingf(name, Warn, "governor is %s: frequencies follow the load, and results with them", fact))
	}
}

// checkTurbo wants CPUs that do not run faster while others rest.
func (e examination) checkTurbo() []Finding {
	const name = "turbo"
	switch e.f.turbo() {
	case "off":
		return one(findingf(name, OK, "turbo is off"))
	case "on":
		return one(findingf(name, Warn, "turbo is on: frequencies depend on temperature and on how many CPUs are busy"))
	}
	return one(findingf(name, NA, "this host does not tell whether its CPUs have turbo"))
}

// checkASLR wants addresses that are drawn anew with every start: a fixed layout
// would be measured as if it were the program. Runs average over it.
func (e examination) checkASLR() []Finding {
	const name = "aslr"
	switch fact := e.f.fact("proc/sys/kernel/randomize_va_space"); fact {
	case "2":
		return one(findingf(name, OK, "addresses are drawn at random (randomize_va_space 2)"))
	case units.NotAvailable:
		return one(findingf(name, NA, "this host does not tell whether addresses are drawn at random"))
	default:
		return one(findingf(name, Warn, "randomize_va_space is %s, want 2: all runs have one layout of memory, and measure it too", fact))
	}
}

// checkTHP warns of large pages that come when the kernel finds time.
func (e examination) checkTHP() []Finding {
	const name = "thp"
	switch fact := chosen(e.f.fact("sys/kernel/mm/transparent_hugepage/enabled")); fact {
	case units.NotAvailable:
		return one(findingf(name, NA, "this kernel has no transparent huge pages"))
	case "always":
		return one(findingf(name, Warn, "transparent huge pages are given always: when a process gets them, and how much memory it has then, is chance"))
	default:
		return one(findingf(name, OK, "transparent huge pages: %s", fact))
	}
}

// checkVirtualization tells of a hypervisor: others may use the same CPUs unseen.
func (e examination) checkVirtualization() []Finding {
	const name = "virtualization"
	switch fact := e.f.virtualization(); fact {
	case none:
		return one(findingf(name, OK, "not a virtual machine"))
	case units.NotAvailable:
		return one(findingf(name, NA, "this host does not tell whether it is a virtual machine"))
	default:
		return one(findingf(name, Warn, "a virtual machine (%s): what else runs on its hardware cannot be seen", fact).flagged("virtual-machine"))
	}
}

// stealMax is how much the hypervisor may take without being told of: a clock tick
// now and then is everywhere.
const stealMax = 0.005

// checkSteal looks at what the hypervisor took in the time of the examination, and
// since boot: an idle guest is not stolen from, however full its host is.
func (e examination) checkSteal() []Finding {
	const name = "steal"
	before, after := procfs.SumWork(e.before.work, e.cpus), procfs.SumWork(e.after.work, e.cpus)
	now, ever := stealFrac(after.Sub(before)), stealFrac(after)
	text := fmt.Sprintf("the hypervisor took %s of the CPU time now, %s since boot", units.Percent(now), units.Percent(ever))
	switch {
	case after.Total() == 0:
		return one(findingf(name, NA, "this host does not tell how its CPUs spent their time"))
	case now > stealMax:
		return one(findingf(name, Warn, "%s", text).flagged("steal"))
	case ever > stealMax:
		return one(findingf(name, Note, "%s", text))
	}
	return one(findingf(name, OK, "%s", text))
}

func stealFrac(w procfs.CPUWork) float64 {
	if w.Total() <= 0 {
		return 0
	}
	return float64(w.Steal) / float64(w.Total())
}
