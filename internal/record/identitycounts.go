package record

import (
	"fmt"
	"slices"
	"strings"
)

// AddCounts adds the counts of a measurement to those of others of the variant: a check
// that both have is added up. What one of them could not look at is n/a only when neither
// could.
func AddCounts(to, more []IdentityCount) []IdentityCount {
	sum := slices.Clone(to)
	for _, c := range more {
		i := slices.IndexFunc(sum, func(s IdentityCount) bool { return s.Variant == c.Variant && s.Check == c.Check })
		if i < 0 {
			sum = append(sum, c)
			continue
		}
		s := &sum[i]
		s.Samples, s.OK, s.Early = s.Samples+c.Samples, s.OK+c.OK, s.Early+c.Early
		if s.Missed == "" {
			s.Missed = c.Missed
		}
		switch {
		case s.Samples+s.Early > 0:
			s.NA = ""
		case s.NA == "":
			s.NA = c.NA
		}
	}
	return sum
}

// IdentityLines tell of each variant, in the order of the counts, in how many samples it was
// the one that was meant: "on: 253 samples, 253 ok, 1 early (exe, seccomp 2)", what was
// looked at in parentheses; a check that did not hold each time, and what could not be
// looked at, follow.
func IdentityLines(counts []IdentityCount) []string {
	var variants []string
	for _, c := range counts {
		if !slices.Contains(variants, c.Variant) {
			variants = append(variants, c.Variant)
		}
	}
	lines := make([]string, 0, len(variants))
	for _, v := range variants {
		lines = append(lines, v+": "+identityText(slices.DeleteFunc(slices.Clone(counts), func(c IdentityCount) bool { return c.Variant != v })))
	}
	return lines
}

// helperCheck begins the name of a check of a helper: "helper upstream: exe".
const helperCheck = "helper "

// identityText is about one variant. A sample looks at all that can be looked at, so that
// the check with the most samples has them all.
func identityText(counts []IdentityCount) string {
	var samples, wrong, early int
	var checks, helpers, rest []string
	for _, c := range counts {
		samples, wrong, early = max(samples, c.Samples), max(wrong, c.Samples-c.OK), max(early, c.Early)
		switch {
		case c.NA != "":
			rest = append(rest, fmt.Sprintf("%s n/a: %s", c.Check, c.NA))
			continue
		case c.OK < c.Samples:
			rest = append(rest, fmt.Sprintf("%s %d of %d: %s", c.Check, c.OK, c.Samples, c.Missed))
		}
		if name, _, of := strings.Cut(strings.TrimPrefix(c.Check, helperCheck), ": "); of && strings.HasPrefix(c.Check, helperCheck) {
			if !slices.Contains(helpers, name) {
				helpers = append(helpers, name)
			}
			continue
		}
		checks = append(checks, c.Check)
	}
	if len(helpers) > 0 {
		checks = append(checks, "and of helpers "+strings.Join(helpers, " "))
	}
	text := fmt.Sprintf("%d samples, %d ok", samples, samples-wrong)
	if early > 0 {
		text += fmt.Sprintf(", %d early", early)
	}
	if len(checks) > 0 {
		text += " (" + strings.Join(checks, ", ") + ")"
	}
	return strings.Join(append([]string{text}, rest...), "; ")
}
