package gate

import "github.com/scalws/scalbench/internal/record"

// untilStopped returns the rounds of a row. A session under [NonInferior] with looks
// stops row by row: one that was decided is not measured in later rounds, and is judged
// by those that it has. Under every other rule a row that is missing from a round is
// missing evidence.
func untilStopped(rounds []*record.Round, c Comparison, k cell, rule Rule) []*record.Round {
	if rule.Policy != NonInferior || rule.MaxRounds == 0 {
		return rounds
	}
	n := len(rounds)
	for n > rule.Rounds() && len(runsOf(rounds[n-1], c.Base, k)) == 0 && len(runsOf(rounds[n-1], c.New, k)) == 0 {
		n--
	}
	return rounds[:n]
}
