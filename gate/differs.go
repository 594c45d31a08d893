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
	unknown                 // nobody looked, or could see all
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
		case d.Same():
			return same, fmt.Sprintf("nothing differs between %s and %s in round %d", c.Base, c.New, r.Number)
		case s != nil:
			if over := outside(d, mayVary(s.Plan, k)); len(over) > 0 {
				return broken, fmt.Sprintf("round %d: the variants differ in %s, which they may not", r.Number, strings.Join(over, ", "))
			}
		}
		var may []string
		if s != nil {
			may = mayVary(s.Plan, k)
		}
		if hidden := hiddenIn(d, may); looked && hidden != "" {
			result, text = max(result, unknown), hidden
		}
	}
	return result, text
}

// sameInAll tells whether nothing differed in any round.
func sameInAll(rounds []*record.Round, c Comparison) bool {
	return !slices.ContainsFunc(rounds, func(r *record.Round) bool {
		if r.Identity == nil {
			return true
		}
		d, looked := differsIn(r.Identity, c)
		return !looked || !d.Same()
	})
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
	turned := record.Differs{Base: c.Base, New: c.New, NA: d.NA}
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

// hiddenIn tells what could not be compared and might differ where it may not, or be all
// that differs; "" when there is nothing of the kind.
func hiddenIn(d record.Differs, allowed []string) string {
	var texts []string
	for _, one := range d.NA {
		if len(d.Items) == 0 || len(allowed) > 0 && !slices.Contains(allowed, one.What) {
			texts = append(texts, one.What+" ("+one.Why+")")
		}
	}
	switch {
	case texts == nil:
		return ""
	case len(d.Items) == 0:
		return "nothing is known to differ between the variants; not compared: " + strings.Join(texts, ", ")
	}
	return "the variants may differ in what they may not; not compared: " + strings.Join(texts, ", ")
}
