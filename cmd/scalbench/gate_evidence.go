package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// results is the evidence of one table, and what lies beside it.
type results struct {
	evidence gate.Evidence
	past     []gate.Evidence // of earlier sessions of the same suite on the same host
	rulings  []record.Ruling
}

// hostFiles are the files of this host under the names that people type. Unlike
// [os.DirFS] it takes any path, so that faults name files as the command line did.
type hostFiles struct{}

func (hostFiles) Open(name string) (fs.File, error) { return os.Open(filepath.FromSlash(name)) }

// brokenEvidence is a fault of a file that was measured into: exit code 5, not 2, for
// nobody wrote it by hand.
type brokenEvidence struct{ record.Fault }

func (brokenEvidence) Is(target error) bool { return target == errInvalid }

// asBroken makes evidence that is broken of the faults of a reader; other errors stay.
func asBroken(err error) error {
	var faults record.Faults
	if !errors.As(err, &faults) {
		return err
	}
	all := make([]error, len(faults))
	for i, f := range faults {
		all[i] = brokenEvidence{f}
	}
	return errors.Join(all...)
}

// readGateDirs reads sessions and rounds, and tells what is wrong with all of them.
func readGateDirs(names []string) ([]results, error) {
	sessionDirs, roundDirs, err := findRounds(names)
	if err != nil {
		return nil, err
	}
	sessions, sessionErr := readSessions(sessionDirs)
	rounds, roundErr := readRounds(roundDirs, sessions)
	if err := errors.Join(sessionErr, roundErr); err != nil {
		return nil, err
	}
	all := group(sessions, rounds)
	for i := range all {
		if err := all[i].complete(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// findRounds finds the directories of sessions and rounds that are meant: of a session
// all rounds beside it, of a round the session beside it.
func findRounds(names []string) (sessions, rounds []string, err error) {
	var faults []error
	for _, name := range names {
		dir := filepath.ToSlash(filepath.Clean(name))
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			if err == nil {
				err = errors.New("not a directory")
			}
			faults = append(faults, fmt.Errorf("%s: %w", name, cause(err)))
			continue
		}
		if table, is := cutSession(dir); is {
			sessions = appendNew(sessions, dir)
			beside, err := roundsOf(table)
			faults = append(faults, err)
			rounds = appendNew(rounds, beside...)
			continue
		}
		session, err := record.SessionDirOf(dir)
		if err != nil {
			faults = append(faults, noResults(dir, err))
			continue
		}
		rounds = appendNew(rounds, dir)
		if _, err := os.Stat(session); err == nil {
			sessions = appendNew(sessions, session)
		}
	}
	return sessions, rounds, errors.Join(faults...)
}

// cutSession returns what a session's directory and those of its rounds begin with:
// results/xeon-gate1 of results/xeon-gate1.session.
func cutSession(dir string) (table string, is bool) { return strings.CutSuffix(dir, ".session") }

// noResults says what a directory is not, and which sessions are in it.
func noResults(dir string, err error) error {
	inside, _ := fs.Glob(os.DirFS(dir), "*.session") // the pattern is right
	fault := usagef("%s: neither a session nor a round: %w", dir, err)
	if len(inside) == 0 {
		return fault
	}
	return hintedError{fault, "there are sessions in it: " + strings.Join(inside, ", ")}
}

func appendNew(all []string, more ...string) []string {
	for _, name := range more {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// roundsOf returns the directories of the rounds of a table: results/xeon-gate1.
func roundsOf(table string) (dirs []string, err error) {
	parent := path.Dir(table)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", parent, cause(err))
	}
	for _, e := range entries {
		if name, _, err := record.SplitRoundDir(e.Name()); err == nil && name == path.Base(table) && e.IsDir() {
			dirs = append(dirs, path.Join(parent, e.Name()))
		}
	}
	return dirs, nil
}

func readSessions(dirs []string) (sessions []*record.Session, err error) {
	var faults []error
	for _, dir := range dirs {
		s, err := record.ReadSession(hostFiles{}, dir)
		if err != nil {
			faults = append(faults, asBroken(err))
			continue
		}
		sessions = append(sessions, s)
	}
	return sessions, errors.Join(faults...)
}

// readRounds reads rounds, and holds their session against the one that lies beside.
func readRounds(dirs []string, sessions []*record.Session) (rounds []*record.Round, err error) {
	var faults []error
	for _, dir := range dirs {
		r, err := record.ReadRound(hostFiles{}, dir)
		if err != nil {
			faults = append(faults, asBroken(err))
			continue
		}
		beside, _ := record.SessionDirOf(dir) // it is a round
		for _, s := range sessions {
			if s.Dir == beside && r.Session != "" && r.Session != s.Plan.Session {
				faults = append(faults, brokenEvidence{record.Fault{File: dir, Text: fmt.Sprintf("is of session %s, but %s of %s", r.Session, s.Dir, s.Plan.Session)}})
			}
			if s.Dir == beside && r.Finished && len(s.Journal.Events) == 0 {
				faults = append(faults, brokenEvidence{record.Fault{File: path.Join(s.Dir, record.JournalFile), Text: fmt.Sprintf("nothing in it, but %s is finished: which rounds there were, and what was measured again, is lost", dir)}})
			}
		}
		rounds = append(rounds, r)
	}
	return rounds, errors.Join(faults...)
}
