package ab

import (
	"fmt"
	"math"
)

// driftText is what no comparison of finished runs can answer for.
const driftText = "runs at different times do not cancel drift: what the host did in between is in every number"

// Lines has a line for each metric that both runs have, and a last one on what the
// numbers cannot know:
//
//	rps          B is 1.7 % slower (1.4 to 2.0 %)
//	p99          cannot tell (needs >= 4.2 %): 2.0 % higher
//	note         runs at different times do not cancel drift: …
func (c Comparison) Lines() []string {
	var lines []string
	for _, m := range []struct {
		name, subject string
		of            Change
		words         direction
	}{
		{"rps", "B is ", c.RPS, slowerFaster}, {"p50", "", c.P50, lowerHigher}, {"p99", "", c.P99, lowerHigher}, {"CPU/request", "", c.CPU, lowerHigher},
	} {
		if !math.IsNaN(m.of.Ratio) {
			lines = append(lines, fmt.Sprintf("%-11s  %s", m.name, m.of.text(m.subject, m.words)))
		}
	}
	return append(lines, fmt.Sprintf("%-11s  %s", "note", driftText))
}

func (c Change) text(subject string, w direction) string {
	e := Estimate{Ratio: c.Ratio, Lo: c.Lo, Hi: c.Hi}
	plain := fmt.Sprintf("%s %% %s", number(math.Abs(c.Ratio-1), 1), w.of(c.Ratio))
	switch {
	case !c.Known():
		return "cannot tell (too few windows to know the noise): " + plain
	case c.Verdict == CannotTell:
		return fmt.Sprintf("cannot tell (needs >= %s %%): %s", number(c.Needs, 1), plain)
	}
	return subject + e.change(w)
}
