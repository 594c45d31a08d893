package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// Requirement is a fact that must have a value for anything to be measured.
type Requirement struct {
	Fact string // one of [FixedFacts], or "mitigation." and a weakness
	Want string
}

func (r Requirement) String() string { return r.Fact + "=" + r.Want }

// ParseRequirement reads "governor=performance". An unknown fact is an error: it
// could never hold.
func ParseRequirement(text string) (Requirement, error) {
	fact, want, found := strings.Cut(text, "=")
	fact, want = strings.TrimSpace(fact), strings.TrimSpace(want)
	switch {
	case !found || fact == "" || want == "":
		return Requirement{}, fmt.Errorf("requirement %q: expected a fact and its value, such as governor=performance", text)
	case !isFixedFact(fact):
		return Requirement{}, fmt.Errorf("requirement %q: %s is not a fact of a host; these are: %s", text, fact, strings.Join(fixedFacts, ", "))
	}
	return Requirement{fact, want}, nil
}

// checkRequire evaluates what the session demands. A host that cannot tell is
// refused: nobody would know whether it holds. Of what differs from CPU to CPU those
// that the session uses count.
func (e examination) checkRequire() []Finding {
	const name = "require"
	if len(e.need.Require) == 0 {
		return nil
	}
	facts := e.f.fixed(e.topology)
	facts["governor"] = e.f.governor(e.cpus)
	facts["frequency_driver"] = e.f.eachCPU(e.cpus, "cpufreq/scaling_driver")
	facts["frequency_limits"] = e.f.frequencyLimits(e.cpus)
	var found []Finding
	for _, text := range e.need.Require {
		r, err := ParseRequirement(text)
		if err != nil {
			found = append(found, findingf(name, Refuse, "%v", err))
			continue
		}
		switch have, known := facts[r.Fact]; {
		case !known || have == units.NotAvailable:
			found = append(found, findingf(name, Refuse, "%s: this host does not tell its %s", r, r.Fact))
		case have != r.Want:
			found = append(found, findingf(name, Refuse, "%s: it is %s", r, have))
		default:
			found = append(found, findingf(name, OK, "%s", r))
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return int(b.Level) - int(a.Level) })
	return found
}
