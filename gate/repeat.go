package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// applyRepeat judges the rows of a repeat, all of which are kept, and lets the first
// repeat that decides resolve a row. A repeat resolves BORDERLINE and INCONCLUSIVE
// alone: if it could overwrite FAIL, whoever repeats often enough would pass. One that
// is INVALID resolves nothing, and under [NonInferior] none of fewer rounds than a table
// needs: what differs from round to round cannot be seen in one. Nor does one of fewer
// rounds than it set out to measure; rounds that a session adds decide when all of them
// are there.
func (b *body) applyRepeat(t *Table, r repeat) {
	var rows, again []*Row
	for _, row := range t.rows() {
		if _, has := r.plan.Scenario(row.Mode, row.Scenario); !has || r.lacks(b, row) {
			continue
		}
		judged := b.judgeRow(r.rounds, r.plan, row.Comparison, row.cell(), t.Rules)
		judged.sameBinaries(row)
		rows, again = append(rows, row), append(again, &judged)
	}
	correct(again, t.Rules.Rule)
	few := ""
	switch {
	case t.Rules.Policy == NonInferior:
		few = tooFewRounds(len(r.rounds), t.Rules.Rule)
	case len(r.rounds) < r.added:
		few = fmt.Sprintf("%d of the %d rounds that decide together", len(r.rounds), r.added)
	}
	if few == "" && r.added == 0 {
		few = fewerThanPlanned(b.sessions[r.plan.Session], len(r.rounds))
	}
	for i, row := range rows {
		if few != "" {
			again[i].Short += ", an estimate: " + few
			row.Repeats = append(row.Repeats, *again[i])
			continue
		}
		row.resolve(*again[i], r.name())
	}
}

// lacks tells whether a row was not measured again in the rounds that its session added,
// because it was decided or cannot be measured.
func (r *repeat) lacks(b *body, row *Row) bool {
	if r.added == 0 {
		return false
	}
	rounds, _ := b.roundsOf(r.rounds, row.cell()) // a fault is told by judgeRow
	return len(rounds) == 0 || !row.First.judged()
}

// name is what a reader finds it by.
func (r *repeat) name() string {
	if r.added > 0 {
		return fmt.Sprintf("rounds %d to %d", r.rounds[0].Number, r.rounds[len(r.rounds)-1].Number)
	}
	return "session " + r.plan.Session
}

// resolve takes what a repeat says of the row.
func (r *Row) resolve(again Row, in string) {
	r.Repeats = append(r.Repeats, again)
	for _, f := range again.Flags {
		if f.Code == FlagControlMoved {
			r.flag(f.Code, "in a repeat: %s", f.Text)
		}
	}
	if !r.Verdict.open() || !again.Verdict.judged() {
		return
	}
	r.Verdict = again.Verdict
	r.Short += ", then " + ratioText(again.Ratio) + " " + again.Word() + " in a repeat"
	r.Why = append(r.Why, "repeated in "+in+":")
	r.Why = append(r.Why, again.Why...)
}

// flagRepeats tells what repeats made of the row.
func (r *Row) flagRepeats() {
	switch {
	case len(r.Repeats) == 0:
	case !r.First.open():
		r.flag(FlagRepeated, "a repeat decides BORDERLINE and INCONCLUSIVE alone, and %s stays", r.First)
	case r.First == Inconclusive && r.Verdict != Inconclusive:
		r.flag(FlagRepeated, "%s, then %s: with a second look each error is up to twice as likely", r.First, r.Verdict)
	default:
		r.flag(FlagRepeated, "%s, then %s", r.First, r.Verdict)
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
// last. The verdict stays. Nobody can have decided about what was not measured yet: a
// ruling that is older than the measurements, which began at that time, is told and left
// out. A day is left for those whose day begins later.
func applyRulings(row *Row, rulings []record.Ruling, began time.Time) {
	if row.Verdict != Fail {
		return
	}
	earliest := began.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, ruling := range slices.Backward(rulings) {
		switch {
		case !row.Is(ruling.Row):
		case !began.IsZero() && ruling.Date < earliest:
			row.flag(FlagRulingOld, "%s, %s: it is older than what was measured, and was left out", ruling.Date, ruling.By)
		default:
			row.Ruling = &ruling
			row.flag(FlagRuled, "%s, %s: %s", ruling.Date, ruling.By, ruling.Text)
			return
		}
	}
}
