package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// likeness is what the rounds say about how the two variants of a comparison differ.
type likeness int

const (
	unlike  likeness = iota // they differ, as they may
	same                    // nothing differs
	unknown                 // nobody looked
	broken                  // they differ in what they may not, or the evidence is missing
)

// compareVariants holds what differs between the variants of a row against what may.
// One round in which nothing differed makes the row the same: a median would hide it.
func (b *body) compareVariants(rounds []*record.Round, c Comparison, k cell) (likeness, string) {
	result, text := unlike, ""
	for _, r := range rounds {
		s := b.sessions[r.Session]
		if r.Identity == nil {
			if s != nil {
				return broken, fmt.Sprintf("%s has no %s: nobody knows whether the variants were those meant", r.Dir, record.IdentityFile)
			}
			result, text = max(result, unknown), "what differs between the variants was not recorded"
			continue
		}
		d, looked := differsIn(r.Identity, c)
		switch {
		case !looked:
			result, text = max(result, unknown), "what differs between the variants was not recorded"
		case len(d.Items) == 0:
			return same, fmt.Sprintf("nothing differs between %s and %s in round %d", c.Base, c.New, r.Number)
		case s != nil:
			if over := outside(d, mayVary(s.Plan, k)); len(over) > 0 {
				return broken, fmt.Sprintf("round %d: the variants differ in %s, which they may not", r.Number, strings.Join(over, ", "))
			}
		}
	}
	return result, text
}

// differsIn finds the differences of a comparison, whichever way round they were
// looked for.
func differsIn(id *record.Identity, c Comparison) (record.Differs, bool) {
	if d, ok := id.Between(c.Base, c.New); ok {
		return d, true
	}
	d, ok := id.Between(c.New, c.Base)
	if !ok {
		return d, false
	}
	turned := record.Differs{Base: c.Base, New: c.New}
	for _, item := range d.Items {
		turned.Items = append(turned.Items, record.Difference{What: item.What, Base: item.New, New: item.Base})
	}
	return turned, true
}

// mayVary are the things in which variants may differ in a row; none: in anything.
func mayVary(plan *record.Plan, k cell) []string {
	s, _ := plan.Scenario(k.mode, k.scenario)
	return slices.Concat(plan.Varies, s.Varies)
}

// outside returns what differs and may not.
func outside(d record.Differs, allowed []string) (over []string) {
	if len(allowed) == 0 {
		return nil
	}
	for _, item := range d.Items {
		if !slices.Contains(allowed, item.What) {
			over = append(over, fmt.Sprintf("%s (%s, %s)", item.What, item.Base, item.New))
		}
	}
	return over
}
