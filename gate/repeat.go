package gate

import (
	"slices"

	"github.com/scalws/scalbench/internal/record"
)

// applyRepeats judges the repeats of a row, all of which are kept, and lets the first
// one that decides resolve it. A repeat resolves BORDERLINE and INCONCLUSIVE alone: if
// it could overwrite FAIL, whoever repeats often enough would pass. One that is
// INVALID resolves nothing.
func (b *body) applyRepeats(row *Row, rules Rules) {
	for _, r := range b.repeats {
		if _, has := r.plan.Scenario(row.Mode, row.Scenario); !has {
			continue
		}
		again := b.judgeRow(r.rounds, r.plan, row.Comparison, row.cell(), rules)
		again.sameBinaries(row)
		row.Repeats = append(row.Repeats, again)
		if row.Verdict.open() && again.Verdict.judged() {
			row.Verdict = again.Verdict
			ratio, _ := again.Numbers.judged()
			row.Short += ", then " + ratioText(ratio) + " " + again.Word() + " in a repeat"
			row.Why = append(row.Why, "repeated in session "+r.plan.Session+":")
			row.Why = append(row.Why, again.Why...)
		}
	}
	switch {
	case len(row.Repeats) == 0:
	case row.First.open():
		row.flag(FlagRepeated, "%s, then %s", row.First, row.Verdict)
	default:
		row.flag(FlagRepeated, "a repeat decides BORDERLINE and INCONCLUSIVE alone, and %s stays", row.First)
	}
}

// sameBinaries makes a repeat INVALID that was of other programs than the row.
func (r *Row) sameBinaries(row *Row) {
	base, new := row.Numbers.runs()
	baseAgain, newAgain := r.Numbers.runs()
	for _, text := range []string{
		twoBinaries(r.Base, slices.Concat(base, baseAgain)), twoBinaries(r.New, slices.Concat(new, newAgain)),
	} {
		if text != "" {
			r.conclude(Invalid, text)
			return
		}
	}
}

// applyRulings finds what a person decided about a row that failed; of several the
// last. The verdict stays.
func applyRulings(row *Row, rulings []record.Ruling) {
	if row.Verdict != Fail {
		return
	}
	for _, ruling := range slices.Backward(rulings) {
		if row.Is(ruling.Row) {
			row.Ruling = &ruling
			row.flag(FlagRuled, "%s, %s: %s", ruling.Date, ruling.By, ruling.Text)
			return
		}
	}
}
