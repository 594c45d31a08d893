package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
)

// identityOf makes the identity of a round from the directories of its measurements:
// what this process remembers is not all, when the session was resumed.
func (s *sitting) identityOf(round int) (*record.Identity, error) {
	seen, err := s.identities(round)
	if err != nil {
		return nil, err
	}
	id := &record.Identity{}
	for _, v := range s.suite.Variants {
		var counts []record.IdentityCount
		for _, one := range seen {
			if one.key.Variant == v.Name {
				counts = record.AddCounts(counts, one.Counts)
			}
		}
		id.Counts = append(id.Counts, counts...)
		if ran, other := s.ran(v.Name, seen); other {
			id.Programs = append(id.Programs, ran)
		}
	}
	for _, pair := range s.pairs() {
		if d, looked := differsIn(seen, pair); looked {
			id.Differs = append(id.Differs, d)
		}
	}
	return id, nil
}

// ran is the program that a variant was seen to run, where that is not the one of the plan:
// a wrapper has become it. false: it is, or its file is not there any more.
func (s *sitting) ran(variant string, seen []identified) (record.Program, bool) {
	i := slices.IndexFunc(s.session.Plan.Variants, func(v record.PlanVariant) bool { return v.Name == variant })
	planned := s.session.Plan.Variants[i].Binary
	for _, one := range seen {
		facts := one.Facts
		if one.key.Variant != variant || facts.Exe == "" || !facts.Binary.Known() || facts.Binary.Value == "" {
			continue
		}
		if planned != nil && planned.SHA256 == facts.Binary.Value {
			return record.Program{}, false
		}
		b, err := serverproc.ReadBinary(facts.Exe)
		if err != nil || b.SHA256 != facts.Binary.Value {
			continue
		}
		return record.Program{Variant: variant, Binary: binaryOf(b)}, true
	}
	return record.Program{}, false
}

// identified is what one measurement was of.
type identified struct {
	key session.Key
	measure.Identity
}

// identities reads those of a round. A measurement whose server never ran has none.
func (s *sitting) identities(round int) ([]identified, error) {
	var all []identified
	state := s.session.State()
	for _, k := range state.Keys(round) {
		path := filepath.Join(s.session.MeasurementDir(k), measure.IdentityFile)
		data, err := os.ReadFile(path)
		if noFile(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		id, err := measure.ReadIdentity(data)
		if err == nil {
			err = sameSession(s.session, id.Session)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Dir(path), err)
		}
		all = append(all, identified{k, id})
	}
	return all, nil
}

// pairs are the comparisons of the plan, and every other pair of variants, for any may
// be asked for later.
func (s *sitting) pairs() []record.PlanComparison {
	pairs := slices.Clone(s.session.Plan.Compare)
	for i, base := range s.suite.Variants {
		for _, new := range s.suite.Variants[i+1:] {
			if !slices.ContainsFunc(pairs, func(p record.PlanComparison) bool {
				return p.Base == base.Name && p.New == new.Name || p.Base == new.Name && p.New == base.Name
			}) {
				pairs = append(pairs, record.PlanComparison{Base: base.Name, New: new.Name})
			}
		}
	}
	return pairs
}

// differsIn collects in what two variants differed in the runs and scenarios of a
// round, and what could not be compared in some; false when no pair of them was seen.
// Where nothing differed in one of them, nothing differs in the round: what is the same
// program once is no comparison, and the others would hide it.
func differsIn(seen []identified, pair record.PlanComparison) (record.Differs, bool) {
	all, looked := record.Differs{Base: pair.Base, New: pair.New}, false
	for _, base := range seen {
		if base.key.Variant != pair.Base {
			continue
		}
		partner := base.key
		partner.Variant = pair.New
		i := slices.IndexFunc(seen, func(one identified) bool { return one.key == partner })
		if i < 0 {
			continue
		}
		d := serverproc.Differs(base.Facts, seen[i].Facts)
		if d.Same() {
			return record.Differs{Base: pair.Base, New: pair.New}, true
		}
		looked = true
		for _, text := range d.NA {
			what, why, _ := strings.Cut(text, ": ")
			if one := (record.NotCompared{What: what, Why: why}); !slices.Contains(all.NA, one) {
				all.NA = append(all.NA, one)
			}
		}
		for _, item := range d.Items {
			if one := record.Difference(item); !slices.Contains(all.Items, one) {
				all.Items = append(all.Items, one)
			}
		}
	}
	return all, looked
}
