package gate

import (
	"fmt"

	"github.com/scalws/scalbench/internal/stat"
)

// test is one hypothesis about a row under [NonInferior]: that it is worse than it may
// be. Its p is scaled to Alpha.
type test struct {
	of        string
	secondary bool // of a limit; these are a family of their own
	p         float64
	fails     bool // by itself
}

// correct takes back the FAILs that chance may have made: that some row of a table
// failed is a claim about all of its rows, and of many one fails by chance. Holm's
// procedure keeps the probability that any FAIL of the table is wrong at Alpha. A row
// that fails by itself alone is INCONCLUSIVE, and should be measured first.
func correct(rows []*Row, r Rule) {
	if r.Policy != NonInferior {
		return
	}
	kept := map[*Row]bool{}
	limits := map[*Row]string{}
	for _, secondary := range []bool{false, true} {
		var family []*Row
		var tests []test
		var p []float64
		for _, row := range rows {
			for _, t := range row.tests {
				if t.secondary == secondary {
					family, tests, p = append(family, row), append(tests, t), append(p, t.p)
				}
			}
		}
		steps, err := stat.Holm(p, r.alpha())
		if err != nil {
			continue // no p is outside of 0 to 1, and Validate has looked at Alpha
		}
		for i, step := range steps {
			switch {
			case tests[i].fails && step.Rejected:
				kept[family[i]] = true
			case tests[i].fails:
				limits[family[i]] = fmt.Sprintf("that %s fails has p %s by itself, and with %d tests in the table it would have to be at most %s (Holm)", tests[i].of, pText(p[i]), len(p), pText(step.Limit))
			}
		}
	}
	for _, row := range rows {
		if why := limits[row]; row.Verdict == Fail && why != "" && !kept[row] && !row.point {
			row.Verdict, row.First, row.takenBack = Inconclusive, Inconclusive, true
			row.Short = "it fails by itself, which of so many rows one may by chance"
			row.Why = append(row.Why, why+": INCONCLUSIVE")
		}
	}
}
