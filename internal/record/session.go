package record

import (
	"errors"
	"io/fs"
	"path"
)

// Session is what lies in the directory of one session.
type Session struct {
	Dir     string
	Plan    *Plan
	Host    *Host
	Journal *Journal
}

// ReadSession reads the session in a directory of fsys: plan.json, host.json and
// journal.ndjson, all of which must be there. The error is a [Faults] with
// everything that is wrong in them; errors.Is finds [fs.ErrNotExist] when there is
// no such directory.
func ReadSession(fsys fs.FS, dir string) (*Session, error) {
	if _, err := fs.Stat(fsys, dir); err != nil {
		return nil, err
	}
	faults := &faultList{file: dir}
	s := &Session{Dir: dir}
	var err error
	s.Plan, err = readFile(fsys, path.Join(dir, PlanFile), ReadPlan)
	faults.take(missing(err))
	s.Host, err = readFile(fsys, path.Join(dir, HostFile), ReadHost)
	faults.take(missing(err))
	s.Journal, err = readFile(fsys, path.Join(dir, JournalFile), ReadJournal)
	faults.take(missing(err))
	if len(faults.all) == 0 {
		s.checkIDs(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// missing words the error of a file that is not there.
func missing(err error) error {
	var file *fs.PathError
	if errors.Is(err, fs.ErrNotExist) && errors.As(err, &file) {
		return Faults{{file.Path, 0, "not there"}}
	}
	return err
}

// checkIDs looks whether all three files are of one session.
func (s *Session) checkIDs(faults *faultList) {
	id := s.Plan.Session
	if s.Host.Session != id {
		faults.at(0, "%s is of session %s, %s of %s", PlanFile, id, HostFile, s.Host.Session)
	}
	if len(s.Journal.Events) > 0 && s.Journal.Events[0].Session != id {
		faults.at(0, "%s is of session %s, %s of %s", PlanFile, id, JournalFile, s.Journal.Events[0].Session)
	}
}
