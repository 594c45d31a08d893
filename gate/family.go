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

	family int     // tests in the table that claim as much; 0: not corrected
	limit  float64 // that p has to be within, of so many (Holm)
	kept   bool    // p, and all smaller ones, are within theirs
}

// text tells what the test says, number by number.
func (t *test) text() string {
	text := fmt.Sprintf("that %s is worse than it may be has p %s", t.of, pText(t.p))
	if t.family == 0 {
		return text
	}
	verb := "has to be"
	if !t.kept {
		verb = "would have to be"
	}
	return text + fmt.Sprintf("; as one of %d such tests it %s at most %s (Holm)", t.family, verb, pText(t.limit))
}

// correct takes back the FAILs that chance may have made: that some row of a table
// failed is a claim about all of its rows, and of many one fails by chance. Holm's
// procedure keeps the probability that any FAIL of the table is wrong at Alpha. A row
// that fails by itself alone is INCONCLUSIVE, and should be measured first.
func correct(rows []*Row, r Rule) {
	if r.Policy != NonInferior {
		return
	}
	for _, secondary := range []bool{false, true} {
		var family []*test
		var p []float64
		for _, row := range rows {
			for i := range row.tests {
				if t := &row.tests[i]; t.secondary == secondary {
					family, p = append(family, t), append(p, t.p)
				}
			}
		}
		steps, err := stat.Holm(p, r.alpha())
		if err != nil {
			continue // no p is outside of 0 to 1, and Validate has looked at Alpha
		}
		for i, step := range steps {
			family[i].family, family[i].limit, family[i].kept = len(p), step.Limit, step.Rejected
		}
	}
	for _, row := range rows {
		row.takeBack()
	}
}

// takeBack makes a row INCONCLUSIVE that failed by tests alone of which none is kept.
func (r *Row) takeBack() {
	if r.Verdict != Fail || r.point {
		return
	}
	var failed *test
	for i := range r.tests {
		switch t := &r.tests[i]; {
		case t.fails && t.kept:
			return
		case t.fails:
			failed = t
		}
	}
	if failed != nil {
		r.Verdict, r.First, r.takenBack = Inconclusive, Inconclusive, true
		r.Short = "it fails by itself, which of so many rows one may by chance"
		r.Why = append(r.Why, failed.text()+": INCONCLUSIVE")
	}
}
