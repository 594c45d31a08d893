package gate

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// span says when and where the table's rounds were measured: "Rounds 2026-11-06 21:00
// to 2026-11-07 00:12, results/xeon-gate1-{1,2,3}". Times are UTC. Nothing when the
// measurements do not say.
func (t *Table) span() []string {
	var from, to time.Time
	var dirs []string
	for _, r := range t.Rounds {
		if b := began(r); !b.IsZero() && (from.IsZero() || b.Before(from)) {
			from = b
		}
		if e := ended(r); e.After(to) {
			to = e
		}
		dirs = append(dirs, r.Dir)
	}
	if from.IsZero() {
		return nil
	}
	const minutes = "2006-01-02 15:04"
	until := to.Format(minutes)
	if to.Format(time.DateOnly) == from.Format(time.DateOnly) {
		until = to.Format("15:04")
	}
	return []string{"Rounds " + from.Format(minutes) + " to " + until + " UTC, " + braced(dirs)}
}

// ended is when the last measurement of a round ended.
func ended(r *record.Round) (last time.Time) {
	for _, m := range r.Measurements {
		if m.StartUTC.IsZero() {
			continue
		}
		seconds, _ := m.DurationSeconds.Get()
		if end := m.StartUTC.Add(time.Duration(seconds * float64(time.Second))); end.After(last) {
			last = end
		}
	}
	return last
}

// braced writes the directories of the rounds of one table as a shell would take
// them, and others one after the other.
func braced(dirs []string) string {
	var numbers []string
	stem := ""
	for _, dir := range dirs {
		table, number, err := record.SplitRoundDir(dir)
		if err != nil || stem != "" && stem != path.Join(path.Dir(dir), table) {
			return strings.Join(dirs, ", ")
		}
		stem = path.Join(path.Dir(dir), table)
		numbers = append(numbers, strconv.Itoa(number))
	}
	if len(numbers) < 2 {
		return strings.Join(dirs, ", ")
	}
	return stem + "-{" + strings.Join(numbers, ",") + "}"
}

// differsLine is the line above a table.
func differsLine(d record.Differs) string {
	texts := make([]string, len(d.Items))
	for i, one := range d.Items {
		texts[i] = one.What
		if one.Base != "" || one.New != "" {
			texts[i] += " (" + d.Base + ": " + orAbsent(one.Base) + ", " + d.New + ": " + orAbsent(one.New) + ")"
		}
	}
	line := "differs: " + strings.Join(texts, "; ")
	if len(d.Items) == 0 {
		line = "differs: nothing between " + d.Base + " and " + d.New
	}
	if len(d.NA) == 0 {
		return line
	}
	var hidden []string
	for _, one := range d.NA {
		hidden = append(hidden, one.What+" ("+one.Why+")")
	}
	return line + "; not compared: " + strings.Join(hidden, ", ")
}
