package suite

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// checkSliced tells what cannot be where both variants of a comparison are up and take
// turns.
func (r *reader) checkSliced(s *Suite, p *parts) {
	if s.Gate.Policy != NonInferior {
		r.fault(p.interleaveAt, "interleave: %s is judged by the pairs of slices, which only policy: %s does, and the gate's is %s", Sliced, NonInferior, s.Gate.Policy)
	}
	if len(p.pairs) == 0 {
		r.fault(p.interleaveAt, "interleave: %s, but nothing is compared; expected compare: [{base: ..., new: ...}], of which the two take turns", Sliced)
		return
	}
	r.checkPartners(p)
	checkClosed(p.scenarios)
	r.checkOwnPorts(s, p)
}

// checkPartners tells variants that have not exactly one other to take turns with. One
// that is the base of two others would be measured in slices with each of them, and have
// two numbers for one run.
func (r *reader) checkPartners(p *parts) {
	times := map[string]int{}
	for _, pair := range p.pairs {
		if pair.Base == pair.New {
			continue // told already
		}
		for _, of := range []struct {
			name string
			at   ast.Node
		}{{pair.Base, pair.baseAt}, {pair.New, pair.newAt}} {
			if times[of.name]++; times[of.name] == 2 && of.at != nil {
				r.fault(of.at, "interleave: %s, and variant %q is in two comparisons; expected one other that it takes turns with (a second variant of another name may have the same command)", Sliced, of.name)
			}
		}
	}
	for _, v := range p.variants {
		if times[v.Name] == 0 && v.nameAt != nil {
			v.in.fault(v.nameAt, "interleave: %s, and variant %q is in no comparison: it has nobody to take turns with", Sliced, v.Name)
		}
	}
}

// checkClosed tells scenarios that offer a rate: half of the time nobody would be there.
func checkClosed(scenarios []placed) {
	for _, sc := range scenarios {
		if sc.Load.Kind == Open && sc.nameAt != nil {
			sc.in.fault(sc.nameAt, "interleave: %s, and scenario %q offers a rate; two servers that take turns are loaded in a closed loop", Sliced, sc.Name)
		}
	}
}

// checkOwnPorts tells ports that two would listen at: both variants are up, each with its
// helpers.
func (r *reader) checkOwnPorts(s *Suite, p *parts) {
	for _, c := range s.Compare {
		base, new := findVariant(p.variants, c.Base), findVariant(p.variants, c.New)
		for _, port := range base.Ports {
			same := func(other Port) bool { return other.Number == port.Number }
			if port.Number != 0 && slices.ContainsFunc(new.Ports, same) && new.nameAt != nil {
				new.in.fault(new.nameAt, "interleave: %s, and variants %q and %q both have port %d: both are up, and each needs its own; 0 is a free one", Sliced, c.Base, c.New, port.Number)
			}
		}
	}
	for _, h := range p.helpers {
		if h.hasFixedPort() {
			h.in.fault(h.nameAt, "interleave: %s, and helper %q has a port of its own: each of the two variants that are up has the helper; 0 is a free port", Sliced, h.Name)
		}
	}
	for _, sc := range p.scenarios {
		for _, h := range sc.Helpers {
			if h.hasFixedPort() && sc.nameAt != nil {
				sc.in.fault(sc.nameAt, "interleave: %s, and helper %q has a port of its own: each of the two variants that are up has the helper; 0 is a free port", Sliced, h.Name)
			}
		}
	}
}

func findVariant(variants []placedVariant, name string) placedVariant {
	i := slices.IndexFunc(variants, func(v placedVariant) bool { return v.Name == name })
	return variants[i] // Compare has those that are there
}

func (h Helper) hasFixedPort() bool {
	return slices.ContainsFunc(h.Ports, func(p Port) bool { return p.Number != 0 })
}
