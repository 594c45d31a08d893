package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// group makes the evidence of tables of sessions and rounds: one table for what has one
// name, or measured the same on the same host, and what repeats it. Whether that may
// form a table is for the gate to say; here it is only kept together.
func group(sessions []*record.Session, rounds []*record.Round) (all []results) {
	var repeats []*record.Session
	for _, s := range sessions {
		if s.Plan.RepeatOf != "" {
			repeats = append(repeats, s)
			continue
		}
		i := slices.IndexFunc(all, func(r results) bool { return r.hasEqual(s) })
		if i < 0 {
			i = len(all)
			all = append(all, results{})
		}
		all[i].evidence.Sessions = append(all[i].evidence.Sessions, s)
	}
	// A repeat may repeat a repeat, which was made before it.
	slices.SortStableFunc(repeats, func(a, b *record.Session) int { return a.Plan.CreatedUTC.Compare(b.Plan.CreatedUTC) })
	for _, s := range repeats {
		i := slices.IndexFunc(all, func(r results) bool { return r.hasSession(s.Plan.RepeatOf) })
		if i < 0 {
			i = len(all)
			all = append(all, results{})
		}
		all[i].evidence.Sessions = append(all[i].evidence.Sessions, s)
	}
	for _, r := range rounds {
		i := slices.IndexFunc(all, func(have results) bool { return have.takes(r) })
		if i < 0 {
			i = len(all)
			all = append(all, results{})
		}
		all[i].evidence.Rounds = append(all[i].evidence.Rounds, r)
	}
	return all
}

// hasEqual tells whether there is a session of the same name, or of the same plan on
// the same host.
func (r *results) hasEqual(s *record.Session) bool {
	return slices.ContainsFunc(r.evidence.Sessions, func(have *record.Session) bool {
		return path.Base(have.Dir) == path.Base(s.Dir) || have.Plan.Hash == s.Plan.Hash && have.Host.Fingerprint() == s.Host.Fingerprint()
	})
}

func (r *results) hasSession(id string) bool {
	return slices.ContainsFunc(r.evidence.Sessions, func(s *record.Session) bool { return s.Plan.Session == id })
}

// takes tells whether a round is of one of the sessions, or, where its session is not
// here, of the same name as others.
func (r *results) takes(round *record.Round) bool {
	return r.hasSession(round.Session) || slices.ContainsFunc(r.evidence.Rounds, func(have *record.Round) bool {
		return have.Table == round.Table && !r.hasSession(have.Session)
	})
}

// plan is that of the table; nil when no session is here.
func (r *results) plan() *record.Plan {
	if len(r.evidence.Sessions) == 0 {
		return nil
	}
	return r.evidence.Sessions[0].Plan
}

// name is what messages call the evidence.
func (r *results) name() string {
	switch {
	case len(r.evidence.Sessions) > 0:
		return r.evidence.Sessions[0].Dir
	case len(r.evidence.Rounds) > 0:
		return r.evidence.Rounds[0].Dir
	}
	return "nothing"
}

// variants are those that were, or were to be, measured, in the order of their names.
func (r *results) variants() (names []string) {
	if plan := r.plan(); plan != nil {
		for _, v := range plan.Variants {
			names = append(names, v.Name)
		}
	}
	for _, round := range r.evidence.Rounds {
		for _, m := range round.Measurements {
			names = appendNew(names, m.Variant)
		}
	}
	slices.Sort(names)
	return names
}

// complete reads what lies beside the rounds: the seconds of measurements, rulings, and
// calibrations of the suite.
func (r *results) complete() error {
	var faults []error
	r.evidence.Seconds = map[gate.MeasurementKey][]float64{}
	for _, round := range r.evidence.Rounds {
		faults = append(faults, readSeconds(r.evidence.Seconds, round))
	}
	plan := r.plan()
	if plan != nil {
		r.evidence.Calibrations = []*record.Calibration{} // they are looked for, and there may be none
	}
	r.evidence.Profiles = []*record.Profile{} // likewise
	for _, s := range r.evidence.Sessions {
		profiles, err := readProfiles(s.Dir)
		r.evidence.Profiles = append(r.evidence.Profiles, profiles...)
		faults = append(faults, err)
	}
	slices.SortStableFunc(r.evidence.Profiles, func(a, b *record.Profile) int { return a.StartedUTC.Compare(b.StartedUTC) })
	for _, parent := range r.parents() {
		rulings, err := readRulings(path.Join(parent, record.RulingsFile))
		r.rulings = append(r.rulings, rulings...)
		faults = append(faults, err)
		if plan != nil {
			calibrations, err := readCalibrations(path.Join(parent, plan.Host+"-"+plan.Suite+record.CalibrationDir))
			r.evidence.Calibrations = append(r.evidence.Calibrations, calibrations...)
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// readCalibrations reads those of a suite on a host: results/xeon-gate1.calibration/1 and
// so on. One that is not finished has no file.
func readCalibrations(dir string) (all []*record.Calibration, err error) {
	names, _ := fs.Glob(os.DirFS(dir), "*/"+record.CalibrationFile) // the pattern is right
	var faults []error
	for _, name := range names {
		name = path.Join(dir, name)
		file, err := os.Open(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, cause(err)))
			continue
		}
		c, err := record.ReadCalibration(file, name)
		file.Close()
		if err != nil {
			faults = append(faults, asBroken(err))
			continue
		}
		all = append(all, c)
	}
	return all, errors.Join(faults...)
}

// readProfiles reads those of a session: results/xeon-gate1.session/profile-1 and so on. A
// pass that was cut has no file.
func readProfiles(session string) (all []*record.Profile, err error) {
	names, _ := fs.Glob(os.DirFS(session), "profile-*/"+record.ProfileFile) // the pattern is right
	var faults []error
	for _, name := range names {
		name = path.Join(session, name)
		file, err := os.Open(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, cause(err)))
			continue
		}
		p, err := record.ReadProfile(file, name)
		file.Close()
		if err != nil {
			faults = append(faults, asBroken(err))
			continue
		}
		all = append(all, p)
	}
	return all, errors.Join(faults...)
}

// parents are the directories in which the rounds lie.
func (r *results) parents() (dirs []string) {
	for _, round := range r.evidence.Rounds {
		dirs = appendNew(dirs, path.Dir(round.Dir))
	}
	return dirs
}

// readRulings reads what people decided, where they did. Its faults are theirs: wrong
// configuration.
func readRulings(name string) ([]record.Ruling, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer file.Close()
	rulings, err := record.ReadRulings(file, name)
	if err != nil {
		return nil, usageError{err}
	}
	return rulings, nil
}
