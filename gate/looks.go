package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// A session may go on only with the rows that are not decided. What a row says is then
// by the rounds that it has, at the level of its own last look. That its session chose
// when to stop costs nothing more: the shares of all looks add up to Alpha, whatever
// made it stop (Rule.look), and so does the family of the table, whose p are scaled to
// their looks.

// roundsOf returns the rounds, of those given, that a row must be in: all but those that
// its session measured after the row was decided, as the journal says. A row that is
// there all the same contradicts the journal, which is the fault.
func (b *body) roundsOf(rounds []*record.Round, k cell) (of []*record.Round, fault string) {
	for _, r := range rounds {
		after := 0
		if s := b.sessions[r.Session]; s != nil && s.Journal != nil {
			after = s.Journal.DecidedAfter(k.mode, k.scenario)
		}
		switch {
		case after == 0 || r.Number <= after:
			of = append(of, r)
		case slices.ContainsFunc(r.Measurements, func(m record.Measurement) bool { return cell{m.Mode, m.Scenario} == k }):
			return nil, fmt.Sprintf("it was decided after round %d, by the journal, and is in round %d", after, r.Number)
		}
	}
	return of, ""
}

// sayStopped tells that a row has fewer rounds than its table.
func (r *Row) sayStopped(has, of []*record.Round) {
	if len(has) == len(of) {
		return
	}
	r.Why = append([]string{fmt.Sprintf("it has %d of the %d rounds: its session had decided it by then", len(has), len(of))}, r.Why...)
	if r.Verdict.open() {
		r.flag(FlagUndecided, "its session took it for decided after %d rounds, by another rule or beside other rows; now it is %s", len(has), r.Verdict)
	}
}

// addedRounds puts aside what a session measured since its first look, under [Fixed],
// which has no error to share among looks. They were measured because rows were
// BORDERLINE, and are what such rows get in the published method: a repeat, which decides
// alone, once it is whole. Looked at after each of them, and as one with the rounds that
// were BORDERLINE, a row would pass if only it was measured often enough.
func (b *body) addedRounds(r Rule) {
	if r.Policy != Fixed || r.MaxRounds == 0 {
		return
	}
	var first []*record.Round
	var added []repeat
	for _, round := range b.rounds {
		if round.Number <= r.Rounds() {
			first = append(first, round)
			continue
		}
		i := slices.IndexFunc(added, func(a repeat) bool { return a.rounds[0].Session == round.Session })
		if i < 0 {
			i = len(added)
			added = append(added, repeat{plan: b.plan, added: r.MaxRounds - r.Rounds()})
		}
		added[i].rounds = append(added[i].rounds, round)
	}
	if len(first) == 0 || len(added) == 0 {
		return
	}
	b.rounds, b.repeats = first, append(added, b.repeats...)
	b.note("rounds after the first %d decide as a repeat does, of rows that were BORDERLINE", r.Rounds())
}

// noteLooks tells of sessions that were stopped by looks of which the rule knows nothing.
func (b *body) noteLooks(r Rule) {
	var seen []string
	for _, round := range b.rounds {
		s := b.sessions[round.Session]
		if s == nil || s.Plan.Gate.MaxRounds == 0 || slices.Contains(seen, round.Session) {
			continue
		}
		seen = append(seen, round.Session)
		by, err := RuleOf(s.Plan.Gate)
		if err != nil || by.MaxRounds == 0 || by.Policy == r.Policy && by.MaxRounds == r.MaxRounds && by.Rounds() == r.Rounds() && by.Spend == r.Spend {
			continue
		}
		b.note("session %s was measured until it was decided by %s: what this rule says of errors is of one look, at a number of rounds that was not chosen by their numbers", s.Plan.Session, by.text())
	}
}

// Looked is what a table says about the rounds to come of a scenario in a mode, over all
// comparisons.
type Looked struct {
	Mode, Scenario string
	Decided        bool   // no more rounds are needed, or no number of rounds helps
	First          bool   // it fails by itself, and only the number of rows keeps it open: it should be measured first
	Text           string // the verdicts: b/a PASS
}

// Look tells which rows of a session are decided after the rounds that it has. While
// these are fewer than the rule needs none is.
func (t *Table) Look() []Looked {
	var all []Looked
	early := tooFewRounds(len(t.Rounds), t.Rules.Rule) != ""
	for i := range t.Rows {
		r := &t.Rows[i]
		at := slices.IndexFunc(all, func(l Looked) bool { return cell{l.Mode, l.Scenario} == r.cell() })
		if at < 0 {
			at = len(all)
			all = append(all, Looked{Mode: r.Mode, Scenario: r.Scenario, Decided: !early})
		}
		l := &all[at]
		l.Decided = l.Decided && !r.Verdict.open()
		l.First = l.First || r.takenBack
		l.Text = strings.TrimPrefix(l.Text+", "+r.New+"/"+r.Base+" "+r.Word(), ", ")
	}
	return all
}
