package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// pastMax is how many earlier sessions are read beside a gate. --history takes all that
// it is given.
const pastMax = 10

// pastIn finds earlier sessions of the same suite on the same host in a directory. They
// are told beside the verdict and decide nothing, so that one which cannot be read is
// no reason to give none.
func (r *results) pastIn(parent string, given []string) (past []gate.Evidence) {
	plan := r.plan()
	if plan == nil {
		return nil
	}
	here := r.evidence.Sessions[0].Host.Fingerprint()
	dirs, _ := fs.Glob(os.DirFS(parent), "*.session") // the pattern is right
	var sessions []*record.Session
	for _, dir := range dirs {
		if dir = path.Join(parent, dir); slices.Contains(given, dir) {
			continue
		}
		s, err := record.ReadSession(hostFiles{}, dir)
		if err == nil && s.Plan.Suite == plan.Suite && s.Plan.RepeatOf == "" && s.Plan.CreatedUTC.Before(plan.CreatedUTC) && s.Host.Fingerprint() == here {
			sessions = append(sessions, s)
		}
	}
	slices.SortFunc(sessions, func(a, b *record.Session) int { return a.Plan.CreatedUTC.Compare(b.Plan.CreatedUTC) })
	for _, s := range sessions[max(0, len(sessions)-pastMax):] {
		table, _ := cutSession(s.Dir)
		roundDirs, err := roundsOf(table)
		rounds, roundErr := readRounds(roundDirs, []*record.Session{s})
		if err == nil && roundErr == nil {
			past = append(past, gate.Evidence{Sessions: []*record.Session{s}, Rounds: rounds})
		}
	}
	return past
}

// writeHistory judges each session by itself, and writes the series that they make.
func (o *gateOptions) writeHistory(all []results, f *pflag.FlagSet, out io.Writer) error {
	var tables []gate.Table
	for i := range all {
		rules, err := o.rules(&all[i], f)
		if err != nil {
			return err
		}
		for _, e := range bySession(all[i].evidence) {
			table, err := gate.Judge(e, rules)
			if err != nil {
				return usageError{err}
			}
			tables = append(tables, table)
		}
	}
	return gate.WriteHistory(out, gate.History(tables))
}

// bySession takes evidence apart: each session is a point of a history.
func bySession(e gate.Evidence) (all []gate.Evidence) {
	at := map[string]int{}
	for _, r := range e.Rounds {
		i, known := at[r.Session]
		if !known {
			i = len(all)
			at[r.Session] = i
			alone := gate.Evidence{Seconds: e.Seconds}
			for _, s := range e.Sessions {
				if s.Plan.Session == r.Session {
					alone.Sessions = append(alone.Sessions, s)
				}
			}
			all = append(all, alone)
		}
		all[i].Rounds = append(all[i].Rounds, r)
	}
	return all
}

// secondsMin is the number of seconds from which the gate's tests say anything.
const secondsMin = 6

// readSeconds reads the completions per second of the measurements of a round out of
// the results that lie beside them, where they do.
func readSeconds(seconds map[gate.MeasurementKey][]float64, round *record.Round) error {
	var faults []error
	for i := range round.Measurements {
		m := &round.Measurements[i]
		if m.State != record.Valid {
			continue
		}
		dir := m.Scenario
		if m.Mode != "" {
			dir = m.Mode + "+" + m.Scenario
		}
		name := path.Join(round.Dir, record.RunDir(m.Run, m.Variant), dir, "result.json")
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		perSecond, parseErr := secondsOf(text)
		if err := cmp.Or(err, parseErr); err != nil {
			faults = append(faults, brokenEvidence{record.Fault{File: name, Text: fmt.Sprintf("no result of scalbench load: %v", cause(err))}})
			continue
		}
		if len(perSecond) >= secondsMin {
			seconds[gate.KeyOf(m)] = perSecond
		}
	}
	return errors.Join(faults...)
}

// secondsOf takes the windows of a result, when they are seconds.
func secondsOf(text []byte) ([]float64, error) {
	var result struct {
		Windows []struct {
			StartS float64 `json:"t_s"`
			OK     float64 `json:"ok"`
		} `json:"windows"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, err
	}
	var perSecond []float64
	for i, w := range result.Windows {
		if w.StartS != float64(i) {
			return nil, nil
		}
		perSecond = append(perSecond, w.OK)
	}
	return perSecond, nil
}
