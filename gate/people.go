package gate

import (
	"fmt"

	"github.com/scalws/scalbench/internal/record"
)

// addNotes adds what people noted about the sessions of the table and of its repeats, with
// the time.
func (b *body) addNotes() {
	told := map[string]bool{}
	tell := func(id string) {
		s := b.sessions[id]
		if s == nil || s.Journal == nil || told[id] {
			return
		}
		told[id] = true
		for _, e := range s.Journal.Of(record.Note) {
			b.note("noted %s UTC: %s", e.UTC.UTC().Format("2006-01-02 15:04"), e.Text)
		}
	}
	for _, r := range b.rounds {
		tell(r.Session)
	}
	for _, r := range b.repeats {
		tell(r.plan.Session)
	}
}

// logErrorsMax is how many errors of logs are told: all are in identity.json.
const logErrorsMax = 5

// noteLogErrors tells what the servers of the table's rounds logged, each once.
func (b *body) noteLogErrors() {
	var all []record.LogError
	for _, r := range b.rounds {
		if r.Identity != nil {
			all = record.AddLogErrors(all, r.Identity.LogErrors)
		}
	}
	for i, e := range all {
		if i == logErrorsMax {
			b.note("%d more errors are in the logs", len(all)-i)
			break
		}
		b.note("logs: %s", e)
	}
}

// identity tells of each variant that is compared in how many samples it was the one that
// was meant, over all rounds.
func (t *Table) identity() []string {
	var lines []string
	for _, line := range record.IdentityLines(t.identityCounts()) {
		lines = append(lines, fmt.Sprintf("identity of %s", line))
	}
	return lines
}

// identityCounts are those of the variants that are compared, added up over the rounds.
func (t *Table) identityCounts() (sum []record.IdentityCount) {
	compared := map[string]bool{}
	for _, c := range t.Rules.Compare {
		compared[c.Base], compared[c.New] = true, true
	}
	for _, r := range t.Rounds {
		if r.Identity == nil {
			continue
		}
		for _, c := range r.Identity.Counts {
			if compared[c.Variant] {
				sum = record.AddCounts(sum, []record.IdentityCount{c})
			}
		}
	}
	return sum
}
