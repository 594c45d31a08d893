package main

import (
	"io"
	"os"
	"path"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// How far a gate looks back. --history takes all that it is given.
const (
	pastLooked = 100 // sessions whose plans are read, the latest written first
	pastJudged = 10  // sessions that are read whole and judged, the latest first
)

// recall gives results the earlier sessions that lie beside them and are not among them.
func recall(all []results) {
	var given []string
	for i := range all {
		for _, s := range all[i].evidence.Sessions {
			given = append(given, s.Dir)
		}
	}
	for i := range all {
		for _, parent := range all[i].parents() {
			all[i].past = append(all[i].past, all[i].pastIn(parent, given)...)
		}
	}
}

// pastIn finds earlier sessions of the same suite, measured the same way on the same
// host, in a directory. They are told beside the verdict and decide nothing, so that
// one which cannot be read is no reason to give none.
func (r *results) pastIn(parent string, given []string) (past []gate.Evidence) {
	if len(r.evidence.Sessions) == 0 {
		return nil
	}
	now := r.evidence.Sessions[0]
	for _, dir := range pastPlans(parent, given, now.Plan) {
		if len(past) == pastJudged {
			break
		}
		s, err := record.ReadSession(hostFiles{}, dir)
		if err != nil || s.Host.Fingerprint() != now.Host.Fingerprint() {
			continue
		}
		table, _ := cutSession(s.Dir)
		roundDirs, err := roundsOf(table)
		rounds, roundErr := readRounds(roundDirs, []*record.Session{s})
		if err == nil && roundErr == nil && len(rounds) > 0 {
			past = append(past, gate.Evidence{Sessions: []*record.Session{s}, Rounds: rounds})
		}
	}
	return past
}

// pastPlans returns the directories of the sessions in a directory that were made
// before a plan and measured as it says, the latest first. Only plans are read.
func pastPlans(parent string, given []string, now *record.Plan) (dirs []string) {
	made := map[string]time.Time{}
	for _, dir := range latestSessions(parent) {
		if slices.Contains(given, dir) {
			continue
		}
		plan, err := readPlan(path.Join(dir, record.PlanFile))
		if err == nil && plan.RepeatOf == "" && plan.Suite == now.Suite && plan.Method() == now.Method() && plan.CreatedUTC.Before(now.CreatedUTC) {
			dirs, made[dir] = append(dirs, dir), plan.CreatedUTC
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return made[b].Compare(made[a]) })
	return dirs
}

// latestSessions returns the directories of sessions that were written last, that one
// first.
func latestSessions(parent string) (dirs []string) {
	entries, _ := os.ReadDir(parent) // what cannot be read has no past
	written := map[string]time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if _, is := cutSession(e.Name()); is && err == nil {
			dir := path.Join(parent, e.Name())
			dirs, written[dir] = append(dirs, dir), info.ModTime()
		}
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return written[b].Compare(written[a]) })
	return dirs[:min(len(dirs), pastLooked)]
}

// readPlan reads the plan of a session.
func readPlan(name string) (*record.Plan, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return record.ReadPlan(file, name)
}

// writeHistory judges each session by itself and by its own rules, and writes the series
// that they make.
func (o *gateOptions) writeHistory(all []results, f *pflag.FlagSet, out io.Writer) error {
	var tables []gate.Table
	for i := range all {
		for _, alone := range all[i].bySession() {
			rules, err := o.rules(&alone, f)
			if err != nil {
				return err
			}
			table, err := gate.Judge(alone.evidence, rules)
			if err != nil {
				return usageError{err}
			}
			tables = append(tables, table)
		}
	}
	series, notes := gate.History(tables)
	return gate.WriteHistory(out, series, notes)
}

// bySession takes results apart: each session is a point of a history.
func (r *results) bySession() (all []results) {
	at := map[string]int{}
	for _, round := range r.evidence.Rounds {
		i, known := at[round.Session]
		if !known {
			i = len(all)
			at[round.Session] = i
			alone := results{evidence: gate.Evidence{Seconds: r.evidence.Seconds}, rulings: r.rulings}
			for _, s := range r.evidence.Sessions {
				if s.Plan.Session == round.Session {
					alone.evidence.Sessions = append(alone.evidence.Sessions, s)
				}
			}
			all = append(all, alone)
		}
		all[i].evidence.Rounds = append(all[i].evidence.Rounds, round)
	}
	return all
}
