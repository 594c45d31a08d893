package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// Rounds are missing in three ways. One between others is a hole in the evidence, and
// nothing is judged. Rounds that were measured and are not given, and rounds that a plan
// has and nobody measured, leave an estimate: who may choose rounds, or stop when the
// numbers please, can choose the verdict.

// given are the finished rounds among the evidence, by session, in the order of their
// numbers.
func given(rounds []*record.Round) map[string][]int {
	numbers := map[string][]int{}
	for _, r := range rounds {
		if r.Finished {
			numbers[r.Session] = append(numbers[r.Session], r.Number)
		}
	}
	for _, all := range numbers {
		slices.Sort(all)
	}
	return numbers
}

// checkHoles finds sessions of the table that lack rounds between, or before, others.
func (b *body) checkHoles() {
	numbers := given(b.rounds)
	for _, session := range inOrder(b.rounds) {
		all := numbers[session]
		if text := hole(all); text != "" {
			b.fault("session %s %s", session, text)
		}
		if all[0] > 1 {
			b.lacks = append(b.lacks, fmt.Sprintf("session %s begins with round %d here: %s not among these", session, all[0], isOrAre(1, all[0]-1)))
		}
	}
}

// hole tells which rounds are missing between others; "" when none is.
func hole(numbers []int) string {
	var texts []string
	for i, n := range numbers {
		if i > 0 && n > numbers[i-1]+1 {
			texts = append(texts, fmt.Sprintf("has round %d and round %d, but not %s between them", numbers[i-1], n, roundsText(numbers[i-1]+1, n-1)))
		}
	}
	return strings.Join(texts, ", ")
}

// checkChoice finds the rounds that are done, as the journals of their sessions say, and
// that are not among the evidence.
func (b *body) checkChoice(e Evidence) {
	numbers := given(e.Rounds)
	for _, s := range e.Sessions {
		if s.Journal == nil {
			continue
		}
		for _, done := range s.Journal.Of(record.RoundDone) {
			if !slices.Contains(numbers[s.Plan.Session], done.Round) {
				b.lacks = append(b.lacks, fmt.Sprintf("round %d of session %s is done and is not among these", done.Round, s.Plan.Session))
			}
		}
	}
}

// unmeasured tells which of the table's sessions have fewer rounds than they set out to
// measure; "" when none has. A session that ended because its rows were decided, as the
// journal says, needs no more; and where a rule has looks, each has its own share of
// alpha, whatever made a session stop.
func (b *body) unmeasured(rule Rule) string {
	if rule.MaxRounds > 0 {
		return ""
	}
	var texts []string
	numbers := given(b.rounds)
	for _, session := range inOrder(b.rounds) {
		if s := b.sessions[session]; s != nil {
			if text := fewerThanPlanned(s, len(numbers[session])); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "; ")
}

// fewerThanPlanned tells that a session was not measured to its end; "" when it was.
func fewerThanPlanned(s *record.Session, has int) string {
	if has >= s.Plan.Rounds || s.Journal != nil && s.Journal.EndedDecided() {
		return ""
	}
	return fmt.Sprintf("session %s has %d of the %d rounds of its plan", s.Plan.Session, has, s.Plan.Rounds)
}

// inOrder are the sessions of rounds, each once.
func inOrder(rounds []*record.Round) (sessions []string) {
	for _, r := range rounds {
		if !slices.Contains(sessions, r.Session) {
			sessions = append(sessions, r.Session)
		}
	}
	return sessions
}

// roundsText is "round 2" or "rounds 2 to 4".
func roundsText(from, to int) string {
	if from == to {
		return fmt.Sprintf("round %d", from)
	}
	return fmt.Sprintf("rounds %d to %d", from, to)
}

func isOrAre(from, to int) string {
	if from == to {
		return roundsText(from, to) + " is"
	}
	return roundsText(from, to) + " are"
}
